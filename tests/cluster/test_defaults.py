# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of what API servers fill into atomic values: beside the CRDs, and beside what the API server does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from module_utils.engine.defaults import defaults_of
from module_utils.kinds.model_service.kind import MODEL_SERVICE
from module_utils.kube.manifest import Json
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.crd_sources import MODEL_SERVICE as BUNDLES

from .support.services import reference

Place = tuple[str, str]
ATOMIC = "atomic"

CRDS = {each["spec"]["names"]["kind"]: each for each in crds.load(*BUNDLES)}
KINDS = [(api_version, kind) for api_version, kind in MODEL_SERVICE.child_kinds if kind in CRDS]


def declared(schema: Json, name: str = "", *, atomic: bool = False) -> Iterator[tuple[Place, Any]]:
    """Yield the defaults that a schema has within atomic values, by the name of what holds the field."""
    for field, below in (schema.get("properties") or {}).items():
        if atomic and "default" in below:
            yield (name, field), below["default"]
        is_list = below.get("type") == "array"
        kept_whole = below.get(f"x-kubernetes-{'list' if is_list else 'map'}-type")
        inside = atomic or kept_whole == ATOMIC or (is_list and kept_whole is None)
        yield from declared(below["items"] if is_list else below, field, atomic=inside)


@pytest.mark.parametrize(("api_version", "kind"), KINDS, ids=[kind for dummy, kind in KINDS])
def test_table_holds_exactly_the_defaults_of_the_crd(api_version: str, kind: str) -> None:
    version = next(
        each
        for each in CRDS[kind]["spec"]["versions"]
        if each["name"] == api_version.partition("/")[2]
    )
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    found = dict(declared({"properties": {"spec": spec}}))
    # A kind without an entry gets that of pods, which no field of these kinds has the names of.
    table = defaults_of(kind) if defaults_of(kind) is not defaults_of("Deployment") else {}
    assert found == table


def additions(sent: Any, made: Any, name: str = "") -> Iterator[tuple[Place, Any]]:
    """Yield what the server added to what was sent, by the name of what holds it."""
    if isinstance(sent, list) and isinstance(made, list):
        for one, other in zip(sent, made, strict=True):
            yield from additions(one, other, name)
    elif isinstance(sent, dict) and isinstance(made, dict):
        for field, value in made.items():
            if field in sent:
                yield from additions(sent[field], value, field)
            else:
                yield (name, field), value


def pods(namespace: str) -> Json:
    """Return a Deployment whose pods refer to fields, resources and tokens."""
    env = [
        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
    ]
    sources = [{"serviceAccountToken": {"path": "token"}}]
    labels = {"app": "pods"}
    pod = {
        "containers": [{"name": "main", "image": "registry.example.com/main:1", "env": env}],
        "volumes": [{"name": "token", "projected": {"sources": sources}}],
    }
    return {
        **reference("apps/v1", "Deployment", "pods", namespace),
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def binding(namespace: str) -> Json:
    """Return a RoleBinding that names no API groups."""
    return {
        **reference("rbac.authorization.k8s.io/v1", "RoleBinding", "users", namespace),
        "roleRef": {"kind": "Role", "name": "reader"},
        "subjects": [{"kind": "User", "name": "somebody"}],
    }


def claims(namespace: str) -> Json:
    """Return a StatefulSet with a claim, and the pods of `pods`."""
    template = pods(namespace)["spec"]
    request = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claim = {"metadata": {"name": "models"}, "spec": request}
    return {
        **reference("apps/v1", "StatefulSet", "claims", namespace),
        "spec": {
            "selector": template["selector"],
            "serviceName": "claims",
            "template": template["template"],
            "volumeClaimTemplates": [claim],
        },
    }


@pytest.mark.parametrize("make", [pods, binding, claims])
def test_server_adds_everything_that_the_table_holds(
    client: Client, namespace: str, make: Callable[[str], Json]
) -> None:
    manifest = make(namespace)
    added = dict(additions(manifest, client.create(manifest, dryRun="All")))
    table = defaults_of(manifest["kind"])
    assert {place: added.get(place) for place in table} == table
