# SPDX-License-Identifier: GPL-3.0-or-later
"""Autoscalers against what they scale: how few pods they allow, by what they count, and who else says how many there are.

Source: KEDA apis/keda/v1alpha1/scaledobject_webhook.go@v2.17.0; Kubernetes documentation, Horizontal Pod Autoscaling.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import ERROR, WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ROUTER, ServiceView, Workload
from ..kube import gvk
from ..kube.containers import containers_of
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.redact import redact_text
from ..kube.reference import Reference
from ..kube.url_form import is_url, local_port

_SCALED_OBJECT = (gvk.KEDA, "ScaledObject")
_AUTOSCALER = (gvk.AUTOSCALING, "HorizontalPodAutoscaler")
_DEPLOYMENT = "Deployment"
#: Where a trigger asks a server for what it measures.
_ADDRESS = "serverAddress"
#: Triggers that cannot measure without it.
_ASK = frozenset({"prometheus", "graphite"})
#: What is measured of pods that run, so that nothing is measured where none does.
_OF_PODS = ("cpu", "memory")

FROM_ZERO = Check(
    "scale-from-zero",
    ERROR,
    finds="the fewest pods are 0, and {metrics} is measured on running pods: KEDA refuses this, since nothing would start the first pod",
    fix="use at least 1, or add a trigger that is not a Resource of the pods, for example prometheus",
    stops=True,
)
HPA_ZERO = Check(
    "scale-from-zero",
    WARNING,
    finds="the fewest pods are 0, which the API takes in an HPA only with the feature gate HPAScaleToZero",
    fix="use at least 1, or scale with KEDA",
)
NO_REQUEST = Check(
    "scale-without-request",
    WARNING,
    finds="the autoscaler measures {metric} as a share of the request, but container {container} requests none: it never scales",
    fix="set resources.requests.{metric} of that container",
)
NO_PODS = Check(
    "scaled-to-zero",
    WARNING,
    finds="0 pods: nothing serves requests, but the service may still count as ready",
    fix="use at least 1, or stop or remove the service",
)
TWO_COUNTS = Check(
    "replicas-scaled",
    WARNING,
    finds="{count} replicas are set, but {scaler} scales {target}: each run would undo the autoscaler's change",
    fix="leave the number out, or delete the autoscaler",
)
TWO_SCALERS = Check(
    "scaled-twice",
    WARNING,
    finds="{scaler} scales {target}, and so does the autoscaler of the service: each undoes what the other does",
    fix="delete one of them; a service of autoscaler class external or none makes none",
)
ELSEWHERE = Check(
    "scaler-elsewhere",
    WARNING,
    finds="{scaler} scales {target}, which {absent}: the number of pods of this service does not follow it",
    fix="write {workload} into its scaleTargetRef, or delete it",
)
NO_ADDRESS = Check(
    "trigger-address",
    WARNING,
    finds='the trigger {type} asks "{address}", which is not a URL: KEDA measures nothing, and does not scale',
    fix="write http:// or https://, a host and a port",
)
OWN_POD = Check(
    "trigger-address",
    WARNING,
    finds='the trigger {type} asks "{address}": KEDA asks from its own pod, where nothing measures, and does not scale',
    fix="name the Service of the server with its namespace, for example http://prometheus.monitoring:9090",
)
FALLBACK = Check(
    "scale-fallback",
    WARNING,
    finds="KEDA falls back to {pods} pods while it has no measurement, but at most {most} are allowed: {most} run",
    fix="use at most {most}, or allow more",
)


@check(FROM_ZERO)
def from_zero(view: ServiceView) -> Iterator[Problem]:
    """Yield ScaledObjects that may scale to zero but need a pod to measure."""
    for spec, workload in _scalers(view, *_SCALED_OBJECT):
        kinds = {str(trigger.get("type")) for trigger in spec.get("triggers") or ()}
        least = spec.get("idleReplicaCount", spec.get("minReplicaCount"))
        if least == 0 and kinds and kinds <= set(_OF_PODS):
            yield FROM_ZERO.at(_field(workload), metrics=" and ".join(sorted(kinds)))


@check(HPA_ZERO)
def hpa_zero(view: ServiceView) -> Iterator[Problem]:
    """Yield HPAs that may scale to zero."""
    for spec, workload in _scalers(view, *_AUTOSCALER):
        if spec.get("minReplicas") == 0:
            yield HPA_ZERO.at(_field(workload))


@check(NO_REQUEST)
def no_request(view: ServiceView) -> Iterator[Problem]:
    """Yield containers without a request for the resource that an autoscaler measures as a share."""
    for spec, workload in (
        *_scalers(view, *_AUTOSCALER),
        *_scalers(view, *_SCALED_OBJECT),
    ):
        for metric in sorted(_shares(spec)) if _moves(spec) else ():
            for container, path in containers_of(workload.pod):
                if path.startswith("containers") and not _requests(container, metric):
                    place = workload.fields(f"{path}.resources")
                    yield NO_REQUEST.at(place, metric=metric, container=container.get("name"))


@check(NO_ADDRESS, costly=True)
def no_address(view: ServiceView) -> Iterator[Problem]:
    """Yield triggers whose server address is not a URL."""
    for trigger, address, place in _asking(view):
        if not is_url(address):
            yield NO_ADDRESS.at(place, type=trigger.get("type"), address=redact_text(address))


@check(OWN_POD, costly=True)
def own_pod(view: ServiceView) -> Iterator[Problem]:
    """Yield triggers whose server is asked for in KEDA's own pod."""
    for trigger, address, place in _asking(view):
        if local_port(address):
            yield OWN_POD.at(place, type=trigger.get("type"), address=redact_text(address))


