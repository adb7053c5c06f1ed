# SPDX-License-Identifier: GPL-3.0-or-later
"""How a model gets into a pod, in the steps that are the same for both kinds of KServe."""
