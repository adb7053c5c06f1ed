# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that somebody else replaces behind our back, with and without a trace in their records of ownership."""

from __future__ import annotations

from typing import Any

from module_utils.kube.manifest import Json
from tests.lab.client import Client, wait_until
from tests.objects import thing

from .cluster import there
from .engine import Engine

OURS = "modelops.inference"
CONTAINER: Json = {"name": "main", "image": "registry.example.com/main:1.0"}


def pods(container: Json | None = None, **spec: Any) -> Json:
    """Return what is in a Deployment of no pods. container: what its container has beside name and image."""
    template = {
        "metadata": {"labels": {"app": "x"}},
        "spec": {"containers": [{**CONTAINER, **(container or {})}]},
    }
    selector = {"matchLabels": {"app": "x"}}
    return {
        "spec": {"replicas": 0, "paused": True, "selector": selector, "template": template, **spec}
    }


def route(**spec: Any) -> Json:
    """Return what is in an HTTPRoute."""
    rules = [{"backendRefs": [{"name": "a", "port": 80, "weight": 5}]}]
    return {"spec": {"parentRefs": [{"name": "edge"}], "rules": rules, **spec}}


DEPLOYMENT = ("apps/v1", "Deployment")
ROUTE = ("gateway.networking.k8s.io/v1", "HTTPRoute")


def live(client: Client, made: Engine, kind: tuple[str, str]) -> Json:
    """Return the object as it is."""
    return there(
        client,
        thing(kind[0], kind[1], "x", made.namespace),
    )


def replace(client: Client, changed: Json, manager: str = "kubectl-replace") -> Json:
    """Replace an object as somebody else, whatever a controller writes meanwhile."""
    meta = changed["metadata"]
    path = client.path(changed["apiVersion"], changed["kind"], meta["namespace"], meta["name"])

    def put() -> tuple[bool, Json]:
        meta["resourceVersion"] = there(client, changed)["metadata"]["resourceVersion"]
        answer: Json = client.request(
            "PUT", path, query={"fieldManager": manager}, body=changed, accept=(409,)
        )
        return answer["kind"] != "Status", answer

    replaced: Json = wait_until(put, f"{path} to be replaced")
    return replaced


def replace_without_trace(client: Client, changed: Json) -> None:
    """Replace an object as admission does: nobody is recorded for the change."""
    records = changed["metadata"]["managedFields"]
    stored = replace(client, changed)
    stored["metadata"]["managedFields"] = records
    replace(client, stored)


def ours(found: Json) -> Json:
    """Return our record of what we own."""
    entry: Json = next(
        each for each in found["metadata"]["managedFields"] if each["manager"] == OURS
    )
    return entry
