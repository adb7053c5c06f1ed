# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceGraphs at random, and the services that their steps lead to. The same seed gives the same graphs."""

from __future__ import annotations

import copy
import random
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe

from . import isvc_inputs
from .admission import ODD_NAMES, spoilt
from .batch import Case
from .isvc_fields import ANNOTATIONS, LABELS

Json = dict[str, Any]

_KEY = "serving.kserve.io"
_SERVICES = ("a", "b", "my-model")
_NODES = ("first", "second", "größe", "B")
_KINDS = ("Sequence", "Splitter", "Ensemble", "Switch")
_URLS = (
    "http://example.com",
    "https://user@example.com:8443/v1/models/x:predict?a=b&c=<d>",
    "http://a-predictor",
    "tcp://x",
    "no address",
)
_STEP: tuple[tuple[str, Any], ...] = (
    ("name", "one"),
    ("name", "two"),
    ("name", "größe"),
    ("data", "$response"),
    ("data", "$request"),
    ("data", "x"),
    ("mapPredictionsToInstances", True),
    ("mapPredictionsToInstances", False),
    ("condition", '[@this].#(target=="cat")'),
    ("condition", "a.b > 1 && c"),
    ("dependency", "Hard"),
    ("dependency", "Soft"),
    ("weight", 30),
    ("weight", 0),
)
_TERM = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z1"]}]}
_SPEC: tuple[tuple[str, Any], ...] = (
    ("resources", {}),
    ("resources", {"limits": {"cpu": "2", "memory": "0.5Gi"}, "requests": {"cpu": "1000m"}}),
    ("resources", {"requests": {"cpu": 1}}),
    ("resources", {"limits": {"example.com/gpu": 1}}),
    (
        "affinity",
        {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [_TERM]}
            }
        },
    ),
    ("affinity", {}),
    ("timeout", 30),
    ("timeout", 0),
    ("routerTimeouts", {"serverRead": 5, "serviceClient": 0}),
    ("routerTimeouts", {"serverWrite": 5, "serverIdle": 7}),
    ("routerTimeouts", {}),
    ("minReplicas", 0),
    ("minReplicas", 1),
    ("minReplicas", 3),
    ("minReplicas", -1),
    ("maxReplicas", 0),
    ("maxReplicas", 2),
    ("maxReplicas", 5),
    ("maxReplicas", -1),
    ("scaleTarget", 60),
    ("scaleTarget", 0),
    ("scaleTarget", 150),
    ("scaleMetric", "cpu"),
    ("scaleMetric", "memory"),
    ("scaleMetric", "rps"),
    ("scaleMetric", "concurrency"),
    ("tolerations", [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}]),
    ("tolerations", [{"key": "gpu", "value": "x", "tolerationSeconds": 5, "effect": "NoExecute"}]),
    ("nodeSelector", {"zone": "z1"}),
    ("nodeName", "node-1"),
    ("serviceAccountName", "runner"),
)
_MODES = ("Standard", "RawDeployment", *("Knative", "Serverless") * 3, "ModelMesh", "odd")
_CLASSES = ("hpa", "none", "external", "keda", "odd")


def cases(seed: int, release: KServe, count: int) -> list[Case]:
    """Return graphs of a seed."""
    made = Generator(seed, release)
    return [made.case() for dummy in range(count)]


