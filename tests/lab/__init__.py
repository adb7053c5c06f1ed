# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lab: a real Kubernetes control plane without containers, for tests, benchmarks and the demo.

`python -m tests.lab up` starts one by hand; in Python it is `with ControlPlane(nodes="gpu") as lab: ...`.
Names are imported from their own files (`tests.lab.control_plane`, `tests.lab.proxy`, ...), so that `build` runs with
nothing but the standard library.
"""
