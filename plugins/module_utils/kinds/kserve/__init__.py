# SPDX-License-Identifier: GPL-3.0-or-later
"""What both kinds of KServe share: changing pods, reading Secrets, and how a model gets into a pod."""
