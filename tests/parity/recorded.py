# SPDX-License-Identifier: GPL-3.0-or-later
"""Every recording of a kind in its releases, and where we differ from it on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import pytest

from module_utils.kinds.kserve.releases import KServe

from .cases import (
    Case,
    cache_cases,
    graph_cases,
    impossible_cases,
    inference_service_cases,
    llm_cases,
    model_service_cases,
)
from .compare import Key
from .recorded_inference_graphs import RECORDED as GRAPHS
from .recorded_inference_services import LATER as INFERENCE_SERVICES
from .recorded_llm_services import LATER as LLM_INFERENCE_SERVICES
from .recorded_local_models import RECORDED as CACHE_RELEASES


@dataclass(frozen=True)
class Recording:
    """The cases of one kind. cases: by name. order: their objects' keys without the order that chance, or our stages, decide.

    refused: admitted by the API, and refused by us before any write: case → each `Problem.rule`. cut_short: the controller came to a stop on
    its way; what it sent is what we render, and we render the rest, too: case → row. different: case → row and each difference.
    rows: of docs/differences.md, where that of a refused case is not called like its rule. own_words: of cases, or of rules, for which
    our error does not repeat what the controller reports. unobserved: cases whose status says what is not recorded, or what we say otherwise.

    """

    name: str
    cases: Mapping[str, Case]
    order: Callable[[list[Key]], list[Key]] = list
    refused: Mapping[str, str] = field(default_factory=dict)
    cut_short: Mapping[str, str] = field(default_factory=dict)
    different: Mapping[str, tuple[str, list[str]]] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)
    own_words: frozenset[str] = frozenset()
    unobserved: frozenset[str] = frozenset()

    def denied(self, name: str) -> bool:
        """Tell whether the controller's own webhook refused a case."""
        return "refusal" in self.cases[name].status()

    def equal(self) -> list[str]:
        """Return the cases that come out as they were recorded."""
        apart = {*self.refused, *self.cut_short, *self.different}
        return [name for name in self.cases if name not in apart and not self.denied(name)]

    def row(self, name: str) -> str:
        """Return the row of docs/differences.md that names a case."""
        known = {name: row for name, (row, dummy) in self.different.items()}
        rows = {**self.refused, **self.cut_short, **known, **self.rows}
        return rows[name]


def places(
    names: Callable[[Recording], Iterable[str]], among: Iterable[Recording] | None = None
) -> pytest.MarkDecorator:
    """Return what asks a promise of some cases of each recording."""
    found = [(one, name) for one in (RECORDINGS if among is None else among) for name in names(one)]
    ids = [f"{one.name}/{name}" for one, name in found]
    return pytest.mark.parametrize(("recording", "name"), found, ids=ids)


def _routes_by_chance(keys: list[Key]) -> list[Key]:
    """The controller makes a route when its component is ready."""
    routes = iter(sorted(key for key in keys if key[1] == "HTTPRoute"))
    return [next(routes) if key[1] == "HTTPRoute" else key for key in keys]


def _services_first(keys: list[Key]) -> list[Key]:
    """Services come before workloads from 0.20 on; here they are applied in a stage before them under every release."""
    return _routes_by_chance(sorted(keys, key=lambda key: key[:2] != ("v1", "Service")))


_ENV = "Deployment eng/eng-dup-decode: .spec.template.spec.containers[0].env"
_PULL = "Deployment pull/pull-duplicate-decode: .spec.template.spec.imagePullSecrets"

