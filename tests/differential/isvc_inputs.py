# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceServices at random, and the objects around them. The same seed gives the same services."""

from __future__ import annotations

import copy
import random
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe

from .batch import Case
from .isvc_fields import (
    ANNOTATIONS,
    CONFIDENTIAL,
    CONTAINER,
    EXTENSION,
    FORMATS,
    LABELS,
    LATER_URIS,
    MODEL,
    POD,
    RUNTIMES,
    URIS,
    autoscaling,
    secrets,
)

Json = dict[str, Any]
#: Fields of a predictor that canaries have of it in another way than KServe's.
_OTHERWISE = frozenset({"logger", "batcher", "storageUris", "deploymentStrategy"})


def cases(seed: int, release: KServe, count: int) -> list[Case]:
    """Return services of a seed."""
    made = Generator(seed, release)
    return [made.case() for dummy in range(count)]


class Generator:
    """Makes the cases of one seed."""

    def __init__(self, seed: int, release: KServe) -> None:
        self._chance = random.Random(f"{seed} inference services")
        # Canaries came later: what a seed makes beside them stays.
        self._of_canaries = random.Random(f"{seed} canaries")
        self._seed, self._release, self._number = seed, release, 0
        self._wild = 0.3

    def _maybe(self, probability: float) -> bool:
        return self._chance.random() < probability * (0.4 + self._wild)

    def case(self) -> Case:
        """Return the next case."""
        chance = self._chance
        self._number += 1
        # A case has few features, so that its difference is easy to read.
        self._wild = chance.choice((0.0, 0.0, 0.2, 0.5))
        namespace = f"i{self._seed}-{self._number}"
        context: list[Json] = []
        spec: Json = {"predictor": self._predictor()}
        if self._maybe(0.3):
            spec["transformer"] = self._custom("transformer")
        if self._maybe(0.15):
            spec["explainer"] = self._explainer()
        metadata: Json = {"name": self._name(), "namespace": namespace}
        if self._maybe(0.4):
            metadata["labels"] = dict(chance.sample(LABELS, chance.randint(1, 3)))
        if self._maybe(0.6):
            metadata["annotations"] = dict(chance.sample(ANNOTATIONS, chance.randint(1, 3)))
        if spec["predictor"].get("workerSpec") is not None and chance.random() < 0.8:
            notes = metadata.setdefault("annotations", {})
            notes["serving.kserve.io/autoscalerClass"] = "none"
        if self._maybe(0.4):
            context += secrets(chance, spec, namespace)
        if self._maybe(0.1):
            context.append(self._runtime(namespace))
        if self._release >= KServe.V0_20:
            self._add_later(spec["predictor"], context)
            self._add_canaries(spec, metadata)
        document = {
            "apiVersion": "serving.kserve.io/v1beta1",
            "kind": "InferenceService",
            "metadata": metadata,
            "spec": spec,
        }
        return Case(namespace, document, context, account=True, mood=chance.randint(0, 9))

    def _name(self) -> str:
        chance = self._chance
        if chance.random() < 0.85:
            return chance.choice(("demo", "a", "my-model"))
        length = chance.choice((20, 35, 40, 43, 44, 45, 46, 50, 53, 54, 55, 58, 63))
        return "m" + "".join(chance.choice("abcxyz019") for dummy in range(length - 1))

    def _predictor(self) -> Json:
        chance = self._chance
        form = chance.random()
        if form < 0.5:
            found: Json = {"model": self._model()}
        elif form < 0.75:
            field = chance.choice(FORMATS[:9])
            found = {field: self._implementation()}
        else:
            found = self._custom("kserve-container")
        if self._maybe(0.12) and "containers" not in found:
            found["containers"] = [
                self._container(chance.choice(("sidecar", "transformer-container")))
            ]
        if self._maybe(0.15):
            found["workerSpec"] = self._workers()
        self._component(found)
        if self._maybe(0.08) and "model" in found:
            found["model"].pop("storageUri", None)
            found["storageUris"] = [
                {"uri": chance.choice(URIS), **self._mount(number)}
                for number in range(chance.randint(1, 2))
            ]
        return found

    def _mount(self, number: int) -> Json:
        chance = self._chance
        path = chance.choice((f"/mnt/models/{number}", f"/mnt/models{number}", "/mnt/models"))
        return {"mountPath": path} if chance.random() < 0.8 else {}

    def _model(self) -> Json:
        chance = self._chance
        found = self._implementation()
        found["modelFormat"] = {"name": chance.choice(FORMATS)}
        if self._maybe(0.2):
            found["modelFormat"]["version"] = chance.choice(("1", "2", "0"))
        if self._maybe(0.25):
            found["runtime"] = chance.choice(RUNTIMES)
        return found

    def _implementation(self) -> Json:
        chance = self._chance
        found: Json = {}
        if chance.random() < 0.9:
            found["storageUri"] = chance.choice(URIS)
        for key, value in chance.sample(MODEL, chance.choice((0, 0, 1, 2))):
            found[key] = copy.deepcopy(value)
        if self._wild:
            found |= self._some(CONTAINER, 3)
        return found

    def _some(self, options: tuple[tuple[str, Any], ...], most: int) -> Json:
        chosen = self._chance.sample(options, self._chance.randint(0, most))
        return {key: copy.deepcopy(value) for key, value in chosen}

    def _container(self, name: str) -> Json:
        found = {"name": name, "image": "registry.example.com/team/app:1"}
        return found | self._some(CONTAINER, 3)

    def _custom(self, role: str) -> Json:
        chance = self._chance
        name = "kserve-container" if chance.random() < 0.85 else "app"
        containers = [self._container(name)]
        if self._maybe(0.3):
            containers.append(self._container(chance.choice(("sidecar", "transformer-container"))))
        if chance.random() < 0.4:
            env = containers[0].setdefault("env", [])
            env.append({"name": "STORAGE_URI", "value": chance.choice(URIS)})
        found: Json = {"containers": containers}
        if role == "transformer":
            self._component(found)
        return found

    def _explainer(self) -> Json:
        chance = self._chance
        if chance.random() < 0.5:
            return self._custom("transformer")
        found: Json = {"type": "SquareAttack", "config": {"nb_classes": "10"}}
        if chance.random() < 0.5:
            found["storageUri"] = chance.choice(URIS)
        return {"art": found}

    def _component(self, found: Json) -> None:
        chance = self._chance
        if self._maybe(0.5):
            found |= self._some(POD, 2)
        if self._maybe(0.6):
            found |= self._some(EXTENSION, 3)
        if self._maybe(0.3):
            found |= autoscaling(chance)
        if self._maybe(0.15):
            found["labels"] = dict(chance.sample(LABELS, 1))
        if self._maybe(0.15):
            found["annotations"] = dict(chance.sample(ANNOTATIONS, 1))

    def _add_later(self, predictor: Json, context: list[Json]) -> None:
        """Add fields and words that came with 0.20."""
        chance, model = self._chance, predictor.get("model")
        if self._maybe(0.15):
            predictor["name"] = chance.choice(("blue", "v2", "Blue", "a" * 40))
        if self._maybe(0.15):
            predictor["storageContainerName"] = chance.choice(("default", "gone"))
        if model is not None:
            if self._maybe(0.1):
                model["confidential"] = copy.deepcopy(chance.choice(CONFIDENTIAL))
            if model.get("storageUri") and self._maybe(0.1):
                model["storageUri"] = chance.choice(LATER_URIS)
        for one in predictor.get("storageUris") or ():
            if self._maybe(0.4):
                one["uri"] = chance.choice(LATER_URIS)
        for one in context:
            if one["kind"] == "ServingRuntime" and chance.random() < 0.7:
                self._serve_vllm(one, model)

    def _add_canaries(self, spec: Json, metadata: Json) -> None:
        """Add canaries to some services whose predictor has none of what KServe makes otherwise of canaries (I124)."""
        chance = self._of_canaries
        fit = "model" in spec["predictor"] and not _OTHERWISE & spec["predictor"].keys()
        if chance.random() > 0.15 or not fit:
            return
        usual, self._chance = self._chance, chance
        if chance.random() < 0.8:
            metadata.setdefault("annotations", {})["serving.kserve.io/deploymentMode"] = "Standard"
        model = spec["predictor"]["model"]
        spec["canary"] = [self._canary(model) for dummy in range(chance.choice((1, 1, 2)))]
        self._chance = usual

    def _canary(self, model: Json) -> Json:
        """Return a canary of the same runtime, since 0.20.0 takes that of the predictor (I123)."""
        chance = self._chance
        own = copy.deepcopy(model) | {"storageUri": chance.choice(URIS)} | self._some(CONTAINER, 1)
        name = chance.choice(("green", "red", "v3", "blue"))
        predictor: Json = {"name": name, "model": own} | self._some(POD, 1)
        if chance.random() < 0.2:
            predictor["minReplicas"] = chance.choice((0, 1, 2))
        if chance.random() < 0.1:
            predictor |= chance.choice(
                ({"maxReplicas": 2}, {"scaleTarget": 50}, {"workerSpec": {}})
            )
        return {"predictor": predictor, "trafficPercent": chance.choice((0, 10, 33, 60))}

    def _serve_vllm(self, runtime: Json, model: Json | None) -> None:
        """Make a runtime one of vLLM, by its name or by its annotation, and let the model be of that format."""
        chance = self._chance
        if chance.random() < 0.5:
            runtime["metadata"]["name"] = "kserve-vllmserver"
        else:
            kind = chance.choice(("vllmserver", "huggingfaceserver", "sklearnserver", "odd"))
            runtime["metadata"]["annotations"] = {"serving.kserve.io/server-type": kind}
        runtime["spec"]["supportedModelFormats"][0]["name"] = "vLLM"
        if model is not None:
            model["modelFormat"] = {"name": "vLLM"}

    def _workers(self) -> Json:
        chance = self._chance
        found: Json = {}
        if chance.random() < 0.6:
            found["pipelineParallelSize"] = chance.choice((1, 2, 3))
        if chance.random() < 0.6:
            found["tensorParallelSize"] = chance.choice((1, 2, 4))
        if chance.random() < 0.5:
            found["containers"] = [self._container("worker-container")]
        return found

    def _runtime(self, namespace: str) -> Json:
        chance = self._chance
        return {
            "apiVersion": "serving.kserve.io/v1alpha1",
            "kind": "ServingRuntime",
            "metadata": {
                "name": chance.choice(("own", "kserve-sklearnserver")),
                "namespace": namespace,
            },
            "spec": {
                "supportedModelFormats": [
                    {
                        "name": chance.choice(FORMATS),
                        "version": "1",
                        "autoSelect": True,
                        "priority": 2,
                    }
                ],
                "protocolVersions": chance.choice((["v1"], ["v2", "grpc-v2"])),
                "containers": [
                    {
                        "name": "kserve-container",
                        "image": "registry.example.com/own/server:1",
                        "args": ["--model_name={{.Name}}", "--model_dir=/mnt/models"],
                        **self._some(CONTAINER, 2),
                    }
                ],
            },
        }
