# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that are tried: the children of real services, and one object of each kind that uses much of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from module_utils.engine import PREFIX
from module_utils.engine.desired import Desired, desired, marked
from module_utils.engine.owner_object import custom_resource
from module_utils.fleet.compile import compile_fleet, paired
from module_utils.fleet.load import load_fleet
from module_utils.fleet.settings import Settings
from module_utils.kinds.model_service.kind import MODEL_SERVICE
from module_utils.kube.canonical import canonical_json, digest
from module_utils.kube.intent import Stage
from module_utils.kube.reader import GivenObjects
from module_utils.kube.reference import Reference
from module_utils.task.manifest_loader import given
from tests.cluster.support.services import full, small

from .kinds import OBJECTS

Json = dict[str, Any]
EXAMPLES = Path(__file__).parents[2] / "examples" / "services"


def parent_of(namespace: str) -> Reference:
    """Return the owner of all objects in a namespace."""
    return Reference("v1", "ConfigMap", namespace, "parent")


def wanted(manifest: Json, namespace: str, name: str, unclaimed: Json | None = None) -> Desired:
    """Return an object to apply under another name, owned by the namespace's parent."""
    parent = parent_of(namespace)
    service = Reference(MODEL_SERVICE.api_version, MODEL_SERVICE.kind, namespace, "parent")
    clustered = "namespace" not in manifest["metadata"]
    place = {} if clustered else {"namespace": namespace}
    moved = {**manifest, "metadata": {**manifest["metadata"], "name": name, **place}}
    body = canonical_json(marked(moved, service, "fuzz"))
    return Desired(
        reference=Reference.of(moved),
        service=service,
        stage=Stage.WORKLOAD,
        body=body,
        digest=digest(body),
        unclaimed=unclaimed or {},
        parent=None if clustered else parent,
    )


@cache
def subjects() -> tuple[tuple[str, Json, Json], ...]:
    """Return what can be tried: a name, a manifest, and the fields that nobody claims with their values at first."""
    return (*_compiled(), *((f"rich {each['kind']}", each, {}) for each in OBJECTS))


def _compiled() -> Iterator[tuple[str, Json, Json]]:
    documents = [full("chat", "any"), small("small", "any")]
    documents += [yaml.safe_load(path.read_text()) for path in sorted(EXAMPLES.glob("*.yaml"))]
    services, _none = load_fleet(
        given("services", documents), Settings({}, {}), "any", skip_invalid=False
    )
    compiled, _left_out = compile_fleet(services, GivenObjects(), paired)
    for service, intent in compiled:
        parent = custom_resource(intent.parent, "fuzz")
        yield from _subject(service.reference.name, parent)
        for child in intent.children:
            made = desired(child, service.reference, "fuzz")
            yield from _subject(service.reference.name, made)


def _subject(service: str, made: Desired) -> Iterator[tuple[str, Json, Json]]:
    manifest = replace(made, parent=None).manifest("")
    annotations = manifest["metadata"]["annotations"]
    for key in [key for key in annotations if key.startswith(PREFIX)]:
        del annotations[key]
    if made.reference.kind == "Deployment":
        # No pods, and no ReplicaSets that a controller would make.
        manifest["spec"]["paused"] = True
        if "replicas" in manifest["spec"]:
            manifest["spec"]["replicas"] = 0
    yield f"{service} {made.reference.kind}", manifest, dict(made.unclaimed)
