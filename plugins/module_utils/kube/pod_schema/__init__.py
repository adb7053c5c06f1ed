# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of a pod spec, as custom resources embed it. `pod.POD_SPEC` is the whole of it."""
