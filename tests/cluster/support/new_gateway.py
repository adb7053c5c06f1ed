# SPDX-License-Identifier: GPL-3.0-or-later
"""A gateway that knows InferencePools of the new API group alone, played by the test in namespaces where the lab plays none."""

from __future__ import annotations

from module_utils.kube.manifest import Json
from tests.lab.client import ApiError, Client

from .cluster import read
from .llm_services import GATEWAY_API, child

OLD, NEW = "inference.networking.x-k8s.io", "inference.networking.k8s.io"


def route(place: str, name: str = "chat") -> Json:
    return child(GATEWAY_API, "HTTPRoute", f"{name}-kserve-route", place)


def groups(live: Json) -> set[str]:
    """Return the groups under which a route names pools."""
    backends = [each for rule in live["spec"]["rules"] for each in rule["backendRefs"]]
    return {each["group"] for each in backends if each["kind"] == "InferencePool"}


def judge(client: Client, reference: Json) -> None:
    """Say of a route what a gateway says that knows the new group alone, and of the new pool that it is taken."""
    live = read(client, reference)
    if live is None:
        return
    resolved = OLD not in groups(live)
    said = {"Accepted": ("True", "Accepted")}
    said["ResolvedRefs"] = ("True", "ResolvedRefs") if resolved else ("False", "InvalidKind")
    answer(client, live, live["spec"]["parentRefs"][0], said)
    name = reference["metadata"]["name"].removesuffix("-kserve-route")
    pool = child(
        f"{NEW}/v1", "InferencePool", f"{name}-inference-pool", reference["metadata"]["namespace"]
    )
    if resolved and (there_now := read(client, pool)) is not None:
        answer(client, there_now, live["spec"]["parentRefs"][0], {"Accepted": ("True", "Accepted")})


def answer(client: Client, live: Json, parent: Json, said: dict[str, tuple[str, str]]) -> None:
    """Write the conditions of a parent, unless they are there; the object may have been changed or removed meanwhile."""
    generation = live["metadata"]["generation"]
    conditions = [
        {
            "type": kind,
            "status": status,
            "reason": reason,
            "message": "said by the test",
            "observedGeneration": generation,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for kind, (status, reason) in said.items()
    ]
    parents = [
        {"controllerName": "lab.modelops.io/new", "parentRef": parent, "conditions": conditions}
    ]
    if (live.get("status") or {}).get("parents") != parents:
        try:
            client.patch_status(live, {"parents": parents})
        except ApiError as error:
            if error.code not in (404, 409):
                raise
