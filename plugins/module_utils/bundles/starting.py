# SPDX-License-Identifier: GPL-3.0-or-later
"""What a controller looks at only when it starts: written into its pods, so that it starts anew when that changes.

Source: KServe cmd/manager/main.go, cmd/llmisvc/main.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..kube.applyset import GroupKind
from ..kube.canonical import canonical_json, digest
from ..kube.crds import definitions
from ..kube.manifest import Json, value_at
from ..kube.three_way_merge import parse_base
from .components import Start

#: Annotations of a pod template: the optional kinds that were served when the pods started, and a hash of what they read.
KINDS_ANNOTATION = "inference.modelops.io/kinds-at-start"
CONFIG_ANNOTATION = "inference.modelops.io/config-at-start"
_TEMPLATE = ("spec", "template", "metadata")


def marked_starts(
    manifests: Sequence[Json], starts: Sequence[Start], is_served: Callable[[GroupKind], bool]
) -> list[Json]:
    """Return the manifests with the annotations on the workloads that look at something only once."""
    wanted = {start.workload: start for start in starts}
    brought = definitions(manifests)
    configs = {
        each["metadata"]["name"]: each.get("data") or {}
        for each in manifests
        if each["kind"] == "ConfigMap"
    }
    found = []
    for manifest in manifests:
        start = wanted.get(manifest["metadata"]["name"])
        if start is None or manifest["kind"] != "Deployment":
            found.append(manifest)
            continue
        kinds = [kind for kind in start.kinds if kind in brought or is_served(kind)]
        found.append(_marked(manifest, kinds, _read(configs.get(start.config), start.keys)))
    return found


def missed_kinds(
    live: Json, starts: Sequence[Start], is_served: Callable[[GroupKind], bool]
) -> list[str]:
    """Return the kinds that are served and that a running workload has not seen, since they came after it."""
    start = next((each for each in starts if each.workload == live["metadata"]["name"]), None)
    annotations = value_at(live, (*_TEMPLATE, "annotations")) or {}
    if start is None or KINDS_ANNOTATION not in annotations:
        return []
    seen = annotations[KINDS_ANNOTATION].split(",")
    return [str(kind) for kind in start.kinds if str(kind) not in seen and is_served(kind)]


def _read(data: Json | None, keys: Sequence[tuple[str, ...]]) -> str:
    """Return a hash of what is read at start."""
    documents = {key: parse_base(text) for key, text in (data or {}).items()}
    return digest(canonical_json([value_at(documents, path) for path in keys]))[:16]


def _marked(manifest: Json, kinds: Sequence[GroupKind], config: str) -> Json:
    template = manifest["spec"]["template"]
    metadata = dict(template.get("metadata") or {})
    metadata["annotations"] = {
        **(metadata.get("annotations") or {}),
        KINDS_ANNOTATION: ",".join(map(str, kinds)),
        CONFIG_ANNOTATION: config,
    }
    spec = {**manifest["spec"], "template": {**template, "metadata": metadata}}
    return {**manifest, "spec": spec}
