# SPDX-License-Identifier: GPL-3.0-or-later
"""What scales the pods of a service by its load: who brings them about, and the autoscaler of llm-d, which says how many are wanted.

Later releases have no object for that autoscaler: it finds those who ask it by their annotations.
Source: KServe pkg/controller/v1alpha2/llmisvc/scaling.go@v0.18.0 and at aaac4e294dae.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.release import Since
from ...children import ObjectKind
from ...kserve.releases import KServe
from .. import labels, names
from ..errors import Unbuildable
from ..resolved import Resolved
from ..system_config import Prometheus

VARIANT = ObjectKind("llmd.ai/v1alpha1", "VariantAutoscaling")
SCALED_OBJECT = ObjectKind(gvk.KEDA, "ScaledObject", observed=True)
HPA = ObjectKind(gvk.AUTOSCALING, "HorizontalPodAutoscaler", observed=True)

_METRIC = "wva_desired_replicas"
_ACCELERATOR = "inference.optimization/acceleratorName"
#: Whether the autoscaler finds by annotations who asks it, and calls its answers by the name of who asks.
_FINDS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})
_MANAGED, _MODEL, _COST = "llm-d.ai/managed", "llm-d.ai/model-id", "llm-d.ai/variant-cost"
_COPIED = (
    "pollingInterval",
    "cooldownPeriod",
    "idleReplicaCount",
    "fallback",
    "advanced",
    "initialCooldownPeriod",
)


class Marks(NamedTuple):
    """What an object has beside its own labels."""

    labels: Mapping[str, str] = MappingProxyType({})
    annotations: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Workload:
    """The decode or the prefill pods of a service, as far as they are scaled. path: where they are in the spec."""

    path: tuple[str, ...]
    deployment: Callable[[str], str]
    group: Callable[[str], str]
    variant: Callable[[str], str]
    scaled_object: Callable[[str], str]
    hpa: Callable[[str], str]

    def scaling(self, resolved: Resolved) -> Json | None:
        """Return how they are to be scaled, None where they are not."""
        if resolved.stopped:
            return None
        found: Json | None = resolved.at(*self.path, "scaling")
        means = [(found or {}).get(each) for each in ("wva", "keda")]
        return found if any(each is not None for each in means) else None

    def keda(self, resolved: Resolved) -> Json | None:
        """Return what KEDA is told, None where it does not scale the pods."""
        scaling = self.scaling(resolved) or {}
        alone: Json | None = scaling.get("keda")
        return value_at(scaling, ("wva", "keda")) if alone is None else alone

    def pod_autoscaler(self, resolved: Resolved) -> Json | None:
        """Return what the HorizontalPodAutoscaler is told, None where it does not scale the pods."""
        found: Json | None = value_at(self.scaling(resolved) or {}, ("wva", "hpa"))
        return found

    def target(self, resolved: Resolved) -> Json:
        """Return what is scaled."""
        if resolved.at(*self.path, "worker") is not None:
            kind, name = (gvk.LEADER_WORKER_SET, "LeaderWorkerSet"), self.group
        else:
            kind, name = (gvk.APPS, "Deployment"), self.deployment
        return {"apiVersion": kind[0], "kind": kind[1], "name": name(resolved.name)}


MAIN = Workload(
    (), names.main, names.multi_node, names.variant, names.scaled_object, names.pod_autoscaler
)
PREFILL = Workload(
    ("prefill",),
    names.prefill,
    names.multi_node_prefill,
    names.prefill_variant,
    names.prefill_scaled_object,
    names.prefill_pod_autoscaler,
)


def variant_autoscaling(workload: Workload, resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return what llm-d's autoscaler works from, None where the pods are not scaled."""
    scaling = workload.scaling(resolved)
    if scaling is None:
        return None
    spec = {
        "scaleTargetRef": workload.target(resolved),
        "modelID": _model(resolved),
        "minReplicas": _least(scaling),
        "maxReplicas": scaling.get("maxReplicas"),
        "variantCost": scaling["wva"].get("variantCost"),
    }
    name = workload.variant(resolved.name)
    return _child(VARIANT, name, resolved, spec, marks=Marks(_accelerator(workload, resolved)))


