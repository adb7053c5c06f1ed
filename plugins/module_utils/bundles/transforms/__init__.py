# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting a bundle to a cluster: pure functions over manifests, one file for each sort of change."""
