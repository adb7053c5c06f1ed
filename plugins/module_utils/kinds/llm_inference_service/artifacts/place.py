# SPDX-License-Identifier: GPL-3.0-or-later
"""Who in a pod gets the model, and where it looks for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ....kube.manifest import Json
from ...kserve.storage.initializer import MODEL_PATH
from ..pod import MAIN


@dataclass(frozen=True, slots=True)
class Place:
    """One container of a pod. path: where the model is there. fetch_variables: beside those of the release, for who fetches it."""

    container: str = MAIN
    path: str = MODEL_PATH
    fetch_variables: Json = field(default_factory=dict)


#: The server of the model.
SERVER = Place()
