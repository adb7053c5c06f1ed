# SPDX-License-Identifier: GPL-3.0-or-later
"""LeaderWorkerSets, which run groups of pods: whose a pod is, and of which template their status speaks.

Up to v0.7.0 their manager writes a status without a generation, but anew at once when it sees another template. It counts a group as
ready whose leader is ready and whose workers were made, whatever becomes of these. Source: sigs.k8s.io/lws v0.7.0, v0.9.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from . import gvk
from .manifest import Json
from .quantity import canonical_quantity

API_VERSION, KIND = gvk.LEADER_WORKER_SET, "LeaderWorkerSet"
#: What the manager writes on each pod: the name of its set, the number of its group, and which template it is of.
SET_LABEL = "leaderworkerset.sigs.k8s.io/name"
_GROUP_LABEL = "leaderworkerset.sigs.k8s.io/group-index"
TEMPLATE_LABEL = "leaderworkerset.sigs.k8s.io/template-revision-hash"
#: The field that Deployments have; from v0.9.0 on LeaderWorkerSets have it, too.
_SEEN = "observedGeneration"


def is_groups(live: Json) -> bool:
    """Tell whether an object is a LeaderWorkerSet."""
    return live.get("kind") == KIND


def seen_generation(groups: Json) -> int:
    """Return the generation that the status speaks of; of a status that says nothing of it, the present one. 0 where nothing was said yet."""
    status: Json = groups.get("status") or {}
    if not status.get("conditions"):
        return 0
    return int(status.get(_SEEN, groups["metadata"].get("generation") or 0))


def ready_groups(groups: Json, pods: Sequence[Json]) -> int:
    """Return how many groups are ready: by their pods, or by the status alone where none of their pods is seen. pods: any."""
    told = (groups.get("status") or {}).get("readyReplicas") or 0
    own = [pod for pod in pods if _labels(pod).get(SET_LABEL) == groups["metadata"]["name"]]
    if not own:
        return int(told)
    template = (groups.get("spec") or {}).get("leaderWorkerTemplate") or {}
    ready = Counter(_labels(pod).get(_GROUP_LABEL) for pod in own if _is_ready(pod))
    whole = [group for group, count in ready.items() if count >= template.get("size", 1)]
    return min(int(told), len(whole))


def as_of_before(before: Json, after: Json) -> Json:
    """Return a set after an update, its status marked as of the generation before where the template is another now."""
    status: Json = after.get("status") or {}
    idle = (after.get("spec") or {}).get("replicas") == 0
    if idle or not status or _SEEN in status or _template(before) == _template(after):
        return after
    return {**after, "status": {**status, _SEEN: before["metadata"].get("generation")}}


def unchanged_since(left: Json, live: Json) -> Json:
    """Return a live object; a set with the status that `as_of_before` marked where the manager has said nothing since we left it so."""
    if not is_groups(live):
        return live
    told = dict(left.get("status") or {})
    marked = told.pop(_SEEN, None) is not None
    return {**live, "status": left["status"]} if marked and live.get("status") == told else live


def _labels(pod: Json) -> Mapping[str, str]:
    return pod["metadata"].get("labels") or {}


def _is_ready(pod: Json) -> bool:
    said = (pod.get("status") or {}).get("conditions") or ()
    ready = any((each.get("type"), each.get("status")) == ("Ready", "True") for each in said)
    return ready and not pod["metadata"].get("deletionTimestamp")


def _template(groups: Json) -> Any:
    return _compared((groups.get("spec") or {}).get("leaderWorkerTemplate"))


def _compared(value: Any) -> Any:
    """Return a template as the manager compares it: quantities that are equal are the same text."""
    if isinstance(value, Mapping):
        return {key: _amounts(each, key) or _compared(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_compared(each) for each in value]
    return value


def _amounts(value: Any, key: str) -> Json | None:
    if key not in ("limits", "requests") or not isinstance(value, Mapping):
        return None
    return {name: canonical_quantity(each) for name, each in value.items()}
