# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures against peers, in one run on one machine: `make bench` writes build/bench.json."""
