# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a pod and its surroundings while a model is brought into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .....kube.reader import Reader
from ....kserve.releases import KServe
from ....kserve.storage.spec_secret import StorageSpec
from ....kserve.system_config import SystemConfig


@dataclass(frozen=True, slots=True)
class Surroundings:
    """namespace, annotations: the pod's. storage: what its service says about storage beside an address, None where nothing.

    kserve_namespace: where `inferenceservice-config` is. release: whose rules count. template: it is not a pod but what pods are made from, and what others may
    read; no text of a Secret is copied there.
    """

    namespace: str
    annotations: Mapping[str, str]
    config: SystemConfig
    kserve_namespace: str
    reader: Reader
    release: KServe
    storage: StorageSpec | None = None
    template: bool = False

    @property
    def read_only(self) -> bool:
        """Whether the server may only read the model."""
        return self.annotations.get("storage.kserve.io/readonly") != "false"