MODEL_SERVICE = Recording(
    "ModelService",
    model_service_cases(),
    refused={
        "engine-env-bad-name": "env-name",
        "engine-pull-invalid": "enum",
        "engine-pull-percent": "enum",
        "ex-09-name-64": "name",
        "flags-no-engine-image": "image",
        "flags-provider-unknown": "enum",
        "flags-version-plus": "name",
        "mon-bad-interval": "interval",
        "mount-docker-dir": "mount-path",
        "name-len-253": "name",
        "name-len-60": "name",
        "name-len-63-dotted": "name",
        "pool-port-9090": "picker-port",
        "res-claims": "resource-claims",
        "res-request-over-limit": "request-above-limit",
        "route-bad-hostname": "pattern",
        "route-seventeen-hostnames": "length",
        "schema-unknown-fields": "unknown-field",
        "v1-name-60": "name",
    },
    # Where a rule of the schema stands for a decision that has a row of its own.
    rows={"flags-provider-unknown": "W42"},
    different={
        # Server-side apply refuses names that stand twice. What is overridden is left out, the rest keeps its order.
        "engine-env-duplicates": (
            "env-duplicate",
            [
                f"{_ENV}[0].name: recorded 'TP_SIZE', ours 'DP_SIZE'",
                f"{_ENV}[1].name: recorded 'DP_SIZE', ours 'DP_SIZE_LOCAL'",
                f"{_ENV}[2].name: recorded 'DP_SIZE_LOCAL', ours 'TP_SIZE'",
                f"{_ENV}[2].value: recorded '1', ours '9'",
                f"{_ENV}[3].name: recorded 'TP_SIZE', ours 'A'",
                f"{_ENV}[3].value: recorded '9', ours '2'",
                f"{_ENV}[4]: recorded {{'name': 'A', 'value': '1'}}, ours None",
                f"{_ENV}[5]: recorded {{'name': 'A', 'value': '2'}}, ours None",
            ],
        ),
        # Same reason: a pull secret that is listed twice has no effect.
        "pull-duplicate": (
            "pull-secret-duplicate",
            [f"{_PULL}[1]: recorded {{'name': 'reg-a'}}, ours None"],
        ),
    },
)
LLM_INFERENCE_SERVICE = Recording(
    "LLMInferenceService",
    llm_cases(),
    refused={
        "ca-bundle-missing": "ca-bundle",
        "merged-pipeline-and-data": "merged",
        "merged-refs-and-spec": "merged",
        "merged-refs-managed-gateway": "merged",
        "merged-replicas-and-scaling": "merged",
        "mn-pp-no-preset": "preset",
        "name-with-dots": "name",
        "oci-disabled": "model",
        "oci-no-main": "model",
        "route-preset-empty": "route-empty",
        "router-spec-parent-conflict": "route-parents",
        "sa-prefill-missing": "service-account",
        "sched-inline-two-layers": "preset-merge",
        "sched-ref-missing-key": "picker-config",
        "sched-sa-missing": "service-account",
        "sys-config-bad-ingress": "system-config",
        "sys-no-config-file": "system-config",
        "tpl-absent-everywhere": "container",
        "tpl-ports-probes": "probe",
        "tpl-vars": "template",
        "tpl-volume-conflict": "volume",
        "tplerr-missing-label": "template",
        "tplerr-nil-pointer": "template",
        "tplerr-secret-config": "template",
        "tplerr-syntax": "template",
        "uri-no-scheme": "model",
    },
    # What the API server would say of the child, and Go of its pointers, is told in our own words.
    own_words=frozenset(
        {"container", "name", "probe", "route-parents", "tplerr-nil-pointer", "volume"}
    ),
    cut_short={
        # A kind is missing in the cluster: refused by whoever writes.
        "env-no-lws-crd-mn": "L1",
        "env-no-v1alpha2-pool-crd": "L2",
        # Somebody else's object has the name of a child: refused by whoever writes.
        "foreign-deployment": "L60",
        "foreign-deployment-prefill-stale": "L60",
        "foreign-service": "L60",
        # A reference of the router leads nowhere.
        "router-gwref-missing": "L61",
        "router-gwref-no-ns": "L61",
        "router-routeref-missing": "L61",
        "router-spec-parent-other-kind": "L61",
        "sys-config-no-ingress-key": "L61",
    },
)


def _led_to(children: Mapping[str, list[str]]) -> dict[str, tuple[str, list[str]]]:
    """The controller takes a predictor on several nodes for ready by chance or never, and only then makes what leads to it from outside."""
    return {
        name: ("I9", [f"{each}: not in the recording" for each in made])
        for name, made in children.items()
    }


