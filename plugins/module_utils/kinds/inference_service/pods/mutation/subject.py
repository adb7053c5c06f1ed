# SPDX-License-Identifier: GPL-3.0-or-later
"""The pod that is changed, and what its changes are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .....kube.manifest import Json
from .....kube.reader import Reader
from ....kserve.releases import KServe
from ....kserve.storage.spec_secret import StorageSpec
from ....kserve.system_config import SystemConfig
from ..storage.context import Surroundings


@dataclass(frozen=True, slots=True)
class Subject:
    """A pod or the template of one: its name (empty for a template), labels, annotations and spec, never changed in place.

    release: whose webhook changes it. template: whether it is one. logger: what the service's predictor says about its logger, None where nothing.
    """

    name: str
    namespace: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    spec: Json
    config: SystemConfig
    kserve_namespace: str
    reader: Reader
    release: KServe
    logger: Json | None = None
    template: bool = False

    def having(self, spec: Json) -> Subject:
        """Return it with another spec."""
        return replace(self, spec=spec)

    def annotated(self, annotations: Mapping[str, str]) -> Subject:
        """Return it with more annotations."""
        return replace(self, annotations={**self.annotations, **annotations})

    def around(self, storage: StorageSpec | None = None) -> Surroundings:
        """Return what is known while a model or credentials are brought in."""
        return Surroundings(
            self.namespace,
            self.annotations,
            self.config,
            self.kserve_namespace,
            self.reader,
            self.release,
            storage,
            self.template,
        )

    def containers(self, field: str = "containers") -> list[dict[str, Any]]:
        """Return the containers of the pod."""
        return list(self.spec.get(field) or ())
