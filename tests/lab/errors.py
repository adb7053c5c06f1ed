# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The one exception that the lab raises when it cannot do what was asked."""

from __future__ import annotations


class LabError(Exception):
    """Says in plain words what went wrong and what to do about it."""
