# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods of components, where no recording shows what a user would notice."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json

from .world import NAMESPACE, built, config, model, only, refusal, runtime, takes


def served(predictor: Json, **container: Any) -> Json:
    """Return the server of a model whose runtime has this container."""
    spec = {"containers": [{"name": "kserve-container", "image": "a:1", **container}]}
    found: Json = only(predictor, runtime("a", takes(), **spec)).pod["containers"][0]
    return found


def test_arguments_of_the_service_come_behind_those_of_the_runtime() -> None:
    assert served(model(args=["--port=2"]), args=["--port=1"])["args"] == ["--port=1", "--port=2"]


def test_variables_of_the_service_come_before_those_that_the_runtime_alone_has() -> None:
    env = served(
        model(env=[{"name": "C", "value": "3"}]),
        env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
    )["env"]
    assert [each["name"] for each in env] == ["C", "A", "B", "INFERENCE_SERVICE_NAME"]


#: Template in the runtime → what becomes of it.
FILLED = {
    "--name={{.Name}}": "--name=chat",
    "{{.Namespace}}": NAMESPACE,
    "x{{.Labels.gone}}": "x",
    "{{.Annotations.note}}": "a&lt;b",
    "{{ index .Annotations `note` }}": "a&lt;b",
    "a<b": "a<b",
}


@pytest.mark.parametrize("template", FILLED)
def test_placeholders_are_filled_in(template: str) -> None:
    spec = {"containers": [{"name": "kserve-container", "image": "a:1", "args": [template]}]}
    found = only(model(), runtime("a", takes(), **spec), annotations={"note": "a<b"})
    assert found.pod["containers"][0]["args"] == [FILLED[template]]


def test_a_variable_of_a_label_that_is_missing_has_no_value() -> None:
    env = [{"name": "TEAM", "value": "{{.Labels.team}}"}]
    spec = {"containers": [{"name": "kserve-container", "image": "a:1", "env": env}]}
    found = only(model(), runtime("a", takes(), **spec))
    assert found.pod["containers"][0]["env"][0] == {"name": "TEAM"}


@pytest.mark.parametrize(
    ("template", "words"),
    [('{{ index .Labels "a" }}', "back-quotes"), ("{{.Spec}}", "known are .Name")],
)
def test_a_placeholder_that_cannot_be_filled_in_is_told(template: str, words: str) -> None:
    spec = {"containers": [{"name": "kserve-container", "image": "a:1", "args": [template]}]}
    error = refusal(model(), runtime("a", takes(), **spec))
    assert words in error.problem.message
    assert error.model is not None
    assert error.model.reason == "InvalidPredictorSpec"


GPUS = {"limits": {"nvidia.com/gpu": "1"}}
#: Image, runtimeVersion, runtime, resources → the image that runs.
IMAGES = [
    ("a:1", "2", "x", {}, "a:2"),
    ("r.example.com:5000/a", "2", "x", {}, "r.example.com:5000/a:2"),
    ("a@sha256:00", "2", "x", {}, "a@sha256:00"),
    ("a:1", None, "kserve-torchserve", GPUS, "a:1-gpu"),
    ("a:1-gpu", None, "kserve-torchserve", GPUS, "a:1-gpu"),
    ("a:1", None, "x", GPUS, "a:1"),
    ("a:1", None, "kserve-torchserve", {}, "a:1"),
    ("a:1", None, "kserve-torchserve", {"limits": {"nvidia.com/mig-1g.5gb": "1"}}, "a:1-gpu"),
]


@pytest.mark.parametrize(("image", "version", "name", "resources", "wanted"), IMAGES)
def test_the_tag_of_an_image_follows_version_and_gpus(
    image: str, version: str | None, name: str, resources: Json, wanted: str
) -> None:
    spec = {"containers": [{"name": "kserve-container", "image": image, "resources": resources}]}
    fields = {} if version is None else {"runtimeVersion": version}
    found = only(model(**fields), runtime(name, takes(), **spec))
    assert found.pod["containers"][0]["image"] == wanted


def test_what_the_author_says_of_a_transformer_is_said_once() -> None:
    containers = [{"name": "pre", "image": "a", "args": ["--model_name", "own"]}]
    part = {"containers": containers, "containerConcurrency": 3}
    found = built(model(), runtime("a", takes()), transformer=part).items[1]
    args = found.pod["containers"][0]["args"]
    assert args == [
        *("--model_name", "own", "--predictor_host", "chat-predictor.team-a"),
        *("--http_port", "8080", "--workers", "3"),
    ]


