# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's controller was given and answered: the folders below recordings/inference_service."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.parity.recorded_llm_services import Recorded, read_all

RECORDINGS = Path(__file__).parent / "recordings" / "inference_service"
#: The releases that were recorded after the first one, which stands in RECORDINGS itself.
LATER = {KServe.V0_19: RECORDINGS / "v0.19.0", KServe.V0_20: RECORDINGS / "v0.20.0"}
Json = dict[str, Any]

#: How the controller was run, but for who changes the pods: the recorded objects are from before the webhook.
SETTINGS = Settings(pod_mutation="webhook")

#: In this case a ConfigMap of Knative was taken away.
_WITHOUT_AUTOSCALER = "knative-config-autoscaler-missing"
_SHARED = {
    "commonRuntimes": "clusterservingruntimes.yaml",
    "commonStorageContainer": "clusterstoragecontainer.yaml",
}


def cases() -> list[Path]:
    """Return the folders of single cases that the controller could handle."""
    return [path.parent for path in sorted(RECORDINGS.glob("*/intent.yaml"))]


def sequences() -> list[Path]:
    """Return the folders of sequences."""
    return sorted(RECORDINGS.glob("SEQ-*"))


def stored_cases() -> list[Path]:
    """Return the folders of all cases and sequences."""
    return [path.parent for path in sorted(RECORDINGS.glob("*/stored.yaml"))]


def invalid_cases() -> list[Path]:
    """Return the folders of cases that went wrong."""
    return [path.parent for path in sorted(RECORDINGS.glob("cases-invalid/*/input.yaml"))]


def read_one(path: Path) -> Any:
    """Return the only document of a recorded file, None where there is no such file. Not to be changed."""
    found = read_all(path)
    return found[0] if found else None


def later_cases(release: KServe) -> list[Path]:
    """Return the folders of single cases of a later release."""
    return [path.parent for path in sorted(LATER[release].glob("*/status.yaml"))]


def read_given(folder: Path, file: str) -> Any:
    """Return what a case was given; a later release was given what the first one was, where it has nothing of its own."""
    own = (folder / "input.yaml").exists()
    return read_one(folder / file if own else RECORDINGS / folder.name / file)


def recorded_settings(folder: Path) -> Settings:
    """Return how the controller of a case's release was run."""
    releases = {root: release for release, root in LATER.items()}
    return replace(SETTINGS, release=releases.get(folder.parent, SETTINGS.release))


def recorded_cluster(folder: Path) -> Recorded:
    """Return the objects that were there before a case."""
    context = read_given(folder, "context.yaml")
    shared = RECORDINGS / "context"
    found = [_config(context), *read_all(shared / "knative-configmaps.yaml")]
    for flag, name in _SHARED.items():
        if context.get(flag):
            found += read_all(shared / name)
    found += [_as_stored(one) for one in context.get("objects") or ()]
    if folder.name == _WITHOUT_AUTOSCALER:
        found = [one for one in found if one["metadata"]["name"] != "config-autoscaler"]
    return Recorded({Reference.of(one): one for one in found}.values())


def _config(context: Mapping[str, Any]) -> Json:
    variant = read_one(RECORDINGS / "context" / f"config-{context['configVariant']}.yaml")
    blocks = {name: json.loads(text) for name, text in variant["data"].items()}
    merged = _merged(blocks, context.get("configOverride") or {})
    return {**variant, "data": {name: json.dumps(value) for name, value in merged.items()}}


def _merged(base: Any, patch: Any) -> Any:
    """Return a JSON merge patch applied (RFC 7386)."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(base) if isinstance(base, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key), value)
    return result


def _as_stored(manifest: Json) -> Json:
    """Return an object as the API server stores it: texts of a Secret in base64."""
    texts = manifest.get("stringData")
    if not texts:
        return manifest
    data = {key: b64encode(text.encode()).decode() for key, text in texts.items()}
    rest = {key: value for key, value in manifest.items() if key != "stringData"}
    return {**rest, "data": {**(manifest.get("data") or {}), **data}}
