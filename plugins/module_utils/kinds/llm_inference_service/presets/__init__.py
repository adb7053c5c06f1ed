# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that a service does not say itself: presets, baseRefs, and the templates in them."""
