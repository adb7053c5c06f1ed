# SPDX-License-Identifier: GPL-3.0-or-later
"""A set of objects as one unit: installed stage by stage, pruned by its own label, removed in the order that cannot hang."""
