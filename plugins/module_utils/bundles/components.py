# SPDX-License-Identifier: GPL-3.0-or-later
"""The controllers that this collection installs: what each stands on, what it serves, and which of its upgrades are refused.

Source: reference/kserve-isvc-and-install.md, B1, B13 and B15; sigs.k8s.io/lws v0.7.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..kube.applyset import GroupKind
from ..kube.crds import is_older, release_key
from ..kube.problem import Problem

_CERTIFICATE = GroupKind("cert-manager.io", "Certificate")
_ROUTE = GroupKind("gateway.networking.k8s.io", "HTTPRoute")
_POOL = GroupKind("inference.networking.k8s.io", "InferencePool")
_SERVICE = GroupKind("serving.kserve.io", "InferenceService")
_LLM_SERVICE = GroupKind("serving.kserve.io", "LLMInferenceService")


@dataclass(frozen=True, slots=True)
class Component:
    """One installable controller, or set of kinds.

    needs: kinds that have to be served, each with the component that brings it. serves: the kinds of what its users make. leases: by
    which the managers choose one of them to work. steps: whether releases are gone through one minor after the other.
    """

    name: str
    needs: Mapping[GroupKind, str]
    serves: tuple[GroupKind, ...] = ()
    leases: tuple[str, ...] = ()
    steps: bool = False


_ALL = (
    Component("gateway_api", {}, (GroupKind("gateway.networking.k8s.io", "Gateway"), _ROUTE)),
    Component("inference_extension", {}, (_POOL,)),
    Component(
        "lws",
        {},
        (GroupKind("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),),
        ("b8b2488c.x-k8s.io",),
    ),
    Component("cert_manager", {}, (_CERTIFICATE,)),
    Component(
        "kserve",
        {_CERTIFICATE: "cert_manager"},
        (_SERVICE, GroupKind("serving.kserve.io", "InferenceGraph"), _LLM_SERVICE),
        ("kserve-controller-manager-leader-lock",),
        steps=True,
    ),
    Component(
        "kserve_llmisvc",
        {_CERTIFICATE: "cert_manager", _ROUTE: "gateway_api", _POOL: "inference_extension"},
        (_LLM_SERVICE,),
        ("llminferenceservice-kserve-controller-manager",),
        steps=True,
    ),
    Component(
        "kserve_localmodel",
        {_CERTIFICATE: "cert_manager", _SERVICE: "kserve"},
        (GroupKind("serving.kserve.io", "LocalModelCache"),),
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
