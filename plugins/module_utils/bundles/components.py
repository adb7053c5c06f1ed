# SPDX-License-Identifier: GPL-3.0-or-later
"""The controllers that this collection installs: what each depends on, what it serves, and which of its upgrades are refused.

Source: KServe hack/setup/, charts/@v0.17.0, kserve-deps.env@v0.17.0 to v0.20.0; sigs.k8s.io/lws v0.7.0. What 0.21 brings is told by its
release notes alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..kube import gvk
from ..kube.applyset import GroupKind
from ..kube.crds import is_older, release_key
from ..kube.problem import Problem
from .managers import (
    CONTROLLER_MANAGER,
    LLMISVC_MANAGER,
    LOCALMODEL_MANAGER,
    LWS_MANAGER,
    NODE_AGENT,
    Manager,
)

_CERTIFICATE = GroupKind("cert-manager.io", "Certificate")
_ROUTE = GroupKind(gvk.GATEWAY_GROUP, "HTTPRoute")
_POOL = GroupKind(gvk.POOL_GROUP, "InferencePool")
_OLD_POOL = GroupKind(gvk.OLD_POOL_GROUP, "InferencePool")
_SERVICE = GroupKind("serving.kserve.io", "InferenceService")
_LLM_SERVICE = GroupKind("serving.kserve.io", "LLMInferenceService")


@dataclass(frozen=True, slots=True)
class Start:
    """What a Deployment looks at only when it starts: whether kinds are served, and values of a ConfigMap's JSON."""

    workload: str
    kinds: tuple[GroupKind, ...]
    config: str = ""
    keys: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Component:
    """One installable controller, or set of kinds.

    needs: kinds that have to be served, each with the component that brings it. serves: the kinds of what its users make. managers: the
    workloads that have to run. steps: whether releases are gone through one minor after the other.
    edited: ConfigMaps that people edit. starts: what is looked at only once. until: the first release that no longer needs a kind.
    made_for: by release, the releases of other components that its project installs with it, as far as they change.
    """

    name: str
    needs: Mapping[GroupKind, str]
    serves: tuple[GroupKind, ...] = ()
    managers: tuple[Manager, ...] = ()
    steps: bool = False
    edited: tuple[str, ...] = ()
    starts: tuple[Start, ...] = ()
    until: Mapping[GroupKind, str] = field(default_factory=dict)
    made_for: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def stands_on(self, version: str) -> dict[str, str]:
        """Return the releases of other components that a release is made for; empty where it is no release of a known form."""
        found: dict[str, str] = {}
        for since, brought in self.made_for.items():
            if release_key(version) is not None and not is_older(version, since):
                found |= brought
        return found

    def needed(self, version: str) -> dict[GroupKind, str]:
        """Return the kinds that a release needs, each with the component that brings it."""
        return {
            kind: by
            for kind, by in self.needs.items()
            if kind not in self.until or is_older(version, self.until[kind])
        }


_CONFIG = "inferenceservice-config"
_KSERVE_MADE_FOR = {
    "v0.17.0": {
        "cert_manager": "v1.17.0",
        "gateway_api": "v1.4.1",
        "inference_extension": "v1.3.0",
        "lws": "v0.7.0",
    },
    "v0.18.0": {"inference_extension": "v1.3.1", "lws": "v0.8.0"},
    "v0.20.0": {"gateway_api": "v1.5.1", "inference_extension": "v1.5.0"},
    "v0.21.0": {"lws": "v0.10.0"},
}
_KSERVE_START = Start(
    "kserve-controller-manager",
    (
        GroupKind("serving.knative.dev", "Service"),
        GroupKind("keda.sh", "ScaledObject"),
        GroupKind("opentelemetry.io", "OpenTelemetryCollector"),
        GroupKind("networking.istio.io", "VirtualService"),
        _ROUTE,
    ),
    _CONFIG,
    (("deploy", "defaultDeploymentMode"), ("ingress", "enableGatewayApi"), ("multiNode",)),
)
_LLM_START = Start(
    "llmisvc-controller-manager",
    (_ROUTE, _POOL, _OLD_POOL, GroupKind("leaderworkerset.x-k8s.io", "LeaderWorkerSet")),
)

_ALL = (
    Component("gateway_api", {}, (GroupKind(gvk.GATEWAY_GROUP, "Gateway"), _ROUTE)),
    Component("inference_extension", {}, (_POOL,)),
    Component(
        "lws",
        {},
        (GroupKind("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),),
        (LWS_MANAGER,),
    ),
    Component("cert_manager", {}, (_CERTIFICATE,)),
    Component(
        "kserve",
        {_CERTIFICATE: "cert_manager"},
        (_SERVICE, GroupKind("serving.kserve.io", "InferenceGraph"), _LLM_SERVICE),
        (CONTROLLER_MANAGER,),
        steps=True,
        edited=(_CONFIG,),
        starts=(_KSERVE_START, _LLM_START),
        made_for=_KSERVE_MADE_FOR,
    ),
    Component(
        "kserve_llmisvc",
        {
            _CERTIFICATE: "cert_manager",
            _ROUTE: "gateway_api",
            _POOL: "inference_extension",
            _OLD_POOL: "inference_extension",
        },
        (_LLM_SERVICE,),
        (LLMISVC_MANAGER,),
        steps=True,
        edited=(_CONFIG,),
        starts=(_LLM_START,),
        until={_OLD_POOL: "v0.20.0"},
        made_for=_KSERVE_MADE_FOR,
    ),
    Component(
        "kserve_localmodel",
        {_CERTIFICATE: "cert_manager", _SERVICE: "kserve"},
        (GroupKind("serving.kserve.io", "LocalModelCache"),),
        (LOCALMODEL_MANAGER, NODE_AGENT),
        steps=True,
    ),
    Component(
        "model_operator",
        {_ROUTE: "gateway_api", _POOL: "inference_extension"},
        (GroupKind("model.otterscale.io", "ModelService"),),
        steps=True,
    ),
)

COMPONENTS: Mapping[str, Component] = {component.name: component for component in _ALL}


def refused_release(component: Component | None, new: str, old: str) -> Iterator[Problem]:
    """Yield why a set may not go from one release to another. old: empty where none is known."""
    if not new or not old or new == old:
        return
    if is_older(new, old):
        text = (
            f"{old} runs, and {new} is older: what the newer release has stored may not be readable by it; "
            f"give version {old} or newer, or remove the set first"
        )
        yield Problem("version", text, rule="downgrade")
    elif component is not None and component.steps and _skips(new, old):
        text = (
            f"{old} runs, and {new} is more than one minor release later: what is stored is moved from each release to the next; "
            "install the releases in between first"
        )
        yield Problem("version", text, rule="skipped-release")


def _skips(new: str, old: str) -> bool:
    later, earlier = release_key(new), release_key(old)
    if later is None or earlier is None:
        return False
    return later[0] > earlier[0] + 1 or (later[0] == earlier[0] and later[1] > earlier[1] + 1)
