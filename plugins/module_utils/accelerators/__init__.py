# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerators: what their resources are called, how many a server needs, what they hold, and whether pods find free ones."""
