# SPDX-License-Identifier: GPL-3.0-or-later
"""A service of the small cluster whose children are there and do their work: what is made, and what is said of it then."""

from __future__ import annotations

from typing import NamedTuple

from module_utils.kinds.llm_inference_service.compile import children
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.observe import observe
from module_utils.kinds.llm_inference_service.presets.resolve import resolve
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference
from tests.objects import Cluster

from .preset_world import world
from .world import CLASS, gateway

AVAILABLE = [{"type": "Available", "status": "True"}]
TAKEN = [{"type": kind, "status": "True"} for kind in ("Accepted", "ResolvedRefs")]
#: The default gateway of the small cluster.
DEFAULT = gateway("main", namespace="kserve", conditions=[{"type": "Programmed", "status": "True"}])


class Settled(NamedTuple):
    """children: by kind and name. status: of the custom resource."""

    children: dict[tuple[str, str], Json]
    status: Json

    @property
    def said(self) -> dict[str, str]:
        """Each condition in short: its reason where it is false, else its status."""
        return {
            one["type"]: one.get("reason", "") if one["status"] == "False" else one["status"]
            for one in self.status["conditions"]
        }

    def message(self, condition: str) -> str:
        """Return what a condition says."""
        (found,) = [one for one in self.status["conditions"] if one["type"] == condition]
        return str(found.get("message", ""))

    def backends(self) -> list[tuple[str, str, str]]:
        """Return group, kind and name of every backend of the managed route."""
        rules = self.children["HTTPRoute", "chat-kserve-route"]["spec"]["rules"]
        named = [backend for rule in rules for backend in rule["backendRefs"]]
        return [(each.get("group", ""), each["kind"], each["name"]) for each in named]


def settled(document: Json, *others: Json, gateways: tuple[Json, ...] = (DEFAULT,)) -> Settled:
    """Return a service whose children all work. others: objects that were there before, of which a later one wins."""
    before = [CLASS, *gateways, *others]
    service = load(document, Settings()).service
    assert service is not None
    resolved = resolve(service, Settings(), world(*before))
    made = [child.manifest.to_dict() for child in children(resolved, world(*before))]
    live = {Reference.of(each): each for each in (*before, *map(working, made))}
    found = observe(resolved, _with(live))
    return Settled({(each["kind"], each["metadata"]["name"]): each for each in made}, found.status)


def _with(live: dict[Reference, Json]) -> Cluster:
    return world(*live.values())


def working(child: Json) -> Json:
    """Return a child with the status that says that it works."""
    status: Json = {}
    if child["kind"] in ("Deployment", "LeaderWorkerSet"):
        status = {"conditions": AVAILABLE, "availableReplicas": 1}
    if child["kind"] == "InferencePool":
        status = {"parents": [{"conditions": TAKEN}]}
    if child["kind"] == "HTTPRoute":
        parents = child["spec"].get("parentRefs") or ()
        status = {"parents": [{"parentRef": each, "conditions": TAKEN} for each in parents]}
    return {**child, **({"status": status} if status else {})}
