# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that no longer use a cache by the rules, while their pods still read from its claim: another cache holds their model since.

Their pods change once they are given themselves. Until then the claim stays, as with KServe, whose label on a service changes with the service.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ...kube import gvk
from ...kube.manifest import Json, value_at
from ...kube.names import child_name
from ...kube.reader import NotAllowed, Reader
from ...kube.reference import Reference
from ..kserve.local_models import LABEL, NAMESPACE_LABEL, OFF_ANNOTATION, is_within
from ..peers import NOBODY, Peers
from . import names
from .child_kinds import CLAIM, INFERENCE_SERVICE, LLM_INFERENCE_SERVICE
from .spec import LocalModelCache
from .users import User, address_of, named

#: The label by which pods name their service.
_OWNER_LABELS = {
    INFERENCE_SERVICE: "serving.kserve.io/inferenceservice",
    LLM_INFERENCE_SERVICE: "app.kubernetes.io/name",
}
_DEPLOYMENT = (gvk.APPS, "Deployment")
#: What makes the pods of a service, and how it is called: it may have none at the moment.
_WORKLOADS = {
    INFERENCE_SERVICE: (
        (*_DEPLOYMENT, "-predictor"),
        ("serving.knative.dev/v1", "Service", "-predictor"),
    ),
    LLM_INFERENCE_SERVICE: (
        (*_DEPLOYMENT, "-kserve"),
        ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "-kserve-mn"),
    ),
}
#: The kinds of these.
WORKLOADS = tuple(
    dict.fromkeys(
        (api_version, kind) for made in _WORKLOADS.values() for api_version, kind, dummy in made
    )
)
_TEMPLATES = (
    ("template",),
    ("leaderWorkerTemplate", "leaderTemplate"),
    ("leaderWorkerTemplate", "workerTemplate"),
)
_ENDED = ("Succeeded", "Failed")


def follows(service: Reference, reader: Reader, peers: Peers) -> bool:
    """Tell whether a service leaves its old volume with this run: the task gives it, or removes it."""
    return service in peers or peers.leaves(reader.get(service) or {})


def remaining_readers(
    cache: LocalModelCache,
    live: Json,
    used_by: Collection[User],
    reader: Reader,
    peers: Peers = NOBODY,
) -> tuple[User, ...]:
    """Return services of which a claim of the cache would go while their pods read from it. used_by: who uses the cache by the rules."""
    used = {(each.service.namespace, each.group or cache.groups[0]) for each in used_by}
    found: dict[User, None] = {}
    for place, group in _claims(cache, reader):
        if (place, group) in used:
            continue
        for service in _reading(cache, live, place, group, reader):
            there = reader.get(service)
            if there is not None and not follows(service, reader, peers):
                found[User(service, group)] = None
    return tuple(found)


def still_used(live: Json, reader: Reader) -> Sequence[Reference]:
    """Return the services that the status of a cache names, as far as they are there and still use it."""
    return [each for each in named(live) if _uses(each, reader.get(each), live, reader)]


def _uses(service: Reference, there: Json | None, live: Json, reader: Reader) -> bool:
    """Tell whether a service uses a cache: by its own labels, else those of its pods, else the address of its model."""
    if there is None:
        return False
    metadata, cache = there["metadata"], live["metadata"]
    own = cache["name"], cache.get("namespace") or ""
    if LABEL in (labels := metadata.get("labels") or {}):
        return _marks(labels) == own
    if marked := _marks_of_pods(service, reader):
        return own in marked
    source = str((live.get("spec") or {}).get("sourceModelUri") or "")
    off = OFF_ANNOTATION in (metadata.get("annotations") or {})
    return not off and is_within(address_of(there), source)


def _marks(labels: Json) -> tuple[str, str]:
    return str(labels[LABEL]), str(labels.get(NAMESPACE_LABEL, ""))


def _marks_of_pods(service: Reference, reader: Reader) -> set[tuple[str, str]]:
    """Return name and namespace of the caches from which the pods of a service read, as far as that may be looked at."""
    try:
        found = [each["metadata"].get("labels") or {} for each in _templates(service, reader)]
    except NotAllowed:
        return set()
    return {_marks(labels) for labels in found if LABEL in labels}


def _claims(cache: LocalModelCache, reader: Reader) -> Iterator[tuple[str, str]]:
    """Yield namespace and group of each claim of the cache from which services read."""
    begin = f"{cache.name}-"
    for each in reader.list(CLAIM.api_version, CLAIM.kind, cache.namespace, {}):
        metadata = each["metadata"]
        name, place = str(metadata["name"]), str(metadata.get("namespace") or "")
        if metadata.get("deletionTimestamp") or not name.startswith(begin):
            continue
        group = name.removeprefix(begin)
        owned = any(
            (owner.get("kind"), owner.get("name")) == (cache.kind, cache.name)
            for owner in metadata.get("ownerReferences") or ()
        )
        if owned and value_at(each, ("spec", "volumeName")) == names.volume(
            cache.name, group, place
        ):
            yield place, group


def _reading(
    cache: LocalModelCache, live: Json, place: str, group: str, reader: Reader
) -> Iterator[Reference]:
    """Yield the services of a namespace whose pods, present or to come, mount a claim; those of which it may not be known, too."""
    claim = names.claim(cache.name, group)
    until_now = [each for each in named(live) if each.namespace == place]
    try:
        for pod in reader.list("v1", "Pod", place, {LABEL: cache.name}):
            ended = value_at(pod, ("status", "phase")) in _ENDED
            if not ended and _mounts(pod.get("spec") or {}, claim):
                yield from _services_of(pod, place)
        for service in until_now:
            pods = (each.get("spec") or {} for each in _templates(service, reader))
            if any(_mounts(pod, claim) for pod in pods):
                yield service
    except NotAllowed:
        yield from until_now


def _services_of(pod: Json, place: str) -> Iterator[Reference]:
    labels: Mapping[str, str] = pod["metadata"].get("labels") or {}
    for kind, label in _OWNER_LABELS.items():
        if label in labels:
            yield Reference(*kind, place, labels[label])


def _templates(service: Reference, reader: Reader) -> Iterator[Json]:
    """Yield what the pods of a service are made from."""
    for api_version, kind, suffix in _WORKLOADS[service.api_version, service.kind]:
        name = child_name(service.name, suffix)
        workload = reader.get(Reference(api_version, kind, service.namespace, name))
        for path in _TEMPLATES:
            if template := value_at(workload or {}, ("spec", *path)):
                yield {"metadata": {}, **template}


def _mounts(pod: Json, claim: str) -> bool:
    volumes = pod.get("volumes") or ()
    return any(value_at(each, ("persistentVolumeClaim", "claimName")) == claim for each in volumes)
