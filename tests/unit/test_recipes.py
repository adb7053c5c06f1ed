# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each recipe of docs/recipes.md does what its heading says: its blocks are rendered as they are on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from module_utils.modules import llmisvc_reconcile as entry
from tests.tools.recipes import MODULE, Recipe, recipes
from tests.tools.tree import CHECKOUT

Json = dict[str, Any]
GATEWAYS = CHECKOUT / "examples" / "cluster"
#: Told of every LLMInferenceService that is rendered, and of every ModelService.
ALWAYS = {"certificate-left-out", "request-header"}


class Rendered:
    """The objects of a recipe, with those that it brings itself."""

    def __init__(self, recipe: Recipe) -> None:
        defaults = {name: option.get("default") for name, option in entry.ARGUMENT_SPEC.items()}
        params = {
            **defaults,
            "state": "rendered",
            "services": recipe.services,
            "cluster_objects": [*recipe.others, *map(str, sorted(GATEWAYS.glob("*.yaml")))],
            "settings": {**INTRODUCTION.settings, **recipe.settings},
            "releases": recipe.releases,
        }
        result = entry.run(params, check_mode=False, diff=False, environment={}, progress=print)
        self.objects = {
            f"{each['kind']}/{each['metadata']['namespace']}/{each['metadata']['name']}": each
            for each in [*recipe.others, *result["manifests"]]
            # Routes lead to pools of the new group.
            if "namespace" in each["metadata"]
            and "inference.networking.x-k8s.io" not in each["apiVersion"]
        }
        self.rules = {
            problem["rule"] for each in result["services"] for problem in each["problems"]
        } - ALWAYS

    def pod(self, deployment: str) -> Json:
        found: Json = self.objects[f"Deployment/{deployment}"]["spec"]["template"]["spec"]
        return found

    def engine(self, deployment: str) -> Json:
        return next(each for each in self.pod(deployment)["containers"] if each["name"] == "main")

    def fetcher(self, deployment: str) -> Json:
        found = self.pod(deployment)["initContainers"]
        return next(each for each in found if each["name"] == "storage-initializer")


RECIPES = {**recipes()}
INTRODUCTION = RECIPES.pop("")


def _token_is_read(made: Rendered) -> bool:
    source = {"secretKeyRef": {"key": "HF_TOKEN", "name": "hugging-face"}}
    variables = made.fetcher("team-a/chat-kserve")["env"]
    return {"name": "HF_TOKEN", "valueFrom": source} in variables and not any(
        each["name"] == "HF_TOKEN" for each in made.engine("team-a/chat-kserve")["env"]
    )


def _bucket_is_read(made: Rendered) -> bool:
    variables = {
        each["name"]: each for each in made.fetcher("team-a/summarizer-kserve").get("env", [])
    }
    key = variables["AWS_ACCESS_KEY_ID"]["valueFrom"]["secretKeyRef"]["name"]
    return key == "bucket" and variables["AWS_ENDPOINT_URL"]["value"].endswith(
        "minio.example.com:9000"
    )


def _claim_is_mounted(made: Rendered) -> bool:
    pod = made.pod("team-a/analyst-kserve")
    mounts = {each["name"]: each for each in made.engine("team-a/analyst-kserve")["volumeMounts"]}
    (claim,) = (each for each in pod["volumes"] if "persistentVolumeClaim" in each)
    mount = mounts[claim["name"]]
    return (
        claim["persistentVolumeClaim"]["claimName"] == "models"
        and mount["subPath"] == "analyst-32b"
        and mount["readOnly"]
        and "initContainers" not in pod
    )


def _images_are_pulled(made: Rendered) -> bool:
    coder, tutor = made.pod("team-a/coder-kserve"), made.pod("team-a/tutor-decode")
    images = {each["image"] for each in [*coder["containers"], *coder.get("initContainers", [])]}
    login = [{"name": "registry-login"}]
    return (
        "registry.example.com/models/coder-7b:1.0" in images
        and coder["imagePullSecrets"] == tutor["imagePullSecrets"] == login
    )


def _has(*names: str) -> Callable[[Rendered], bool]:
    return lambda made: set(names) <= made.objects.keys()


def _has_no_replicas(made: Rendered) -> bool:
    target = made.objects["HorizontalPodAutoscaler/team-a/tutor"]["spec"]["scaleTargetRef"]
    scaled = made.objects["HorizontalPodAutoscaler/team-a/iris-predictor"]["spec"]
    return (
        f"Deployment/team-a/{target['name']}" in made.objects
        and (scaled["minReplicas"], scaled["maxReplicas"]) == (1, 4)
        and scaled["metrics"][0]["resource"]["target"]["averageUtilization"] == 70
    )


