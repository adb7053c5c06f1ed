# SPDX-License-Identifier: GPL-3.0-or-later
"""A ServingRuntime or ClusterServingRuntime, as far as services read it. Source: KServe v0.17.0; reference/kserve-isvc-and-install.md A6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....kube.manifest import Json

API_VERSION = "serving.kserve.io/v1alpha1"
NAMESPACED, CLUSTER = "ServingRuntime", "ClusterServingRuntime"


@dataclass(frozen=True, slots=True)
class Runtime:
    """One runtime. annotations: those of its metadata. created: when, as the API writes times; empty where nobody knows."""

    kind: str
    name: str
    spec: Json
    annotations: Mapping[str, str]
    created: str = ""
