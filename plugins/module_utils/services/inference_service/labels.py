# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels by which KServe knows what belongs to a service. Source: KServe v0.17.0; reference/kserve-isvc-and-install.md A1.2."""

from __future__ import annotations

SERVICE = "serving.kserve.io/inferenceservice"
COMPONENT = "component"
GENERATION = "isvc.generation"