class Generator:
    """Makes the cases of one seed. wild: how often something is as nobody would write it."""

    def __init__(self, seed: int, release: KServe, wild: float = 0.1) -> None:
        self._chance = random.Random(f"{seed} inference graphs")
        self._services = isvc_inputs.Generator(seed, release)
        self._seed, self._number, self._wild = seed, 0, wild
        self._there: list[str] = []

    def case(self) -> Case:
        """Return the next case."""
        chance = self._chance
        self._number += 1
        namespace = f"g{self._seed}-{self._number}"
        context: list[Json] = []
        self._there = chance.sample(_SERVICES, chance.randint(1, len(_SERVICES)))
        for name in self._there:
            context += self._service(name, namespace)
        metadata: Json = {"name": self._name(), "namespace": namespace}
        if chance.random() < 0.3:
            metadata["labels"] = dict(chance.sample(LABELS, chance.randint(1, 2)))
        notes = self._annotations()
        if notes:
            metadata["annotations"] = notes
        document = {
            "apiVersion": f"{_KEY}/v1alpha1",
            "kind": "InferenceGraph",
            "metadata": metadata,
            "spec": {"nodes": self._nodes(), **self._some(_SPEC, chance.choice((0, 0, 1, 2, 4)))},
        }
        return Case(namespace, document, context, mood=chance.randint(0, 9))

    def _name(self) -> str:
        chance = self._chance
        if chance.random() < 0.85:
            return chance.choice(("chain", "g", "my-graph"))
        length = chance.choice((20, 40, 50, 57, 58, 59, 63))
        return "g" + "".join(chance.choice("abcxyz019") for dummy in range(length - 1))

    def _annotations(self) -> Json:
        chance = self._chance
        found: Json = {}
        if chance.random() < 0.2:
            plain = [one for one in ANNOTATIONS if "deploymentMode" not in one[0]]
            found |= dict(chance.sample(plain, chance.randint(1, 2)))
        if chance.random() < 0.3:
            found[f"{_KEY}/deploymentMode"] = chance.choice(_MODES)
        if chance.random() < 0.2:
            found[f"{_KEY}/autoscalerClass"] = chance.choice(_CLASSES)
        if chance.random() < 0.06:
            found[f"{_KEY}/stop"] = chance.choice(("true", "True", "false"))
        return found

    def _nodes(self) -> Json:
        chance = self._chance
        others = chance.sample(_NODES, chance.choice((0, 0, 1, 2)))
        named = [*others, "root"] if chance.random() < 0.5 else ["root", *others]
        return {name: self._node(others) for name in named}

    def _node(self, others: list[str]) -> Json:
        chance = self._chance
        kind = chance.choice(_KINDS)
        steps = [self._step(others) for dummy in range(chance.choice((0, 1, 1, 2, 3)))]
        if kind == "Splitter":
            self._share(steps)
        used: set[str] = set()
        for one in steps:
            if one.get("name") in used and chance.random() > self._wild:
                del one["name"]
            used.add(one.get("name", ""))
        if not steps and chance.random() < 0.5 and kind != "Splitter":
            return {"routerType": kind}
        return {"routerType": kind, "steps": steps}

    def _share(self, steps: list[Json]) -> None:
        """Give the steps of a Splitter weights that are 100 together, mostly."""
        chance, left = self._chance, 100
        if not steps:
            steps.append({"serviceName": chance.choice(self._there)})
        if chance.random() < self._wild:
            return
        for one in steps[:-1]:
            one["weight"] = chance.randint(0, left)
            left -= one["weight"]
        steps[-1]["weight"] = left

    def _step(self, others: list[str]) -> Json:
        chance = self._chance
        found = self._some(_STEP, chance.choice((0, 0, 1, 3)))
        where = chance.random()
        if where < 0.55:
            gone = chance.random() < self._wild / 3
            found["serviceName"] = "gone" if gone else chance.choice(self._there)
        elif where < 0.8:
            found["serviceUrl"] = chance.choice(_URLS)
        else:
            found["nodeName"] = chance.choice([*others, "root", "nowhere"])
        if chance.random() < self._wild / 3:
            found["nodeName"] = "root"
        return found

    def _some(self, options: tuple[tuple[str, Any], ...], count: int) -> Json:
        return {key: copy.deepcopy(value) for key, value in self._chance.sample(options, count)}

    def _service(self, name: str, namespace: str) -> list[Json]:
        """Return a service that reports an address, with a runtime of its own; its controller leaves it alone."""
        chance = self._chance
        made = self._services.case()
        address = chance.choice(
            (
                f"http://{name}-predictor.{namespace}.svc.cluster.local",
                f"http://{name}.{namespace}.svc.cluster.local",
                f"https://example.com/serve/{namespace}/{name}",
                f"http://{name}-predictor.{namespace}.svc.cluster.local:8080",
            )
        )
        notes = {
            f"{_KEY}/deploymentMode": "Standard",
            f"{_KEY}/disable-auto-update": "true",
            f"{_KEY}/autoscalerClass": "none",
        }
        service = {
            **made.document,
            "metadata": {"name": name, "namespace": namespace, "annotations": notes},
            "status": {
                "address": {"url": address},
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        }
        runtimes = [one for one in made.context if one["kind"] == "ServingRuntime"]
        moved = [
            {**one, "metadata": {**one["metadata"], "namespace": namespace}} for one in runtimes
        ]
        return [*moved, service]


def requests(seed: int, count: int, release: KServe) -> list[Json]:
    """Return custom resources with a field or a few that are spoilt."""
    chance = random.Random(f"admission of inference graphs {seed}")
    made = Generator(seed, release, wild=0.3)
    documents = [made.case().document for dummy in range(count)]
    for document in documents:
        if chance.random() < 0.1:
            document["metadata"]["name"] = chance.choice(ODD_NAMES)
    return [spoilt(document, chance) for document in documents]