@check(FALLBACK, costly=True)
def fallback(view: ServiceView) -> Iterator[Problem]:
    """Yield ScaledObjects that fall back to more pods than they allow."""
    for manifest in view.made_of(*_SCALED_OBJECT):
        spec: Json = manifest.get("spec") or {}
        pods, most = value_at(spec, ("fallback", "replicas")), spec.get("maxReplicaCount")
        if isinstance(pods, int) and isinstance(most, int) and pods > most:
            place = view.field_map.at(Reference.of(manifest), "spec.fallback.replicas")
            yield FALLBACK.at(place, pods=pods, most=most)


@check(NO_PODS)
def no_pods(view: ServiceView) -> Iterator[Problem]:
    """Yield workloads with zero replicas that no autoscaler changes."""
    for workload in (*view.serving, *view.of(ROUTER)):
        if workload.replicas == 0:
            yield NO_PODS.at(workload.replicas_field)


@check(TWO_COUNTS, reads=("HorizontalPodAutoscalers", "ScaledObjects"))
def two_counts(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield workloads with a fixed number of replicas that somebody else's autoscaler changes."""
    made = {Reference.of(manifest) for manifest in view.made}
    for workload in view.workloads:
        if workload.replicas is None:
            continue
        target = workload.reference
        for kind in (_AUTOSCALER, _SCALED_OBJECT):
            for scaler in reader.list(*kind, target.namespace, {}):
                found = Reference.of(scaler)
                if found not in made and _targets(scaler.get("spec") or {}, target):
                    yield TWO_COUNTS.at(
                        workload.replicas_field,
                        count=workload.replicas,
                        scaler=f"{found.kind} {found.name}",
                        target=f"{target.kind} {target.name}",
                    )


@check(TWO_SCALERS, reads=("HorizontalPodAutoscalers", "ScaledObjects"))
def two_scalers(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield autoscalers of somebody else beside the service's own; what a ScaledObject or a service has made is nobody else's."""
    made = {Reference.of(manifest) for manifest in view.made}
    scaled = [
        workload
        for kind in (_AUTOSCALER, _SCALED_OBJECT)
        for dummy, workload in _scalers(view, *kind)
    ]
    for workload in scaled:
        target = workload.reference
        for kind in (_AUTOSCALER, _SCALED_OBJECT):
            for scaler in reader.list(*kind, target.namespace, {}):
                found = Reference.of(scaler)
                owned = scaler["metadata"].get("ownerReferences")
                if found not in made and not owned and _targets(scaler.get("spec") or {}, target):
                    yield TWO_SCALERS.at(
                        _field(workload),
                        scaler=f"{found.kind} {found.name}",
                        target=f"{target.kind} {target.name}",
                    )


@check(ELSEWHERE, reads=("HorizontalPodAutoscalers", "ScaledObjects", "Deployments"))
def scaler_elsewhere(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield autoscalers of somebody else that name the service where its workload is meant."""
    made = {Reference.of(manifest) for manifest in view.made}
    scalable = [each for each in view.serving if each.reference.name != view.reference.name]
    for workload in scalable[:1]:
        for kind in (_AUTOSCALER, _SCALED_OBJECT):
            for scaler in reader.list(*kind, view.reference.namespace, {}):
                found, target = Reference.of(scaler), _target(scaler)
                named = (target.kind, target.name)
                itself = named == (view.reference.kind, view.reference.name)
                alike = named == (workload.reference.kind, view.reference.name)
                if found in made or not (itself or alike) or (alike and reader.get(target)):
                    continue
                absent = "does not exist" if reader.complete else "is not among the given objects"
                yield ELSEWHERE.at(
                    workload.replicas_field,
                    scaler=f"{found.kind} {found.name}",
                    target=f"{target.kind} {target.name}",
                    absent="has no number of pods that can be changed" if itself else absent,
                    workload=f"{workload.reference.kind} {workload.reference.name}",
                )


def _scalers(view: ServiceView, api_version: str, kind: str) -> Iterator[tuple[Json, Workload]]:
    """Yield the specs of a service's autoscalers of one kind, each with what it scales."""
    for manifest in view.made_of(api_version, kind):
        spec: Json = manifest.get("spec") or {}
        for workload in view.workloads:
            if _targets(spec, workload.reference):
                yield spec, workload


def _targets(spec: Json, reference: Reference) -> bool:
    target = spec.get("scaleTargetRef") or {}
    # KEDA takes a Deployment where nothing is said.
    kind = target.get("kind") or _DEPLOYMENT
    return (kind, target.get("name")) == (reference.kind, reference.name)


def _target(scaler: Json) -> Reference:
    """Return what an autoscaler scales."""
    target = value_at(scaler, ("spec", "scaleTargetRef")) or {}
    return Reference(
        str(target.get("apiVersion") or gvk.APPS),
        str(target.get("kind") or _DEPLOYMENT),
        str(scaler["metadata"].get("namespace") or ""),
        str(target.get("name")),
    )


def _field(workload: Workload) -> str:
    """Return where the fewest pods are said: in a `scaling` block beside the number of pods, or in its place."""
    where, dummy, last = workload.replicas_field.rpartition(".")
    return workload.replicas_field if last == "minReplicas" else f"{where}.scaling.minReplicas"


def _shares(spec: Json) -> set[str]:
    """Return the resources that an autoscaler measures as a share of what is requested."""
    found = {
        str(value_at(metric, ("resource", "name")))
        for metric in spec.get("metrics") or ()
        if value_at(metric, ("resource", "target", "type")) == "Utilization"
    }
    return found | {
        str(trigger.get("type"))
        for trigger in spec.get("triggers") or ()
        if trigger.get("type") in _OF_PODS and trigger.get("metricType") == "Utilization"
    }


def _moves(spec: Json) -> bool:
    """Tell whether an autoscaler may change anything at all."""
    least = spec.get("minReplicas") or spec.get("minReplicaCount") or 1
    most = spec.get("maxReplicas") or spec.get("maxReplicaCount") or least
    return int(most) > int(least)


def _requests(container: Json, resource: str) -> bool:
    resources = container.get("resources") or {}
    return any(resource in (resources.get(side) or {}) for side in ("requests", "limits"))


def _asking(view: ServiceView) -> Iterator[tuple[Json, str, Place]]:
    """Yield the triggers that ask a server, each with its address and where that is."""
    for manifest in view.made_of(*_SCALED_OBJECT):
        for number, trigger in enumerate(value_at(manifest, ("spec", "triggers")) or ()):
            address = str((trigger.get("metadata") or {}).get(_ADDRESS) or "")
            if address or trigger.get("type") in _ASK:
                path = f"spec.triggers[{number}].metadata.{_ADDRESS}"
                yield trigger, address, view.field_map.at(Reference.of(manifest), path)
