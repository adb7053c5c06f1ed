# SPDX-License-Identifier: GPL-3.0-or-later
"""What depends on the cluster's configuration, where the recordings have one case: caches of models, tokens, modes."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.resolve import resolve
from module_utils.kinds.inference_service.resolved import Resolved
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kube.reader import GivenObjects

from .build import MODEL, config_map, document

LABEL = "internal.serving.kserve.io/localmodel"
CLAIM = "internal.serving.kserve.io/localmodel-pvc-name"


def resolved(given: dict[str, Any], *objects: dict[str, Any], **blocks: Any) -> Resolved:
    service = load(given, Settings()).service
    assert service is not None
    return resolve(service, Settings(), GivenObjects([config_map(**blocks), *objects]))


def cache(name: str, uri: str, *groups: str) -> dict[str, Any]:
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "LocalModelCache",
        "metadata": {"name": name},
        "spec": {"sourceModelUri": uri, "nodeGroups": list(groups)},
    }


CACHES = (
    cache("b", "gs://m/", "fast", "slow"),
    cache("a", "gs://m/other", "fast"),
    cache("c", "gs://m/s", "rare"),
)


@pytest.mark.parametrize(
    ("uri", "group", "claim"),
    [
        ("gs://m/s", None, "b-fast"),
        ("gs://m/s/deep", "slow", "b-slow"),
        ("gs://m/s", "rare", "c-rare"),
        ("gs://m/other", None, "a-fast"),
        ("gs://m/others", None, "b-fast"),
        ("gs://mm/s", None, None),
        ("gs://m/s", "none", None),
    ],
)
def test_a_model_is_found_in_the_first_cache_of_its_nodes(
    uri: str, group: str | None, claim: str | None
) -> None:
    annotations = {"nodegroup": group} if group else {}
    annotations[CLAIM] = "left from before"
    given = document(predictor={"model": {**MODEL, "storageUri": uri}}, annotations=annotations)
    service = resolved(given, *CACHES, localModel={"enabled": True}).service
    assert service.annotations.get(CLAIM) == claim
    assert (LABEL in service.labels) == (claim is not None)


@pytest.mark.parametrize("enabled", [True, False])
def test_caches_are_left_alone_where_they_are_not_used(enabled: bool) -> None:
    annotations = {"disable-localmodel": ""} if enabled else {}
    given = document(annotations={**annotations, CLAIM: "mine"})
    service = resolved(given, *CACHES, localModel={"enabled": enabled}).service
    assert service.annotations[CLAIM] == "mine"


def test_a_service_s_own_word_about_tokens_counts() -> None:
    given = document(
        predictor={"automountServiceAccountToken": True}, transformer={"containers": [{}]}
    )
    spec = resolved(given, security=None).service.spec
    assert spec["predictor"]["automountServiceAccountToken"] is True
    assert spec["transformer"]["automountServiceAccountToken"] is False


@pytest.mark.parametrize(
    ("framework", "protocol"), [("triton", "v2"), ("onnx", "v2"), ("pmml", None)]
)
def test_some_frameworks_speak_the_second_protocol(framework: str, protocol: str | None) -> None:
    given = document(predictor={"sklearn": None, framework: {"storageUri": "gs://m/s"}})
    del given["spec"]["predictor"]["sklearn"]
    model = resolved(given).service.spec["predictor"]["model"]
    assert model.get("protocolVersion") == protocol
    assert model["modelFormat"] == {"name": framework}


def test_amounts_are_filled_in_one_by_one() -> None:
    own = {"image": "x", "resources": {"limits": {"cpu": "4"}, "requests": {"memory": "1Gi"}}}
    (container,) = resolved(document(predictor={"containers": [own]})).service.spec["predictor"][
        "containers"
    ]
    assert container["resources"] == {
        "limits": {"cpu": "4", "memory": "2Gi"},
        "requests": {"cpu": "1", "memory": "1Gi"},
    }


def test_a_list_that_is_owned_as_a_whole_is_applied_as_it_is_stored() -> None:
    own = {"name": "kserve-container", "image": "x", "ports": [{"containerPort": 8080}]}
    once = resolved(document(predictor={"containers": [own]})).service.document
    (container,) = once["spec"]["predictor"]["containers"]
    assert container["ports"] == [{"containerPort": 8080, "protocol": "TCP"}]
    assert resolved(once).service.document == once


def test_what_gets_applied_is_what_its_author_wrote() -> None:
    given = document(predictor={"sklearn": {"storageUri": "gs://m/s"}})
    del given["metadata"]["annotations"]
    service = resolved(given).service
    assert service.document == given
    assert service.spec["predictor"] != given["spec"]["predictor"]
