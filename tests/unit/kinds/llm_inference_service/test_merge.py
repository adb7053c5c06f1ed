# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes out where presets, bases and service say something of the same: a row a case of the controller's own test suite."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.presets.merge import merged, written
from module_utils.kube.manifest import Json


def container(name: str, **fields: Any) -> Json:
    return {"name": name, **fields}


def template(*containers: Json, **fields: Any) -> Json:
    return {"containers": list(containers), **fields}


MODEL = {"model": {"uri": "hf://a"}}
EMPTY_ROUTER = {"router": {"route": {}, "gateway": {}, "scheduler": {}}}

#: Row of the suite → layers, the weakest first, and what comes out.
MERGES: dict[str, tuple[list[Json], Json]] = {
    "no layers are an empty spec": ([], {}),
    "one layer stays as it is": ([MODEL], MODEL),
    "a field deep inside is added to empty parts": (
        [
            EMPTY_ROUTER,
            {"router": {"scheduler": {"pool": {"spec": {"targetPorts": [{"number": 9999}]}}}}},
        ],
        {
            "router": {
                "route": {},
                "gateway": {},
                "scheduler": {"pool": {"spec": {"targetPorts": [{"number": 9999}]}}},
            }
        },
    ),
    "values": (
        [{**MODEL, "replicas": 1}, {"model": {"uri": "hf://b"}, "replicas": 2}],
        {"model": {"uri": "hf://b"}, "replicas": 2},
    ),
    "pods are merged container by container": (
        [
            {
                "template": template(
                    container("main", image="base:1", resources={"requests": {"cpu": "1"}}),
                    initContainers=[
                        container("init", image="i", resources={"requests": {"cpu": "1"}})
                    ],
                    tolerations=[{"key": "team"}],
                )
            },
            {
                "template": template(
                    container("main", image="own:1", env=[container("FOO", value="bar")]),
                    container("transformer"),
                    initContainers=[container("init", resources={"requests": {"cpu": "2"}})],
                    tolerations=[{"key": "gpu"}],
                    priorityClassName="high",
                )
            },
        ],
        {
            "template": template(
                container(
                    "main",
                    image="own:1",
                    resources={"requests": {"cpu": "1"}},
                    env=[container("FOO", value="bar")],
                ),
                container("transformer"),
                initContainers=[container("init", image="i", resources={"requests": {"cpu": "2"}})],
                tolerations=[{"key": "gpu"}],
                priorityClassName="high",
            )
        },
    ),
    "sizes of two layers are both given": (
        [{"parallelism": {"tensor": 2}}, {"parallelism": {"pipeline": 4}}],
        {"parallelism": {"tensor": 2, "pipeline": 4}},
    ),
    "lists of references are replaced": (
        [
            {"router": {"route": {"http": {"refs": [{"name": "a"}], "spec": {"parentRefs": []}}}}},
            {"router": {"route": {"http": {"refs": [{"name": "b"}]}}}},
            {"router": {"scheduler": {"pool": {"ref": {"name": "pool"}}}}},
        ],
        {
            "router": {
                "route": {"http": {"refs": [{"name": "b"}], "spec": {}}},
                "scheduler": {"pool": {"ref": {"name": "pool"}}},
            }
        },
    ),
    "an empty list takes nothing away": (
        [
            {"template": template(container("main", args=["a"], command=["run"]))},
            {"template": template(container("main", args=[], command=[]), tolerations=[])},
        ],
        {"template": template(container("main", args=["a"], command=["run"]))},
    ),
    "requests and variables are merged and arguments replaced": (
        [
            {
                "worker": template(
                    container(
                        "main",
                        resources={"requests": {"cpu": "1", "gpu": "1"}, "limits": {"gpu": "1"}},
                        env=[container("a", value="1"), container("z", value="42")],
                        args=["a", "b"],
                    )
                )
            },
            {
                "worker": template(
                    container(
                        "main",
                        resources={"requests": {"memory": "1Gi"}, "limits": {"cpu": "2"}},
                        env=[container("b", value="2"), container("z", value="")],
                        args=["x", "y"],
                    )
                )
            },
        ],
        {
            "worker": template(
                container(
                    "main",
                    resources={
                        "requests": {"cpu": "1", "gpu": "1", "memory": "1Gi"},
                        "limits": {"gpu": "1", "cpu": "2"},
                    },
                    env=[
                        container("b", value="2"),
                        container("a", value="1"),
                        container("z", value="42"),
                    ],
                    args=["x", "y"],
                )
            )
        },
    ),
    "the list of adapters is replaced": (
        [
            {"model": {"lora": {"adapters": [{"name": "a"}]}}},
            {"model": {"lora": {"adapters": [{"name": "b"}]}}},
        ],
        {"model": {"lora": {"adapters": [{"name": "b"}]}}},
    ),
    "the list of bases is replaced": (
        [{"baseRefs": [{"name": "a"}, {"name": "b"}]}, {"baseRefs": [{"name": "c"}]}],
        {"baseRefs": [{"name": "c"}]},
    ),
    "no name leaves a name": (
        [{"model": {"name": "base"}, "replicas": 1}, {"model": {"name": None}, "replicas": 3}],
        {"model": {"name": "base"}, "replicas": 3},
    ),
    "nothing leaves a zero": ([{"replicas": 0}, {"replicas": None}], {"replicas": 0}),
    "an empty list of containers leaves containers": (
        [{"template": template(container("a")), "replicas": 1}, {"template": template()}],
        {"template": template(container("a")), "replicas": 1},
    ),
    "another container comes first and the rest stays": (
        [
            {"template": template(container("busybox"), initContainers=[container("side")])},
            {"template": template(container("busybox-2"), initContainers=[]), "replicas": 2},
            {},
        ],
        {
            "template": template(
                container("busybox-2"),
                container("busybox"),
                initContainers=[container("side")],
            ),
            "replicas": 2,
        },
    ),
}


