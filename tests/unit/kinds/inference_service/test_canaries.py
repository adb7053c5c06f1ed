# SPDX-License-Identifier: GPL-3.0-or-later
"""Canaries of a predictor, from 0.20 on: their objects, their share of the requests, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.canary_checks import CHECKS
from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.observe import observe
from module_utils.kinds.inference_service.view import view
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError
from module_utils.kube.quantity import parse_quantity
from module_utils.kube.reader import GivenObjects
from tests.objects import thing
from tests.parity.recorded_llm_services import Recorded

from .build import document
from .test_releases import GATEWAY, STANDARD, intent_of, made, server, settings
from .world import config

RELEASES = ("0.20", "0.21")
NONE = {**STANDARD, "autoscalerClass": "none"}
TRANSFORMER = {"containers": [{"name": "kserve-container", "image": "t:1"}]}


def canary(share: int = 20, name: str = "v2", **predictor: Any) -> Json:
    """Return a canary with a model of its own."""
    return {"predictor": {"name": name, **served(), **predictor}, "trafficPercent": share}


def served() -> Json:
    """Return a predictor with a model of its own."""
    return {"model": {"modelFormat": {"name": "sklearn"}, "storageUri": "s3://b/new"}}


def service(
    *canaries: Json, annotations: Json | None = None, others: Json | None = None, **predictor: Any
) -> Json:
    return document(
        predictor=predictor,
        annotations=STANDARD if annotations is None else annotations,
        canary=list(canaries),
        **(others or {}),
    )


def available(name: str = "v2", pods: int = 1) -> Json:
    """Return the Deployment of a canary as it is there."""
    status = {"availableReplicas": pods} if pods else {}
    return thing("apps/v1", "Deployment", f"iris-{name}-predictor", "team-a", status=status)


def routes(found: dict[tuple[str, str], Json], name: str) -> list[list[tuple[str, Any]]]:
    return [
        [(each["name"], each.get("weight")) for each in rule["backendRefs"]]
        for rule in found["HTTPRoute", name]["spec"]["rules"]
    ]


@pytest.mark.parametrize("release", RELEASES)
def test_a_canary_has_objects_of_its_own(release: str) -> None:
    given = service(canary(), labels={"team": "a"})
    found = made(given, release, server(), config(ingress=GATEWAY))
    alone = made(service(), release, server(), config(ingress=GATEWAY))
    assert found.keys() - alone.keys() == {
        (kind, "iris-v2-predictor") for kind in ("Deployment", "Service", "HorizontalPodAutoscaler")
    }
    pods = {
        name: found["Deployment", name]["spec"]["template"]
        for name in ("iris-predictor", "iris-v2-predictor")
    }
    for name, template in pods.items():
        assert template["metadata"]["labels"]["app"] == f"isvc.{name}"
        assert template["metadata"]["labels"]["team"] == "a"
    assert "s3://b/new" in str(pods["iris-v2-predictor"])
    assert "s3://b/new" not in str(pods["iris-predictor"])


@pytest.mark.parametrize(
    ("usual", "share", "own", "replicas"),
    [
        (None, 20, None, 1),
        (10, 25, None, 3),
        (10, 20, None, 2),
        (4, 0, None, 0),
        (4, 50, 1, 1),
    ],
)
def test_the_pods_of_a_canary_are_its_share_of_the_predictor_s(
    usual: int | None, share: int, own: int | None, replicas: int
) -> None:
    least = {} if usual is None else {"minReplicas": usual}
    each = canary(share, **({} if own is None else {"minReplicas": own}))
    given = service(each, annotations=NONE, **least)
    found = made(given, "0.20", server(), config(ingress=GATEWAY))
    assert found["Deployment", "iris-v2-predictor"]["spec"]["replicas"] == replicas


def test_the_predictor_gives_up_pods_once_its_canaries_have_some() -> None:
    given = service(canary(50), annotations=NONE, minReplicas=4)
    counts = [
        made(given, "0.20", server(), config(ingress=GATEWAY), *live)[
            "Deployment", "iris-predictor"
        ]["spec"]["replicas"]
        for live in ((), (available(pods=0),), (available(),))
    ]
    assert counts == [4, 4, 2]
    alone = service(canary(100), annotations=NONE, minReplicas=1)
    found = made(alone, "0.20", server(), config(ingress=GATEWAY), available())
    assert found["Deployment", "iris-predictor"]["spec"]["replicas"] == 1


@pytest.mark.parametrize("release", RELEASES)
def test_canaries_get_their_share_as_soon_as_they_answer(release: str) -> None:
    given = service(canary(20), canary(5, "v3"))
    world = (server(), config(ingress=GATEWAY))
    found = made(given, release, *world)
    assert routes(found, "iris-predictor") == [[("iris-predictor", 100)]]
    some = made(given, release, *world, available("v3"))
    share = [[("iris-predictor", 95), ("iris-v3-predictor", 5)]]
    assert (routes(some, "iris-predictor"), routes(some, "iris")) == (share, share)
    both = made(given, release, *world, available("v3"), available("v2"))
    assert routes(both, "iris") == [
        [("iris-predictor", 75), ("iris-v2-predictor", 20), ("iris-v3-predictor", 5)]
    ]


def test_rendered_routes_share_at_once_since_nobody_writes_them_again() -> None:
    loaded = load(service(canary(20)), settings("0.20")).service
    assert loaded is not None
    reader = GivenObjects([server(), config(ingress=GATEWAY)])
    intent = compile_service(loaded, settings("0.20"), reader)
    manifests = [child.manifest.to_dict() for child in intent.children]
    found = {(each["kind"], each["metadata"]["name"]): each for each in manifests}
    assert routes(found, "iris") == [[("iris-predictor", 80), ("iris-v2-predictor", 20)]]


def test_what_leads_to_transformer_or_explainer_is_not_shared() -> None:
    given = service(canary(20), others={"transformer": TRANSFORMER, "explainer": TRANSFORMER})
    found = made(given, "0.20", server(), config(ingress=GATEWAY), available())
    assert routes(found, "iris") == [[("iris-explainer", None)], [("iris-transformer", None)]]
    assert routes(found, "iris-predictor")[0][1] == ("iris-v2-predictor", 20)


def test_a_canary_has_of_the_predictor_what_it_does_not_say() -> None:
    own = served()["model"] | {"resources": {"limits": {"memory": "2Gi"}}}
    stable = {
        "model": {
            "modelFormat": {"name": "sklearn"},
            "storageUri": "gs://m/s",
            "env": [{"name": "A", "value": "1"}],
            "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
        },
        "serviceAccountName": "robot",
    }
    given = service(canary(model=own), **stable)
    found = made(given, "0.20", server(), config(ingress=GATEWAY))
    pod = found["Deployment", "iris-v2-predictor"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert {"name": "A", "value": "1"} in container["env"]
    limits = container["resources"]["limits"]
    assert {name: parse_quantity(each) for name, each in limits.items()} == {
        "cpu": 1,
        "memory": 2 * 1024**3,
    }
    assert pod["serviceAccountName"] == "robot"


def test_a_framework_s_field_of_a_canary_is_its_model() -> None:
    """KServe puts it beside the predictor's model, which it then serves once more."""
    given = service(
        {"predictor": {"name": "v2", "sklearn": {"storageUri": "s3://b/new"}}, "trafficPercent": 1}
    )
    found = made(given, "0.20", server(), config(ingress=GATEWAY))
    template = found["Deployment", "iris-v2-predictor"]["spec"]["template"]
    assert "s3://b/new" in str(template)
    assert "gs://m/s" not in str(template)


