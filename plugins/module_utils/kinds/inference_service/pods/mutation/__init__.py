# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's webhook makes of a pod when it is created, as a function: pod in, pod out."""
