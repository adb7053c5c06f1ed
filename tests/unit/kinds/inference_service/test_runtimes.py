# SPDX-License-Identifier: GPL-3.0-or-later
"""Which runtime serves a model, and why another does not."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.parity.recorded_inference_services import RECORDINGS, read_all

from .world import NAMESPACE, built, model, only, refusal, runtime, takes

STOCK = read_all(RECORDINGS / "context" / "clusterservingruntimes.yaml")

#: Format and protocol → what is chosen among the twelve runtimes that come with KServe; None where none is.
CHOSEN = {
    ("sklearn", ""): "kserve-sklearnserver",
    ("sklearn", "v2"): "kserve-mlserver",
    ("sklearn", "grpc-v1"): None,
    ("xgboost", "v1"): "kserve-xgbserver",
    ("lightgbm", "v2"): "kserve-mlserver",
    ("mlflow", ""): None,
    ("mlflow", "v2"): "kserve-mlserver",
    ("tensorflow", ""): "kserve-tensorflow-serving",
    ("tensorflow", "v2"): "kserve-tritonserver",
    ("tensorflow", "grpc-v1"): "kserve-tensorflow-serving",
    ("pytorch", "grpc-v2"): "kserve-torchserve",
    ("onnx", ""): None,
    ("onnx", "v2"): "kserve-tritonserver",
    ("triton", ""): "kserve-tritonserver",
    ("pmml", "v2"): "kserve-pmmlserver",
    ("huggingface", ""): "kserve-huggingfaceserver",
    ("huggingface", "grpc-v2"): None,
}


@pytest.mark.parametrize(("name", "protocol"), CHOSEN)
def test_the_stock_runtimes_serve_what_the_documentation_says(name: str, protocol: str) -> None:
    wanted = CHOSEN[name, protocol]
    predictor = model(name, **({"protocolVersion": protocol} if protocol else {}))
    if wanted is None:
        assert "no runtime serves" in refusal(predictor, *STOCK).problem.message
    else:
        found = built(predictor, *STOCK).runtime
        assert found is not None
        assert found.name == wanted


#: Runtimes, and the one that is chosen: by priority, then protocol, then age, then name.
ORDERS: dict[str, tuple[list[Json], str]] = {
    "the higher priority": (
        [runtime("a", takes(priority=1)), runtime("b", takes(priority=2)), runtime("c", takes())],
        "b",
    ),
    "the priority of the first entry for the format": (
        [
            runtime("a", {"name": "sklearn"}, takes(priority=9)),
            runtime("b", takes(priority=1)),
        ],
        "b",
    ),
    "the better protocol": (
        [runtime("a", takes()), runtime("b", takes(), protocolVersions=["v2", "v1"])],
        "b",
    ),
    "the name": ([runtime("b", takes()), runtime("a", takes())], "a"),
    "the namespace before the cluster": (
        [runtime("a", takes(priority=9)), runtime("z", takes(), namespace=NAMESPACE)],
        "z",
    ),
    "another namespace counts for nothing": (
        [runtime("a", takes(priority=9), namespace="else"), runtime("z", takes())],
        "z",
    ),
    "one that is disabled is passed over": (
        [runtime("a", takes(), disabled=True), runtime("b", takes())],
        "b",
    ),
    "one for many models is passed over": (
        [runtime("a", takes(), multiModel=True), runtime("b", takes())],
        "b",
    ),
    "one with workers is passed over": (
        [runtime("a", takes(), workerSpec={}), runtime("b", takes())],
        "b",
    ),
}


@pytest.mark.parametrize("rule", ORDERS)
def test_the_best_of_several_runtimes_is_chosen(rule: str) -> None:
    manifests, wanted = ORDERS[rule]
    assert only(model(), *manifests).pod["containers"][0]["image"] == f"example.com/{wanted}:1"


def test_the_younger_of_two_equal_runtimes_is_chosen() -> None:
    old, young = runtime("a", takes()), runtime("b", takes())
    old["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    young["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z"
    found = built(model(), old, young).runtime
    assert found is not None
    assert found.name == "b"


def test_a_version_is_matched_as_it_is_written() -> None:
    wanted = model()
    wanted["model"]["modelFormat"]["version"] = "1.0"
    error = refusal(wanted, runtime("a", takes(version="1")))
    assert "sklearn 1" in error.problem.message
    # The controller prints the address of a pointer there.
    assert error.message.endswith("{sklearn 1.0}")


def test_why_each_runtime_was_passed_over_is_said() -> None:
    error = refusal(
        model(),
        runtime("off", takes(), disabled=True),
        runtime("mesh", takes(), multiModel=True),
        runtime("by-hand", {"name": "sklearn"}),
        runtime("grpc", takes(), protocolVersions=["grpc-v2"]),
        runtime("nodes", takes(), workerSpec={}),
        runtime("trees", takes("xgboost")),
    )
    for words in (
        "off is disabled",
        "mesh is for ModelMesh",
        "by-hand is not chosen automatically",
        "grpc speaks grpc-v2",
        "nodes is for services with workers",
        "of other formats: ClusterServingRuntime trees",
    ):
        assert words in error.problem.message
    assert error.problem.path == "spec.predictor.model.modelFormat"
    assert error.model is not None
    assert error.model.reason == "NoSupportingRuntime"


#: What is asked of a named runtime, what the model's status then says, and what our message holds.
NAMED: dict[str, tuple[Json, Json, str, str]] = {
    "it is not there": (
        model(runtime="gone"),
        {},
        "RuntimeNotRecognized",
        "team-a or in the cluster",
    ),
    "it is disabled": (
        model(runtime="a"),
        {"disabled": True},
        "RuntimeDisabled",
        "disabled: false",
    ),
    "it speaks another protocol": (
        model(runtime="a", protocolVersion="v2"),
        {"protocolVersions": ["v1"]},
        "NoSupportingRuntime",
        "speaks v1",
    ),
    "it takes other models": (
        model("xgboost", runtime="a"),
        {},
        "NoSupportingRuntime",
        "takes sklearn",
    ),
}


@pytest.mark.parametrize("case", NAMED)
def test_a_named_runtime_is_refused_with_the_reason(case: str) -> None:
    predictor, spec, reason, words = NAMED[case]
    error = refusal(predictor, runtime("a", takes(), **spec))
    assert error.model is not None
    assert error.model.reason == reason
    assert words in error.problem.message


def test_a_named_runtime_needs_no_auto_select() -> None:
    found = built(model(runtime="a"), runtime("a", {"name": "sklearn"}, multiModel=True)).runtime
    assert found is not None
    assert found.name == "a"


def test_mlserver_tells_the_service_its_model_class() -> None:
    found = built(model("xgboost", protocolVersion="v2"), *STOCK)
    assert found.labels["modelClass"] == "mlserver_xgboost.XGBoostModel"
    env = {each["name"]: each["value"] for each in found.items[0].pod["containers"][0]["env"]}
    assert env["MODEL_CLASS"] == "mlserver_xgboost.XGBoostModel"
    assert env["MLSERVER_MODEL_NAME"] == "chat"


def test_a_runtime_of_the_namespace_lends_its_name_to_the_status() -> None:
    """The one of the cluster serves, but the controller looks the name up once more."""
    found = built(
        model(),
        runtime("a", takes(), disabled=True, namespace=NAMESPACE),
        runtime("a", takes()),
    ).runtime
    assert found is not None
    assert found.kind == "ServingRuntime"


def speaking(name: str, priority: int | None = 1, **rest: Any) -> Json:
    """Return a runtime with a priority that speaks the first protocol."""
    return runtime(name, takes(priority=priority), **{"protocolVersions": ["v1"], **rest})


TIES: list[tuple[Json, Json, bool]] = [
    (speaking("a"), speaking("b"), True),
    (speaking("a"), speaking("b", protocolVersions=["v2", "v1"]), True),
    (speaking("a"), speaking("b", priority=2), False),
    (speaking("a", priority=None), speaking("b", priority=None), False),
    (speaking("a"), speaking("b", protocolVersions=[]), False),
    (speaking("a"), speaking("b", disabled=True), False),
    (speaking("a"), speaking("b", namespace=NAMESPACE), False),
]


@pytest.mark.parametrize(("first", "second", "refused"), TIES)
def test_two_runtimes_that_only_their_age_tells_apart_are_refused(
    first: Json, second: Json, refused: bool
) -> None:
    if refused:
        said = refusal(model(), first, second).problem.message
        assert "both have priority 1" in said
        assert "ClusterServingRuntime a" in said
        assert "ClusterServingRuntime b" in said
        named = model(runtime="b")
        assert only(named, first, second).pod["containers"][0]["image"] == "example.com/b:1"
    else:
        only(model(), first, second)
