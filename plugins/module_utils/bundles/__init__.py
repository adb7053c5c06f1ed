# SPDX-License-Identifier: GPL-3.0-or-later
"""Bundles of manifests as data: what is wrong with them, what is in them, and how they are fitted to a cluster."""