def test_an_unknown_scheme_is_refused_unless_somebody_takes_it() -> None:
    fetcher = {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ClusterStorageContainer",
        "metadata": {"name": "own"},
        "spec": {"container": {"image": "own"}, "supportedUriFormats": [{"prefix": "ftp://"}]},
    }
    predictor, server = model(storageUri="ftp://b/m"), runtime("a", takes())
    error = refusal(predictor, server)
    assert error.problem.path == "spec.predictor.model.storageUri"
    assert '"ftp://b/m"' in error.problem.message
    assert only(predictor, server, fetcher)
    assert refusal(predictor, server, {**fetcher, "disabled": True})


def test_an_address_beside_a_storage_path_is_refused() -> None:
    error = refusal(model(storage={"path": "a"}), runtime("a", takes()))
    assert error.message == "must provide only one of storageUri and storage.path"


#: GPUs requested by head and worker, pipeline, tensor → nodes, GPUs of the head, GPUs of a worker; None where it is refused.
SPREADS: list[tuple[int, int, int, int, tuple[int, int, int] | None]] = [
    (0, 0, 2, 1, (2, 1, 1)),
    (0, 0, 3, 2, (6, 1, 1)),
    (0, 2, 2, 2, (2, 2, 2)),
    (0, 2, 1, 3, (2, 1, 2)),
    (1, 2, 1, 3, (2, 1, 2)),
    (1, 2, 1, 4, None),
    (4, 2, 1, 4, (1, 4, 0)),
    (0, 8, 1, 4, (1, 4, 0)),
    (2, 0, 1, 5, (4, 2, 1)),
    (8, 0, 1, 5, (1, 8, 1)),
]


@pytest.mark.parametrize(("head", "worker", "pipeline", "tensor", "wanted"), SPREADS)
def test_gpus_are_spread_over_head_and_workers(
    head: int, worker: int, pipeline: int, tensor: int, wanted: tuple[int, int, int] | None
) -> None:
    def asking(name: str, count: int) -> Json:
        resources = {"requests": {"nvidia.com/gpu": str(count)}} if count else {}
        return {"name": name, "image": "a:1", "resources": resources}

    server = runtime(
        "a",
        takes("huggingface"),
        containers=[asking("kserve-container", head)],
        workerSpec={"containers": [asking("worker-container", worker)]},
    )
    predictor = {
        **model("huggingface", storageUri="pvc://c/m"),
        "workerSpec": {"pipelineParallelSize": pipeline, "tensorParallelSize": tensor},
    }
    if wanted is None:
        error = refusal(predictor, server)
        assert error.reason == "InvalidGPUAllocation"
        assert (
            f"{pipeline} x {tensor} = {pipeline * tensor} GPUs are needed" in error.problem.message
        )
        return
    found = only(predictor, server)
    assert found.workers is not None
    limits = [
        int(pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"])
        for pod in (found.pod, found.workers.pod)
    ]
    assert (found.workers.replicas + 1, *limits) == wanted
    assert found.head_service == "chat-head-1"


def test_workers_without_a_runtime_that_has_them_are_refused() -> None:
    predictor = {**model(runtime="a"), "workerSpec": {}}
    error = refusal(predictor, runtime("a", takes()))
    assert error.problem.path == "spec.predictor.workerSpec"
    assert "ClusterServingRuntime a has none" in error.problem.message


def test_annotations_that_are_withheld_do_not_reach_the_pods() -> None:
    settings = config(inferenceService={"serviceAnnotationDisallowedList": ["private"]})
    found = only(
        model(), settings, runtime("a", takes()), annotations={"private": "1", "public": "1"}
    )
    assert "public" in found.annotations
    assert "private" not in found.annotations
    assert "modelFormat" not in found.annotations


def test_an_art_explainer_gets_its_own_arguments_twice() -> None:
    part = {"art": {"type": "SquareAttack", "args": ["--a"], "config": {"z": "1", "b": "2"}}}
    found = built(model(), runtime("a", takes()), explainer=part).items[1]
    assert found.pod["containers"][0]["args"] == [
        *("--model_name", "chat", "--http_port", "8080"),
        *("--predictor_host", "chat-predictor.team-a", "--adversary_type", "SquareAttack"),
        *("--b", "2", "--z", "1", "--a", "--a"),
    ]
