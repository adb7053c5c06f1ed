# SPDX-License-Identifier: GPL-3.0-or-later
"""The container beside the endpoint picker that counts tokens, for which it needs a part of the model.

Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go@v0.18.0.
"""

from __future__ import annotations

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.release import Since
from ...kserve.pod import container_of
from ...kserve.releases import KServe
from ...kserve.storage.initializer import MODEL_PATH
from ..accounts import live_picker
from ..artifacts.attach import Account, with_model
from ..artifacts.errors import ArtifactError
from ..artifacts.place import Place
from ..errors import Unbuildable
from ..resolved import Resolved

NAME = "tokenizer"
#: Whether the container of that name gets the model.
_KNOWN: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})
#: The files of a model that count, as JSON.
_FILES = (
    '["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.json", "merges.txt", '
    '"config.json", "generation_config.json"]'
)


def has_tokenizer(pod: Json, release: KServe) -> bool:
    """Tell whether a picker's pod has a container that the release takes for a tokenizer."""
    return _KNOWN.at(release) and container_of(pod, NAME) is not None


def with_tokenizer(pod: Json, resolved: Resolved, reader: Reader) -> Json:
    """Return the picker's pod; with the model where it has a tokenizer and the release knows of such. Raises Unbuildable."""
    if not has_tokenizer(pod, resolved.settings.release):
        return pod
    place = Place(NAME, f"{MODEL_PATH}/base", {"STORAGE_ALLOW_PATTERNS": _FILES})
    try:
        return with_model(pod, resolved, reader, Account(live_picker(resolved, reader)), place)
    except ArtifactError as error:
        raise Unbuildable(
            f"Failed to reconcile scheduler: failed to attach model artifacts to scheduler deployment: {error.message}",
            condition="SchedulerWorkloadReady",
            reason="SchedulerReconcileError",
            path=error.path,
            advice=error.advice,
            rule="model",
        ) from None
