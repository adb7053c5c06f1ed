# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole services: the author's text is spoilt, compiled, and its objects are judged by both."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from module_utils.fleet.service import Service
from module_utils.kinds.registry import KINDS
from module_utils.kube.core_schema import ENV_VAR, TOLERATION
from module_utils.kube.problem import InputError
from module_utils.kube.reader import GivenObjects
from module_utils.kube.release import ChosenRelease
from module_utils.kube.route_schema import http_route_spec
from module_utils.kube.schema import ListOf, MapOf, Schema, Text
from module_utils.kube.validation.object_schema import TYPES
from tests.lab.client import Client

from .bases import KINDS as JUDGED
from .judge import Case, pod_refusal, refusal
from .spoil import Spoiler

Json = dict[str, Any]
EXAMPLES = Path(__file__).parents[3] / "examples"
_TEXTS = MapOf(values=Text())
_TOLERATIONS, _ENV = ListOf(items=TOLERATION), ListOf(items=ENV_VAR)
_POD, _RESOURCES = TYPES["PodSpec"], TYPES["ResourceRequirements"]
#: Where authors of each kind write parts of pods and routes.
PARTS: dict[str, dict[str, Schema]] = {
    "ModelService": {
        "engine.image": Text(),
        "engine.imagePullPolicy": Text(enum=("Always", "IfNotPresent", "Never")),
        "engine.env": _ENV,
        "decode.resources": _RESOURCES,
        "decode.nodeSelector": _TEXTS,
        "decode.tolerations": _TOLERATIONS,
        "decode.annotations": _TEXTS,
        "httpRoute.hostnames": ListOf(items=Text()),
    },
    "LLMInferenceService": {
        "template": _POD,
        "prefill.template": _POD,
        "router.scheduler.template": _POD,
        "router.route.http.spec": http_route_spec(),
    },
    "InferenceService": {
        "predictor": _POD,
        "predictor.model": TYPES["Container"],
        "predictor.containers": ListOf(items=TYPES["Container"], keys=("name",)),
    },
}
_RUNTIME: Json = {
    "apiVersion": "serving.kserve.io/v1alpha1",
    "kind": "ClusterServingRuntime",
    "metadata": {"name": "sklearn"},
    "spec": {
        "supportedModelFormats": [{"name": "sklearn", "autoSelect": True}],
        "containers": [
            {
                "name": "kserve-container",
                "image": "sklearn:1",
                "args": ["--a"],
                "ports": [{"containerPort": 8080}],
            }
        ],
    },
}
_OWN: Json = {
    "apiVersion": "serving.kserve.io/v1beta1",
    "kind": "InferenceService",
    "metadata": {"name": "own", "namespace": "team-a"},
    "spec": {"predictor": {"containers": [{"name": "kserve-container", "image": "a:1"}]}},
}


@cache
def documents() -> tuple[Json, ...]:
    """Return the services that are spoilt."""
    files = [
        *sorted((EXAMPLES / "services").glob("*.yaml")),
        *sorted((EXAMPLES / "llm_inference_services").glob("*.yaml")),
        *sorted((EXAMPLES / "inference_services").glob("*.yaml")),
    ]
    found = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files]
    of_kserve = [each for each in found if each["kind"] != "ModelService"]
    return (*found, *of_kserve * 2, *(_OWN for dummy in range(4)))


def judged_service(client: Client, namespace: str, seed: int) -> Case | None:
    """Return what both say of the objects of a spoilt service; None for one that is refused before it has any."""
    chance = Random(seed)
    document = copy.deepcopy(chance.choice(documents()))
    _spoil(document, chance)
    kind = {each.kind: each for each in KINDS.values()}[document["kind"]]
    settings = kind.settings({}, {})
    document["metadata"].setdefault("namespace", "team-a")
    loaded = kind.load(document, settings)
    if loaded.service is None or any(each.severity == "error" for each in loaded.problems):
        return None
    release = ChosenRelease(settings.release, "default", "")
    reference = loaded.service.reference
    service = Service("a service", kind, reference, loaded.service, settings, release)
    try:
        intent = service.compile(GivenObjects([_RUNTIME]))
    except InputError:
        return None
    manifests = [child.manifest.to_dict() for child in intent.children]
    ours = "; ".join(map(str, service.api_problems(intent.basis, manifests, manifests)))
    judged = list(_judged(manifests))
    theirs = _first(refusal(client, namespace, each) for each in judged)
    if ours and not theirs:
        theirs = _first(pod_refusal(client, namespace, each) for each in judged)
    return Case(seed, document, ours, theirs)


def _judged(manifests: Sequence[Json]) -> Iterator[Json]:
    for manifest in manifests:
        group = manifest["apiVersion"].rpartition("/")[0]
        if (group, manifest["kind"]) in JUDGED:
            yield manifest


def _first(told: Iterator[str]) -> str:
    return next((each for each in told if each), "")


def _spoil(document: Json, chance: Random) -> None:
    spoiler = Spoiler(chance)
    for dummy in range(chance.choice((1, 1, 2))):
        path, schema = chance.choice(list(PARTS[document["kind"]].items()))
        *way, last = path.split(".")
        part = document["spec"]
        for step in way:
            part = part.setdefault(step, {})
            if not isinstance(part, dict):
                return
        own = part.get(last)
        changed = spoiler.changed(own, schema) if own is not None else spoiler.made(schema)
        part[last] = changed