def _route_splits(made: Rendered) -> bool:
    routes = [key for key in made.objects if key.startswith("HTTPRoute/")]
    (rule,) = made.objects["HTTPRoute/team-a/chat"]["spec"]["rules"]
    pools = [f"InferencePool/team-a/{each['name']}" for each in rule["backendRefs"]]
    return (
        routes == ["HTTPRoute/team-a/chat"]
        and len(set(pools) & made.objects.keys()) == 2
        and sum(each["weight"] for each in rule["backendRefs"]) == 100
        and {each["port"] for each in rule["backendRefs"]}
        == {each["number"] for pool in pools for each in made.objects[pool]["spec"]["targetPorts"]}
    )


def _adapters_are_served(made: Rendered) -> bool:
    words = " ".join(map(str, made.engine("team-a/chat-kserve").get("args", [])))
    words += " ".join(map(str, made.engine("team-a/chat-kserve").get("command", [])))
    variables = str(made.engine("team-a/chat-kserve").get("env"))
    return all(name in words + variables for name in ("legal", "medical", "lora"))


def _hosts_differ(made: Rendered) -> bool:
    routes = [each["spec"] for key, each in made.objects.items() if key.startswith("HTTPRoute/")]
    return len(routes) == 2 and routes[0]["hostnames"] != routes[1]["hostnames"]


def _slice_is_asked_for(made: Rendered) -> bool:
    limits = made.engine("team-a/classifier-kserve")["resources"]["limits"]
    return limits == {"nvidia.com/mig-1g.10gb": "1"}


def _claim_is_asked_for(made: Rendered) -> bool:
    pod, engine = made.pod("team-a/analyst-kserve"), made.engine("team-a/analyst-kserve")
    (claim,) = pod["resourceClaims"]
    template = f"ResourceClaimTemplate/team-a/{claim['resourceClaimTemplateName']}"
    return template in made.objects and engine["resources"] == {"claims": [{"name": "gpus"}]}


def _queue_is_named(made: Rendered) -> bool:
    labels = made.objects["Deployment/team-a/chat-kserve"]["metadata"]["labels"]
    return labels["kueue.x-k8s.io/queue-name"] == "team-a"


#: What is to be seen in the objects of each recipe; None where a recipe is tasks alone.
SHOWS: dict[str, Callable[[Rendered], bool] | None] = {
    "A private model from Hugging Face": _token_is_read,
    "A model from S3": _bucket_is_read,
    "A model on a volume": _claim_is_mounted,
    "A model as an OCI image, from a private registry": _images_are_pulled,
    "Autoscaling by llm-d's autoscaler with an HPA": _has(
        "VariantAutoscaling/team-a/chat-kserve-va", "HorizontalPodAutoscaler/team-a/chat-kserve-hpa"
    ),
    "Autoscaling by llm-d's autoscaler with KEDA": _has(
        "VariantAutoscaling/team-a/chat-kserve-va", "ScaledObject/team-a/chat-kserve-keda"
    ),
    "Autoscaling by an HPA": _has_no_replicas,
    "A new version of a model": None,
    "Canary and rollback": _route_splits,
    "LoRA adapters": _adapters_are_served,
    "Two teams on one gateway": _hosts_differ,
    "Parts of a GPU (MIG)": _slice_is_asked_for,
    "GPUs by device claim (DRA)": _claim_is_asked_for,
    "Queues of Kueue": _queue_is_named,
    "Next to Argo CD": None,
}
#: What a recipe is warned about all the same: the page says nothing of KServe's configuration there.
WARNED = {"Autoscaling by an HPA": {"system-config"}}


def test_every_recipe_has_its_expectation() -> None:
    assert list(RECIPES) == list(SHOWS)


@pytest.mark.parametrize("heading", [each for each, shows in SHOWS.items() if shows])
def test_recipe_does_what_its_heading_says(heading: str) -> None:
    made = Rendered(RECIPES[heading])
    shows = SHOWS[heading]
    assert shows is not None
    assert shows(made)
    assert made.rules == WARNED.get(heading, set())


@pytest.mark.parametrize("heading", RECIPES)
def test_tasks_use_options_that_exist(heading: str) -> None:
    for task in RECIPES[heading].tasks:
        options = task[MODULE]
        assert options.keys() <= entry.ARGUMENT_SPEC.keys()
        choices = {name: entry.ARGUMENT_SPEC[name].get("choices") for name in options}
        assert not [
            name for name, allowed in choices.items() if allowed and options[name] not in allowed
        ]


def test_recipe_without_manifests_has_a_task() -> None:
    assert [
        heading for heading, shows in SHOWS.items() if shows is None and not RECIPES[heading].tasks
    ] == []