def scaled_object(workload: Workload, resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return what KEDA works from, None where something else or nothing scales the pods. Raises Unbuildable."""
    scaling, keda = workload.scaling(resolved), workload.keda(resolved)
    if scaling is None or keda is None:
        return None
    name = workload.scaled_object(resolved.name)
    alone = scaling.get("keda") is not None
    spec = {
        "scaleTargetRef": workload.target(resolved),
        "minReplicaCount": _least(scaling),
        "maxReplicaCount": scaling.get("maxReplicas"),
        **{field: keda.get(field) for field in _COPIED},
        "triggers": keda["triggers"]
        if alone
        else [_trigger(_asker(workload, resolved, name), resolved)],
    }
    other = Reference(*HPA.pair, resolved.namespace, workload.hpa(resolved.name))
    marks = Marks() if alone else _marks(workload, scaling, resolved)
    return _child(SCALED_OBJECT, name, resolved, spec, marks=marks, replaces=(other,))


def pod_autoscaler(workload: Workload, resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the HorizontalPodAutoscaler, None where something else or nothing scales the pods."""
    scaling, hpa = workload.scaling(resolved), workload.pod_autoscaler(resolved)
    if scaling is None or hpa is None:
        return None
    name = workload.hpa(resolved.name)
    variant = {"matchLabels": {"variant_name": _asker(workload, resolved, name)}}
    metric = {
        "metric": {"name": _METRIC, "selector": variant},
        "target": {"type": "Value", "value": "1"},
    }
    spec = {
        "scaleTargetRef": workload.target(resolved),
        "minReplicas": _least(scaling),
        "maxReplicas": scaling.get("maxReplicas"),
        "metrics": [{"type": "External", "external": metric}],
        "behavior": hpa.get("behavior"),
    }
    other = Reference(
        *SCALED_OBJECT.pair, resolved.namespace, workload.scaled_object(resolved.name)
    )
    marks = _marks(workload, scaling, resolved)
    return _child(HPA, name, resolved, spec, marks=marks, replaces=(other,))


def _asker(workload: Workload, resolved: Resolved, name: str) -> str:
    """Return the name by which llm-d's autoscaler answers. name: of who asks."""
    finds = _FINDS.at(resolved.settings.release)
    return name if finds else workload.variant(resolved.name)


def _marks(workload: Workload, scaling: Json, resolved: Resolved) -> Marks:
    """Return by what llm-d's autoscaler finds who asks it, nothing where it has an object of its own."""
    if not _FINDS.at(resolved.settings.release):
        return Marks()
    found = {
        _MANAGED: "true",
        _MODEL: _model(resolved),
        _COST: scaling["wva"].get("variantCost"),
    }
    return Marks(_accelerator(workload, resolved), filled(found))


def _accelerator(workload: Workload, resolved: Resolved) -> Json:
    said = resolved.at(*workload.path, "labels") or {}
    return {_ACCELERATOR: said.get(_ACCELERATOR) or "unknown"}


def _model(resolved: Resolved) -> str:
    return str(resolved.at("model", "name") or resolved.at("model", "uri"))


def _least(scaling: Json) -> int:
    given: int | None = scaling.get("minReplicas")
    return 1 if given is None else given


def _child(
    kind: ObjectKind,
    name: str,
    resolved: Resolved,
    spec: Json,
    *,
    marks: Marks,
    replaces: tuple[Reference, ...] = (),
) -> Child:
    return Child(
        stage=Stage.WORKLOAD,
        replaces=replaces,
        manifest=Manifest(
            api_version=kind.api_version,
            kind=kind.kind,
            name=name,
            namespace=resolved.namespace,
            labels={**labels.workload(resolved.name), **marks.labels},
            annotations=marks.annotations,
            body={"spec": filled(spec)},
        ),
    )


def _trigger(variant: str, resolved: Resolved) -> Json:
    """Return where KEDA reads how many pods are wanted. variant: by which name."""
    server = resolved.config.prometheus
    _check(server, resolved)
    metadata = {
        "serverAddress": server.url,
        "query": f'{_METRIC}{{variant_name="{variant}",exported_namespace="{resolved.namespace}"}}',
        "threshold": "1",
        "unsafeSsl": "true" if server.insecure else "false",
        "authModes": server.auth_modes,
    }
    login = {"name": server.login_name, "kind": server.login_kind}
    return filled(
        {
            "type": "prometheus",
            "name": "wva-desired-replicas",
            "metadata": filled(metadata),
            "authenticationRef": filled(login) if server.login_name else None,
        }
    )


def _check(server: Prometheus, resolved: Resolved) -> None:
    key = "autoscaling-wva-controller-config"
    fault = ""
    if not server.url:
        fault = f"{key}.prometheus.url is required in inferenceservice-config when using KEDA"
    elif bool(server.login_name) != bool(server.auth_modes):
        fault = f"{key}.prometheus.authModes and {key}.prometheus.triggerAuthName must both be set or both be empty"
    if fault:
        raise Unbuildable(
            fault,
            condition="MainWorkloadReady",
            reason="ReconcileScalingError",
            path="spec.scaling.wva.keda",
            advice=f"correct ConfigMap {resolved.settings.kserve_namespace}/inferenceservice-config, or scale by hpa",
            rule="scaling",
        )
