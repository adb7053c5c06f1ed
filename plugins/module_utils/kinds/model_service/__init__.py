# SPDX-License-Identifier: GPL-3.0-or-later
"""ModelService (model.otterscale.io): schema, defaults, children and status."""
