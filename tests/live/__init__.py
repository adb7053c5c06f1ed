# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The live lab: a real node, a real gateway and a real endpoint picker behind the lab's control plane.

`make live` starts it, runs the scenarios on it and ends it. Everything runs in namespaces of its own, as root on Linux.
"""
