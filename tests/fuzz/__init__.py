# SPDX-License-Identifier: GPL-3.0-or-later
"""Differential tests: what is decided from a listed object against what the API server makes of an apply."""
