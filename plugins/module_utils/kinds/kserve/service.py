# SPDX-License-Identifier: GPL-3.0-or-later
"""A custom resource of KServe, as far as all its kinds are alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...kube.manifest import Json

GROUP = "serving.kserve.io"
STOP_ANNOTATION = f"{GROUP}/stop"


@dataclass(frozen=True, slots=True)
class KServeService:
    """One service. document: the custom resource as its author wrote it, which is what gets applied."""

    document: Json
    name: str
    namespace: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    @property
    def subject(self) -> str:
        """The service as errors name it."""
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.document.get('kind')} {place}{self.name}"

    @property
    def stopped(self) -> bool:
        """Whether its author asks for everything to be taken away but the service itself."""
        return is_stopped(self.annotations)


def is_stopped(annotations: Mapping[str, str]) -> bool:
    """Return whether annotations ask for everything to be taken away but the custom resource."""
    return annotations.get(STOP_ANNOTATION, "").lower() == "true"