_SEVERAL_NODES = {
    "multinode-gpus": ["Ingress team-a/mn2"],
    "multinode-oci-worker-labels": ["Ingress team-a/mn3"],
}
INFERENCE_SERVICE = Recording(
    "InferenceService",
    inference_service_cases(),
    order=_routes_by_chance,
    different=_led_to({"multinode-basic": ["Ingress team-a/mn"], **_SEVERAL_NODES}),
)
_FETCHING = (
    "Deployment cred-no-default-sa/demo-kserve: .spec.template.spec.initContainers[0].env: recorded None, ours "
    "[{'name': 'HF_HUB_ENABLE_HF_TRANSFER', 'value': '1'}, {'name': 'HF_XET_HIGH_PERFORMANCE', 'value': '1'}, "
    "{'name': 'HF_XET_NUM_CONCURRENT_RANGE_GETS', 'value': '8'}]"
)
LATER_LLM_INFERENCE_SERVICES = [
    Recording(
        f"LLMInferenceService-{release}",
        llm_cases(release),
        refused={
            "config-not-found": "preset",
            "lora-image-refused": "adapters",
            "scaling-keda": "scaling",
            "v1a1-scaling": "scaling",
        },
        own_words=frozenset({"adapters", "scaling"}),
        cut_short={"foreign-service": "L60"},
        different={"cred-no-default-sa": ("L101", [_FETCHING])},
    )
    for release in LLM_INFERENCE_SERVICES
]
#: Services whose mode the webhook of 0.19 takes for a change.
_REFUSED_MODES = ("mode-knative-annotation", "mode-serverless-annotation")
_IN_ONE_FOLDER = "later-images-in-one-folder"
#: 0.20.0 gives canaries no share of the requests.
_UNSHARED = {
    "later-canaries": (
        "I123",
        [
            f"HTTPRoute team-a/{name}: .spec.rules[0].backendRefs[0].weight: recorded None, ours 100"
            for name in ("demo", "demo-predictor")
        ],
    )
}
LATER_INFERENCE_SERVICES = [
    Recording(
        f"InferenceService-{release}",
        inference_service_cases(release),
        order=_services_first,
        different=_led_to(
            {
                "later-several-nodes-mp": [
                    "HTTPRoute team-a/demo",
                    "HTTPRoute team-a/demo-predictor",
                ],
                **({"multinode-basic": ["Ingress team-a/mn"]} if release < KServe.V0_20 else {}),
                **_SEVERAL_NODES,
            }
        )
        | (_UNSHARED if release == KServe.V0_20 else {}),
        cut_short=dict.fromkeys(_REFUSED_MODES, "I119") if release == KServe.V0_19 else {},
        unobserved=frozenset(
            {
                "multinode-basic",
                "later-several-nodes-mp",
                *_SEVERAL_NODES,
                *(_REFUSED_MODES if release == KServe.V0_19 else ()),
                # What Knative said before, when all requests went to the first revision, is not recorded.
                "kn-canary-first-create",
            }
        ),
        refused={_IN_ONE_FOLDER: "storage-uris"} if release >= KServe.V0_20 else {},
        rows={_IN_ONE_FOLDER: "I110"},
    )
    for release in INFERENCE_SERVICES
]
#: What the webhook admits, and we refuse: it looks neither at groups nor at credentials.
_REFUSED_CACHES = {
    "account-missing": "account",
    "group-missing": "node-group",
    "storage-key-missing": "cache-storage",
    "storage-untyped": "cache-storage",
}
_ROWS_OF_CACHES = {"account": "C11", "cache-storage": "C11", "node-group": "C9"}
INFERENCE_GRAPHS = [
    Recording(
        f"InferenceGraph-{release}",
        graph_cases(release),
        # The controller makes the Service first; here it is applied in a stage before the workload.
        order=sorted,
        refused={
            "cpu-zero": "autoscaler range",
            "name-59": "name-length",
            "scaled-by-keda": "autoscaler",
            "service-missing": "graph-service",
            "service-runtime-missing": "graph-service",
            "knative-model-mesh": "mode",
        },
        rows={
            "knative-model-mesh": "G5",
            "cpu-zero": "G10",
            "name-59": "G8",
            "scaled-by-keda": "G4",
            "service-missing": "G1",
            "service-runtime-missing": "G1",
        },
    )
    for release in GRAPHS
]
CACHES = [
    Recording(
        f"LocalModelCache-{release}",
        cache_cases(release),
        # The agent makes its Jobs beside the controller.
        order=sorted,
        refused={
            name: rule for name, rule in _REFUSED_CACHES.items() if name in cache_cases(release)
        },
        rows={name: _ROWS_OF_CACHES[rule] for name, rule in _REFUSED_CACHES.items()},
    )
    for release in CACHE_RELEASES
]
_IMPOSSIBLE = {
    "ca-bundle-missing": "ca-bundle",
    "cm-domain-template-single-label": "host",
    "knative-config-autoscaler-missing": "knative",
}
IMPOSSIBLE = Recording(
    "InferenceService-impossible",
    impossible_cases(_IMPOSSIBLE),
    refused=_IMPOSSIBLE,
    rows=dict.fromkeys(_IMPOSSIBLE, "I87"),
    # Which ConfigMap is missing is told in our own words.
    own_words=frozenset({"ca-bundle"}),
)
RECORDINGS = [
    MODEL_SERVICE,
    LLM_INFERENCE_SERVICE,
    *LATER_LLM_INFERENCE_SERVICES,
    INFERENCE_SERVICE,
    *LATER_INFERENCE_SERVICES,
    IMPOSSIBLE,
    *INFERENCE_GRAPHS,
    *CACHES,
]