def test_calls_to_a_canary_go_through_its_agent() -> None:
    """KServe puts the agent into the pod, and leads its Service past it."""
    given = service(canary(logger={"mode": "all", "url": "http://log.team-a"}))
    found = made(given, "0.20", server(), config(ingress=GATEWAY))
    ports = found["Service", "iris-v2-predictor"]["spec"]["ports"]
    assert ports[0]["targetPort"] == 9081


def test_a_canary_becomes_the_predictor_without_a_restart() -> None:
    beside = made(service(canary()), "0.20", server(), config(ingress=GATEWAY))
    alone = made(service(name="v2", **served()), "0.20", server(), config(ingress=GATEWAY))
    name = ("Deployment", "iris-v2-predictor")
    assert alone[name]["spec"]["template"] == beside[name]["spec"]["template"]
    assert ("Deployment", "iris-predictor") not in alone


def problems(given: Json, release: str = "0.20") -> dict[str, str]:
    return {
        each.path: each.message
        for each in load(given, settings(release)).problems
        if each.severity == "error"
    }


@pytest.mark.parametrize(
    ("canaries", "path", "words"),
    [
        ([{**canary(), "trafficPercent": 101}], "spec.canary[0].trafficPercent", "100"),
        (
            [{"predictor": served(), "trafficPercent": 1}],
            "spec.canary[0].predictor.name",
            "missing",
        ),
        ([canary(), canary()], "spec.canary[1].predictor.name", "another canary"),
        ([canary(name="v1")], "spec.canary[0].predictor.name", "the predictor"),
        ([canary(60), canary(41, "v3")], "spec.canary", "101 percent"),
        ([canary(maxReplicas=3)], "spec.canary[0].predictor.maxReplicas", "fixed number"),
        ([canary(scaleTarget=3)], "spec.canary[0].predictor.scaleTarget", "fixed number"),
        ([canary(scaleMetric="cpu")], "spec.canary[0].predictor.scaleMetric", "fixed number"),
        ([canary(minReplicas=3)], "spec.canary[0].predictor.minReplicas", "more than minReplicas"),
        ([canary(workerSpec={})], "spec.canary[0].predictor.workerSpec", "one node"),
        ([{"predictor": {"name": "v2"}, "trafficPercent": 1}], "spec.canary[0].predictor", "none"),
        ([canary(minReplicas=-1)], "spec.canary[0].predictor.minReplicas", "less than 0"),
    ],
)
def test_what_a_canary_cannot_be_is_told_in_its_field(
    canaries: list[Json], path: str, words: str
) -> None:
    told = problems(service(*canaries, name="v1", minReplicas=2))
    assert list(told) == [path]
    assert words in told[path]


