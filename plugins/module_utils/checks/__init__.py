# SPDX-License-Identifier: GPL-3.0-or-later
"""What services get wrong, whatever their kind: one file for each theme, one function and one row for each check."""
