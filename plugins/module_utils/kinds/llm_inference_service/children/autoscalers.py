# SPDX-License-Identifier: GPL-3.0-or-later
"""What scales the pods of a service by its load: the autoscaler of llm-d, which says how many are wanted, and who brings them about.

Source: KServe pkg/controller/v1alpha2/llmisvc/scaling.go@v0.18.0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from ....kube.reference import Reference
from ...children import ObjectKind
from .. import labels, names
from ..errors import Unbuildable
from ..resolved import Resolved
from ..system_config import Prometheus

VARIANT = ObjectKind("llmd.ai/v1alpha1", "VariantAutoscaling")
SCALED_OBJECT = ObjectKind(gvk.KEDA, "ScaledObject", observed=True)
HPA = ObjectKind(gvk.AUTOSCALING, "HorizontalPodAutoscaler", observed=True)

_METRIC = "wva_desired_replicas"
_ACCELERATOR = "inference.optimization/acceleratorName"
_COPIED = (
    "pollingInterval",
    "cooldownPeriod",
    "idleReplicaCount",
    "fallback",
    "advanced",
    "initialCooldownPeriod",
)


@dataclass(frozen=True, slots=True)
class Workload:
    """The decode or the prefill pods of a service, as far as they are scaled. path: where they stand in the spec."""

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
        return found if found is not None and found.get("wva") is not None else None

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
    said = resolved.at(*workload.path, "labels") or {}
    accelerator = {_ACCELERATOR: said.get(_ACCELERATOR) or "unknown"}
    spec = {
        "scaleTargetRef": workload.target(resolved),
        "modelID": resolved.at("model", "name") or resolved.at("model", "uri"),
        "minReplicas": _least(scaling),
        "maxReplicas": scaling.get("maxReplicas"),
        "variantCost": scaling["wva"].get("variantCost"),
    }
    name = workload.variant(resolved.name)
    return _child(VARIANT, name, resolved, spec, more=accelerator)


def scaled_object(workload: Workload, resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return what KEDA works from, None where something else or nothing scales the pods. Raises Unbuildable."""
    scaling = workload.scaling(resolved)
    if scaling is None or scaling["wva"].get("keda") is None:
        return None
    keda: Json = scaling["wva"]["keda"]
    spec = {
        "scaleTargetRef": workload.target(resolved),
        "minReplicaCount": _least(scaling),
        "maxReplicaCount": scaling.get("maxReplicas"),
        **{field: keda.get(field) for field in _COPIED},
        "triggers": [_trigger(workload, resolved)],
    }
    other = Reference(*HPA.pair, resolved.namespace, workload.hpa(resolved.name))
    name = workload.scaled_object(resolved.name)
    return _child(SCALED_OBJECT, name, resolved, spec, replaces=(other,))


def pod_autoscaler(workload: Workload, resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the HorizontalPodAutoscaler, None where something else or nothing scales the pods."""
    scaling = workload.scaling(resolved)
    if scaling is None or scaling["wva"].get("hpa") is None:
        return None
    variant = {"matchLabels": {"variant_name": workload.variant(resolved.name)}}
    metric = {
        "metric": {"name": _METRIC, "selector": variant},
        "target": {"type": "Value", "value": "1"},
    }
    spec = {
        "scaleTargetRef": workload.target(resolved),
        "minReplicas": _least(scaling),
        "maxReplicas": scaling.get("maxReplicas"),
        "metrics": [{"type": "External", "external": metric}],
        "behavior": scaling["wva"]["hpa"].get("behavior"),
    }
    other = Reference(
        *SCALED_OBJECT.pair, resolved.namespace, workload.scaled_object(resolved.name)
    )
    return _child(HPA, workload.hpa(resolved.name), resolved, spec, replaces=(other,))


def _least(scaling: Json) -> int:
    given: int | None = scaling.get("minReplicas")
    return 1 if given is None else given


def _child(
    kind: ObjectKind,
    name: str,
    resolved: Resolved,
    spec: Json,
    *,
    more: Json | None = None,
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
            labels={**labels.workload(resolved.name), **(more or {})},
            body={"spec": filled(spec)},
        ),
    )


def _trigger(workload: Workload, resolved: Resolved) -> Json:
    """Return where KEDA reads how many pods are wanted."""
    server = resolved.config.prometheus
    _check(server, resolved)
    variant = workload.variant(resolved.name)
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