def test_all_that_is_wrong_with_canaries_is_told_at_once() -> None:
    told = problems(service(canary(60, "v2", maxReplicas=1), canary(60, "v2")))
    assert set(told) == {
        "spec.canary",
        "spec.canary[0].predictor.maxReplicas",
        "spec.canary[1].predictor.name",
    }


@pytest.mark.parametrize("release", ["0.17", "0.18", "0.19"])
def test_canaries_are_named_with_their_release(release: str) -> None:
    told = problems(service(canary()), release)
    assert list(told) == ["spec.canary"]
    assert "KServe 0.20 knows it" in told["spec.canary"]


@pytest.mark.parametrize("mode", ["Knative", ""])
def test_only_standard_mode_has_canaries(mode: str) -> None:
    given = service(canary(), annotations={"deploymentMode": mode} if mode else {})
    with pytest.raises(InputError, match="only services in Standard mode have canaries"):
        made(given, "0.20", server(), config(deploy={"defaultDeploymentMode": "Knative"}))


def test_a_predictor_without_a_model_has_no_canaries() -> None:
    own = {"containers": [{"name": "kserve-container", "image": "x:1"}]}
    with pytest.raises(InputError, match="needs a model of its own"):
        made(service(canary(), **own), "0.20", server(), config(ingress=GATEWAY))


@pytest.mark.parametrize(
    ("ingress", "others", "labels", "words"),
    [
        ({"enableGatewayApi": False}, {}, {}, "an Ingress leads to the predictor alone"),
        (GATEWAY, {"transformer": TRANSFORMER}, {}, "the transformer calls"),
        (GATEWAY, {}, {"networking.kserve.io/visibility": "cluster-local"}, "only called from"),
        (GATEWAY, {}, {}, ""),
    ],
)
def test_canaries_that_no_request_reaches_are_warned_about(
    ingress: Json, others: Json, labels: Json, words: str
) -> None:
    given = service(canary(), others=others)
    given["metadata"]["labels"] = labels
    intent = intent_of(given, "0.20", server(), config(ingress=ingress))
    seen = view(intent.basis, [child.manifest.to_dict() for child in intent.children])
    told = [each for check in CHECKS for each in check.function(seen)]
    assert [each.path for each in told] == (["spec.canary[0].trafficPercent"] if words else [])
    assert words in str(told)


def status(*live: Json, stopped: bool = False, before: Json | None = None) -> Json:
    """Return what is said of a service with two canaries. before: its status until now."""
    given = service(canary(20), canary(5, "v3"))
    if stopped:
        given["metadata"]["annotations"]["serving.kserve.io/stop"] = "true"
    parent = {**given, "status": before} if before else None
    world = (server(), config(ingress=GATEWAY), *live, *([parent] if parent else []))
    intent = intent_of(given, "0.20", *world)
    return observe(intent.basis, Recorded(world)).status


def condition(said: Json) -> tuple[str, str] | None:
    found = {each["type"]: each for each in said["conditions"]}
    each = found.get("CanaryPredictorReady")
    return (each["status"], each["reason"]) if each else None


def test_the_status_says_of_each_canary_whether_it_answers() -> None:
    said = status(available())
    unseen = {"modelStatus": {"transitionStatus": ""}}
    assert said["canaryStatuses"] == [
        {"name": "v2", "ready": True, "trafficPercent": 20, **unseen},
        {"name": "v3", "ready": False, "trafficPercent": 5, **unseen},
    ]
    assert condition(said) == ("False", "CanariesNotReady")
    assert condition(status(available(), available("v3"))) == ("True", "AllCanariesReady")
    assert condition(status(stopped=True)) == ("False", "Stopped")


def test_nothing_is_left_of_canaries_that_went() -> None:
    before = status(available())
    given = service()
    world = (server(), config(ingress=GATEWAY), {**given, "status": before})
    said = observe(intent_of(given, "0.20", *world).basis, Recorded(world)).status
    assert condition(said) is None
    assert "canaryStatuses" not in said