def router(**parts: Any) -> Json:
    return {"router": parts}


def asking(amount: str, **fields: Any) -> Json:
    return container("main", resources={"limits": {"nvidia.com/gpu": amount}}, **fields)


_PREFILL = {
    "replicas": 2,
    "template": template(container("main", image="a", resources={"requests": {"cpu": "1"}})),
}
_BUSY = template(
    container("busybox"), volumes=[{"name": "data"}], initContainers=[container("init")]
)

#: What is given up and what is added, in longer chains.
CHAINS: dict[str, tuple[list[Json], Json]] = {
    "the same layer twice changes nothing": ([MODEL, MODEL], MODEL),
    "a later value replaces an earlier one": (
        [{**MODEL, "replicas": 1}, {"model": {"uri": "hf://b"}, "replicas": 2}],
        {"model": {"uri": "hf://b"}, "replicas": 2},
    ),
    "of a chain the last layer wins": (
        [MODEL, {"model": {"uri": "hf://b"}}, {"model": {"uri": "hf://c"}}],
        {"model": {"uri": "hf://c"}},
    ),
    "prefill joins decode": (
        [
            {"template": template(container("main"))},
            {"prefill": {"replicas": 4, "template": template(container("main"))}},
        ],
        {
            "template": template(container("main")),
            "prefill": {"replicas": 4, "template": template(container("main"))},
        },
    ),
    "a worker joins its leader": (
        [{"template": template(container("main"))}, {"worker": template(container("main"))}],
        {"template": template(container("main")), "worker": template(container("main"))},
    ),
    "prefill is merged down to its container": (
        [
            {"prefill": _PREFILL},
            {
                "prefill": {
                    "replicas": 4,
                    "template": template(container("main", env=[container("MODE", value="fast")])),
                }
            },
        ],
        {
            "prefill": {
                "replicas": 4,
                "template": template(
                    container(
                        "main",
                        image="a",
                        resources={"requests": {"cpu": "1"}},
                        env=[container("MODE", value="fast")],
                    )
                ),
            }
        },
    ),
    "four layers add up and the last sizes win": (
        [
            router(route={}, gateway={}),
            {"worker": template(asking("1")), "parallelism": {"tensor": 1, "pipeline": 1}},
            router(
                scheduler={
                    "pool": {"spec": {"endpointPickerRef": {"failureMode": "FailClose"}}},
                    "template": template(container("main")),
                }
            ),
            {"worker": template(asking("4")), "parallelism": {"tensor": 4, "pipeline": 2}},
        ],
        {
            **router(
                route={},
                gateway={},
                scheduler={
                    "pool": {"spec": {"endpointPickerRef": {"failureMode": "FailClose"}}},
                    "template": template(container("main")),
                },
            ),
            "worker": template(asking("4")),
            "parallelism": {"tensor": 4, "pipeline": 2},
        },
    ),
    "an address replaces one of another scheme": (
        [MODEL, {"model": {"uri": "s3://b"}}],
        {"model": {"uri": "s3://b"}},
    ),
    "the list of ingresses is replaced": (
        [
            router(ingress={"refs": [{"name": "a", "namespace": "n"}]}),
            router(ingress={"refs": [{"name": "b", "namespace": "n"}]}),
        ],
        router(ingress={"refs": [{"name": "b", "namespace": "n"}]}),
    ),
    "each part of a spec is merged for itself": (
        [
            {
                "model": {"uri": "hf://a", "name": "base", "lora": {"adapters": [{"name": "a"}]}},
                "replicas": 1,
                "parallelism": {"tensor": 2},
                **router(gateway={"refs": [{"name": "gw"}]}),
            },
            {
                "model": {"uri": "", "name": "own", "lora": {"adapters": [{"name": "b"}]}},
                "replicas": 5,
                "parallelism": {"pipeline": 4},
                **router(route={"http": {"refs": [{"name": "route"}]}}),
            },
        ],
        {
            "model": {"uri": "hf://a", "name": "own", "lora": {"adapters": [{"name": "b"}]}},
            "replicas": 5,
            "parallelism": {"tensor": 2, "pipeline": 4},
            **router(
                gateway={"refs": [{"name": "gw"}]}, route={"http": {"refs": [{"name": "route"}]}}
            ),
        },
    ),
    "an address fills an empty model": ([{"model": {}}, MODEL], MODEL),
    "a pod that says nothing leaves a pod": (
        [{"template": _BUSY, "replicas": 1}, {"template": {}}],
        {"template": _BUSY, "replicas": 1},
    ),
    "an empty third layer changes nothing": (
        [
            {"template": template(container("busybox"))},
            {"template": template(container("busybox-2")), "replicas": 2},
            {},
        ],
        {"template": template(container("busybox-2"), container("busybox")), "replicas": 2},
    ),
}
ROWS = {**MERGES, **CHAINS}


@pytest.mark.parametrize("row", ROWS)
def test_layers_are_merged_as_the_controller_does(row: str) -> None:
    layers, wanted = ROWS[row]
    assert merged([written(layer) for layer in layers], KServe.V0_17) == wanted
