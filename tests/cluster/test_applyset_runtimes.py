# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtimes and TrainedModels that KServe's webhooks would refuse are refused without them, before anything of their set is written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab import crds
from tests.lab.cluster import Cluster
from tests.lab.crd_sources import KSERVE_TRAINED_MODELS
from tests.lab.fixtures import fresh_namespace
from tests.unit.sets.test_runtimes import runtime

from .support.bundles import config
from .support.entries import Entries
from .support.inference_services import isvc, prepare, trained_model


@pytest.fixture
def place(lab: Cluster) -> Iterator[str]:
    """A namespace of this test alone, in a cluster that knows runtimes."""
    prepare(lab.client)
    with fresh_namespace(lab.client, "runtimes") as name:
        yield name


def test_a_runtime_that_clashes_with_one_of_the_cluster_is_refused_and_then_taken(
    entries: Entries, lab: Cluster, place: str
) -> None:
    client = lab.client
    client.create(runtime("theirs", namespace=place))
    definition = [config("one", place), runtime("ours", namespace=place)]
    given = {"name": "runtimes", "namespace": place}
    for check_mode in (True, False):
        result = entries.applyset(**given, definition=definition, check_mode=check_mode)
        assert result.get("failed")
        assert f"ServingRuntime {place}/ours" in result["msg"]
        assert "ServingRuntime theirs has priority 1" in result["msg"]
    assert client.get("v1", "ConfigMap", "one", place) is None
    other = [config("one", place), runtime("ours", 2, namespace=place)]
    assert not entries.applyset(**given, definition=other).get("failed")
    again = entries.applyset(**given, definition=other)
    assert not again.get("failed")
    assert not again["changed"]


def test_a_model_is_judged_by_the_cluster_and_by_the_service_that_it_names(
    entries: Entries, lab: Cluster, place: str
) -> None:
    client = lab.client
    crds.install(client, crds.documents(KSERVE_TRAINED_MODELS))
    service = isvc("iris", place)
    del service["spec"]["predictor"]["model"]["storageUri"]
    client.create(service)
    given = {"name": "models", "namespace": place}
    wrong = trained_model("wrong", place)
    wrong["spec"]["model"]["storageUri"] = "pvc://claim/model"
    definition = [config("one", place), wrong]
    result = entries.applyset(**given, definition=definition)
    assert f"TrainedModel {place}/wrong: spec.model.storageUri" in result["msg"]
    assert client.get("v1", "ConfigMap", "one", place) is None
    right, lost = trained_model("right", place), trained_model("lost", place, "elsewhere")
    for check_mode in (True, False):
        result = entries.applyset(**given, definition=[right, lost], check_mode=check_mode)
        assert not result.get("failed"), result["msg"]
        (warning,) = result["warnings"]
        assert f"TrainedModel {place}/lost" in warning
        assert "InferenceService elsewhere does not exist" in warning
    right["spec"]["model"]["memory"] = "2Gi"
    result = entries.applyset(**given, definition=[right, lost])
    assert "it cannot change from 1Gi to 2Gi" in result["msg"]
    right["spec"]["model"]["memory"] = "1024Mi"
    assert not entries.applyset(**given, definition=[right, lost]).get("failed")
