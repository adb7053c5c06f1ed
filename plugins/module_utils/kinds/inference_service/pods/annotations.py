# SPDX-License-Identifier: GPL-3.0-or-later
"""How a component tells KServe's pod webhook what its pods need. Source: KServe pkg/controller/v1beta1/inferenceservice/components/component.go@v0.17.0."""

from __future__ import annotations

from ....kube.go_json import go_json
from ....kube.manifest import Json
from ...kserve.confidential import asked_key
from ...kserve.storage.spec_secret import SCHEME_PLACEHOLDER
from .. import names

PREFIX = "internal.serving.kserve.io/"
SOURCE_URI = f"{PREFIX}storage-initializer-sourceuri"
STORAGE_SPEC = f"{PREFIX}storage-spec"
STORAGE_PARAMETERS = f"{STORAGE_SPEC}-param"
STORAGE_KEY = f"{STORAGE_SPEC}-key"
CONFIDENTIAL, CONFIDENTIAL_KEY = (
    f"{PREFIX}confidential-enabled",
    f"{PREFIX}confidential-resource-id",
)
STORAGE_CONTAINER = f"{PREFIX}storage-container-name"
LOGGER = f"{PREFIX}logger"
BATCHER = f"{PREFIX}batcher"
AGENT = f"{PREFIX}agent"
CONFIG_VOLUME = f"{PREFIX}configVolumeName"
CONFIG_PATH = f"{PREFIX}configMountPath"
MODEL_DIR = f"{PREFIX}modelDir"

Texts = dict[str, str]


def logger_annotations(logger: Json | None) -> Texts:
    """Return how requests are logged."""
    if logger is None:
        return {}
    found = {LOGGER: "true", f"{LOGGER}-mode": str(logger.get("mode") or "")}
    if logger.get("url") is not None:
        found[f"{LOGGER}-sink-url"] = logger["url"]
    lists = {"metadata-headers": "metadataHeaders", "metadata-annotations": "metadataAnnotations"}
    for suffix, field in lists.items():
        if logger.get(field) is not None:
            found[f"{LOGGER}-{suffix}"] = ",".join(logger[field])
    return found


def batcher_annotations(batcher: Json | None) -> Texts:
    """Return how requests are gathered."""
    if batcher is None:
        return {}
    limits = {"max-batchsize": "maxBatchSize", "max-latency": "maxLatency"}
    given = {
        f"{BATCHER}-{suffix}": str(batcher[field])
        for suffix, field in limits.items()
        if batcher.get(field) is not None
    }
    return {BATCHER: "true", **given}


def storage_annotations(storage: Json | None) -> Texts:
    """Return where a model is that a Secret describes."""
    if storage is None:
        return {}
    found = {STORAGE_SPEC: "true"}
    if storage.get("parameters") is not None:
        found[STORAGE_PARAMETERS] = go_json(storage["parameters"], sort_keys=True)
    if storage.get("key") is not None:
        found[STORAGE_KEY] = storage["key"]
    if storage.get("path") is not None:
        found[SOURCE_URI] = f"{SCHEME_PLACEHOLDER}://{storage['path'].removeprefix('/')}"
    return found


def confidential_annotations(confidential: Json | None) -> Texts:
    """Return what lets an encrypted model be decrypted once it was fetched."""
    key = asked_key(confidential)
    if key is None:
        return {}
    return {CONFIDENTIAL: "true", **({CONFIDENTIAL_KEY: key} if key else {})}


def agent_annotations(service: str) -> Texts:
    """Return what lets the agent fetch one model after another."""
    return {
        AGENT: "true",
        CONFIG_VOLUME: names.model_config(service),
        CONFIG_PATH: "/mnt/configs",
        MODEL_DIR: "/mnt/models",
    }
