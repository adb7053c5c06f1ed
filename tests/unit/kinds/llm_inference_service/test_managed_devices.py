# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that annotations ask for, from KServe 0.20 on: the template of their claims, and the pods that claim by it."""

from __future__ import annotations

from typing import Any

import pytest

from .build import document, messages_of
from .preset_world import ROUTER, children
from .release_pairs import CLAIM, differences, settings

Json = dict[str, Any]
PREFIX = "serving.kserve.io/exp-dra-"
TEMPLATE = ("ResourceClaimTemplate", "chat-managed-dra")
CLAIMED = [{"name": "managed-device"}]
OF_POD = [{"name": "managed-device", "resourceClaimTemplateName": "chat-managed-dra"}]


def asking(spec: Json | None = None, **annotations: str) -> Json:
    """Return a service with annotations, whose names have no prefix."""
    given = document(**{**CLAIM, **(spec or {})})
    named = {f"{PREFIX}{key.replace('_', '-')}": text for key, text in annotations.items()}
    given["metadata"]["annotations"] = named
    return given


def new(given: Json) -> dict[tuple[str, str], Json]:
    return children(given, settings=settings("0.20"))


def test_the_template_of_claims_comes_before_the_pods_of_a_group() -> None:
    many = {"parallelism": {"data": 2, "dataLocal": 1}, "worker": {"containers": []}}
    kinds = [kind for kind, dummy in new(asking(many, device_class="gpu"))]
    assert kinds.index("ResourceClaimTemplate") < kinds.index("LeaderWorkerSet")


def request(**annotations: str) -> Json:
    (found,) = new(asking(**annotations))[TEMPLATE]["spec"]["spec"]["devices"]["requests"]
    assert found["name"] == "device"
    exactly: Json = found["exactly"]
    return exactly


def test_annotations_become_a_template_of_claims() -> None:
    assert request(device_class=" gpu.example.com ") == {"deviceClassName": "gpu.example.com"}
    assert request(device_class="gpu", device_count="1") == {"deviceClassName": "gpu"}
    assert request(device_class="gpu", device_count=" 4 ")["count"] == len("four")
    selectors = request(device_class="gpu", cel_selector="a == 1\n\n  b == 2 ")["selectors"]
    assert [each["cel"]["expression"] for each in selectors] == ["a == 1", "b == 2"]
    assert "labels" not in new(asking(device_class="gpu"))[TEMPLATE]["metadata"]


def pods(found: dict[tuple[str, str], Json]) -> dict[str, Json]:
    deployments = {name: each for (kind, name), each in found.items() if kind == "Deployment"}
    made = {name: each["spec"]["template"]["spec"] for name, each in deployments.items()}
    for (kind, name), each in found.items():
        if kind == "LeaderWorkerSet":
            template = each["spec"]["leaderWorkerTemplate"]
            for part in ("leaderTemplate", "workerTemplate"):
                made[f"{name}/{part}"] = template[part]["spec"]
    return made


@pytest.mark.parametrize(
    "spec",
    [
        {"prefill": {}, "router": ROUTER},
        {
            "worker": {"containers": [{"name": "main", "image": "x"}]},
            "parallelism": {"data": 2, "dataLocal": 1},
        },
    ],
)
def test_the_pods_that_serve_claim_by_it_and_no_others(spec: Json) -> None:
    found = pods(new(asking(spec, device_class="gpu")))
    assert found
    for name, pod in found.items():
        serves = "router-scheduler" not in name
        assert (pod.get("resourceClaims") == OF_POD) is serves, name
        first = pod["containers"][0]
        assert ((first.get("resources") or {}).get("claims") == CLAIMED) is serves, name


def test_a_container_may_be_named() -> None:
    beside = {"name": "beside", "image": "x"}
    spec = {"template": {"containers": [{"name": "main"}, beside]}}
    (pod,) = pods(new(asking(spec, device_class="gpu", container_name="beside"))).values()
    claims = {
        each["name"]: (each.get("resources") or {}).get("claims") for each in pod["containers"]
    }
    assert (claims["main"], claims["beside"]) == (None, CLAIMED)
    (pod,) = pods(new(asking(spec, device_class="gpu", container_name="nobody"))).values()
    assert pod["resourceClaims"] == OF_POD
    assert "managed-device" not in str(pod["containers"])


def test_a_claim_of_the_author_stays() -> None:
    own = [{"name": "managed-device", "resourceClaimName": "mine"}]
    spec = {"template": {"resourceClaims": own, "containers": [{"name": "main"}]}}
    (pod,) = pods(new(asking(spec, device_class="gpu"))).values()
    assert pod["resourceClaims"] == own


def test_a_stopped_service_and_earlier_releases_have_none() -> None:
    given = asking(device_class="gpu")
    given["metadata"]["annotations"]["serving.kserve.io/stop"] = "true"
    assert TEMPLATE not in new(given)
    assert TEMPLATE not in children(asking(device_class="gpu"), settings=settings("0.19"))
    assert differences(asking(), old="0.19", new="0.20") == {}


#: Annotations, the one that is refused, and a part of what is said.
REFUSED: dict[str, tuple[Json, str, str]] = {
    "a count alone": ({"device_count": "1"}, "device-class", "is required"),
    "a selector alone": ({"cel_selector": "a"}, "device-class", "is required"),
    "a container alone": ({"container_name": "main"}, "device-class", "is required"),
    "no class": ({"device_class": " "}, "device-class", "must not be empty"),
    "no name of a class": ({"device_class": "GPU!"}, "device-class", "device class: "),
    "a word": ({"device_class": "gpu", "device_count": "two"}, "device-count", "whole number"),
    "none": ({"device_class": "gpu", "device_count": "0"}, "device-count", "at least 1"),
    "blank lines": ({"device_class": "gpu", "cel_selector": " \n"}, "cel-selector", "non-empty"),
    "no container": ({"device_class": "gpu", "container_name": ""}, "container-name", "empty"),
    "no name of one": ({"device_class": "gpu", "container_name": "A"}, "container-name", "name: "),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_webhook_refuses_of_them(what: str) -> None:
    annotations, key, text = REFUSED[what]
    told = messages_of(asking(**annotations), settings("0.20"))
    assert list(told) == [f'metadata.annotations["{PREFIX}{key}"]']
    assert text in next(iter(told.values()))
    assert messages_of(asking(**annotations), settings("0.19")) == {}


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
def test_annotations_are_read_alike_in_both_versions(version: str) -> None:
    given = {**asking(device_count="2"), "apiVersion": f"serving.kserve.io/{version}"}
    assert "is required to enable managed DRA" in str(messages_of(given, settings("0.20")))
    given = {**asking(device_class="x.example"), "apiVersion": f"serving.kserve.io/{version}"}
    assert TEMPLATE in new(given)
