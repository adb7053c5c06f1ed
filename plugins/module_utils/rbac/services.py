# SPDX-License-Identifier: GPL-3.0-or-later
"""The rights that somebody needs who reconciles services: from what is rendered for them, in two groups, and no more.

What is used is asked for by a run itself; what is held only has to be held, since nobody may write a Role that grants more than its
writer has. Neither `escalate` nor `bind` is ever among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..accelerators.demand import WORKLOADS, demands_of
from ..accelerators.kueue import API_VERSIONS as QUEUE_VERSIONS
from ..accelerators.kueue import PRIORITY_LABEL, QUEUE_LABEL
from ..cluster.kinds import facts
from ..kinds.kind import ServiceKind
from ..kinds.kserve.service import GROUP
from ..kinds.registry import KINDS, WRITTEN
from ..kinds.view import templates_of
from ..kube import gvk
from ..kube.crds import API_VERSION as CRD_API_VERSION
from ..kube.crds import KIND as CRD_KIND
from ..kube.manifest import Json
from ..kube.named_objects import (
    DEVICE_VERSIONS,
    READ_BY_NAME,
    named_by_ingress,
    named_by_pod,
    named_by_scaler,
)
from ..kube.problem import Complaint, InputError, Problem
from .roles import LIST, WATCH, WRITE, Kind, Right, both, granted, rules_of

_SERVICE, _CONFIG_MAP = ("v1", "Service"), ("v1", "ConfigMap")
#: What a ConfigMap of KServe lists under this key.
_TRAINED_MODEL, _MODELS = (gvk.KSERVE_V1ALPHA1, "TrainedModel"), "models.json"
#: What limits the pods of a namespace, and how many there may be.
_LIMITS = (("v1", "LimitRange"), ("v1", "ResourceQuota"))
#: What may change the number of a service's pods.
_SCALERS = ((gvk.AUTOSCALING, "HorizontalPodAutoscaler"), (gvk.KEDA, "ScaledObject"))
#: What labels of workloads name of Kueue's.
_OF_QUEUES: Mapping[str, Sequence[str]] = {
    QUEUE_LABEL: ("LocalQueue", "ClusterQueue", "ResourceFlavor"),
    PRIORITY_LABEL: ("WorkloadPriorityClass",),
}
#: What claims of a namespace name in turn, for the whole cluster.
_BEHIND: Mapping[str, Kind] = {
    "PersistentVolumeClaim": ("storage.k8s.io/v1", "StorageClass"),
    "ResourceClaim": (DEVICE_VERSIONS[0], "DeviceClass"),
    "ResourceClaimTemplate": (DEVICE_VERSIONS[0], "DeviceClass"),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """name: of the roles. subject: whom they are bound to. wait: whether runs wait. create_namespaces: whether runs may make them.

    cluster_rights: whether rights beyond the services' namespaces may be given. through: where services are asked for an answer, as in the
    option `answer`: `gateway`, or `apiserver` for its proxy. kserve_namespace: where KServe's configuration is.
    """

    name: str
    subject: Json
    wait: bool = True
    create_namespaces: bool = False
    cluster_rights: bool = True
    through: str = "gateway"
    kserve_namespace: str = "kserve"


def least_privilege(
    services: Sequence[Mapping[str, Any]], manifests: Sequence[Json], wanted: Wanted
) -> Json:
    """Return `manifests`, the roles and bindings, and `lost`, what does not work without rights that are not given.

    services: kind and namespace of each. manifests: everything that is rendered for them. Raises InputError for a kind that is no service.
    """
    kinds = [_kind(service) for service in services]
    made = _made(services)
    # An empty one is the whole cluster.
    namespaces = sorted({str(service["namespace"]) for service in services} - {""})
    asked = _asked(namespaces, manifests, wanted)
    roles: list[Json] = []
    reached = _reached(kinds, manifests, wanted)
    for namespace in dict.fromkeys((*namespaces, *reached, *asked)):
        within = [each for each in manifests if each["metadata"].get("namespace") == namespace]
        own = [*reached.get(namespace, ())]
        if namespace in namespaces:
            own += _used(made, within, wanted, namespaced=True)
        used = rules_of([*own, *asked.get(namespace, ())])
        held = granted(within, "Role")
        roles += both(wanted.name, wanted.subject, namespace, used, held)
    everywhere = [each for each in manifests if not each["metadata"].get("namespace")]
    configured = any(kind.key[0].startswith(f"{GROUP}/") for kind in kinds)
    if wanted.cluster_rights:
        if configured:
            config = rules_of([(_CONFIG_MAP, "", ("get",))])
            roles += both(
                f"{wanted.name}-kserve", wanted.subject, wanted.kserve_namespace, config, []
            )
        used = rules_of(
            [
                *_used(made, everywhere, wanted, namespaced=False),
                *_looks(kinds, wanted),
                *_named(manifests, namespaced=False),
                *_queues(manifests),
                *_fit(manifests),
            ]
        )
        roles += both(wanted.name, wanted.subject, "", used, granted(everywhere, "ClusterRole"))
    lost = () if wanted.cluster_rights else _lost(everywhere, configured=configured)
    return {"manifests": roles, "lost": list(lost)}


def _reached(
    kinds: Iterable[ServiceKind[Any, Any]], manifests: Sequence[Json], wanted: Wanted
) -> Mapping[str, Sequence[Right]]:
    """Return by namespace what kinds need there whose children are beyond the services' namespaces."""
    found: dict[str, list[Right]] = {}
    if not any(kind.reaches for kind in kinds):
        return found
    for each in manifests:
        if place := each["metadata"].get("namespace"):
            found.setdefault(place, []).append(((each["apiVersion"], each["kind"]), "", WRITE))
        if place and each["kind"] == "Job":
            # Their credentials come from the Secrets of an account, and from others by name.
            found[place] += [(("v1", "ServiceAccount"), "", ("get",))]
            found[place] += _named([each], namespaced=True)
    if not all(kind.namespaced for kind in kinds):
        # The Lease of services that belong to the whole cluster.
        lease = (("coordination.k8s.io/v1", "Lease"), "", WRITE)
        found.setdefault(wanted.kserve_namespace, []).append(lease)
    return found


def _kind(service: Mapping[str, Any]) -> ServiceKind[Any, Any]:
    name = str(service["kind"])
    found = next((KINDS[key] for key in WRITTEN if key[1] == name and key in KINDS), None)
    if found is None:
        text = f"{name} is no kind of service; there are: {', '.join(sorted({k for dummy, k in KINDS}))}"
        raise InputError([Complaint("least_privilege", (Problem("services", text),))])
    return found


def _made(services: Sequence[Mapping[str, Any]]) -> dict[Kind, list[Kind]]:
    """Return the kinds of children by the kind of services: of the release that a task has written, else of all that may be found."""
    found: dict[Kind, list[Kind]] = {}
    for service in services:
        kind = _kind(service)
        chosen = service.get("release") or {}
        written = chosen.get("source") in ("option", "default")
        release = kind.releases.named(str(chosen.get("version"))) if written else None
        releases = [release] if release is not None else kind.releases.reproduced
        children = found.setdefault(kind.key, [])
        children += [pair for each in releases for pair in kind.children.kinds_at(each, ())]
    return {key: list(dict.fromkeys(children)) for key, children in found.items()}


def _used(
    made: Mapping[Kind, Iterable[Kind]],
    manifests: Sequence[Json],
    wanted: Wanted,
    *,
    namespaced: bool,
) -> Iterator[Right]:
    """Yield kind, subresource and verbs of what a run asks for. Every run looks at all kinds of children, to find those to remove.

    made: the kinds of services, each with those of its children.
    """
    written = {(each["apiVersion"], each["kind"]) for each in manifests}
    for key, children in made.items():
        kind = KINDS[key]
        for child in children:
            if (_is_namespaced(child) and not kind.reaches) is namespaced:
                watched = wanted.wait and child in kind.observed_kinds
                yield child, "", WATCH if watched else LIST
                if child in _SCALERS:
                    # One that would be beside the wanted one is looked up by its name.
                    yield child, "", ("get",)
        yield from _shared(kind, namespaced=namespaced)
        yield from _own(kind, wanted, namespaced=namespaced)
    for each in written:
        yield each, "", WRITE
    if namespaced:
        yield from _answered(manifests)
        yield from _named(manifests, namespaced=True)
        for looked_at in (*_SCALERS, *_LIMITS):
            yield looked_at, "", LIST
        yield ("coordination.k8s.io/v1", "Lease"), "", WRITE
        # A namespace may be read by whoever has rights in it.
        yield ("v1", "Namespace"), "", ("get",)
        if wanted.wait:
            yield from _told_by_pods(manifests)


def _own(kind: ServiceKind[Any, Any], wanted: Wanted, *, namespaced: bool) -> Iterator[Right]:
    """Yield what services of a kind need for themselves."""
    seen = WATCH if wanted.wait else LIST
    if namespaced:
        if kind.certificates is not None:
            # Keys are made in a run, and are in nothing that is rendered.
            yield ("v1", "Secret"), "", WRITE
        for looked_up in kind.looked_up:
            yield looked_up, "", ("get",)
    elif kind.reaches:
        # All namespaces are looked at together.
        yield kind.key, "", seen
        yield ("v1", "Pod"), "", seen
        for looked_up in kind.looked_up:
            yield looked_up, "", ("get",)
    if kind.namespaced is namespaced:
        yield kind.key, "", (*WRITE, *seen)
        yield kind.key, "status", ("patch",)


def _told_by_pods(manifests: Sequence[Json]) -> Iterator[Right]:
    """Yield what tells a waiting run why pods do not get ready."""
    yield ("v1", "Pod"), "", WATCH
    # What the kubelet says of them.
    yield ("v1", "Event"), "", LIST
    if any(each["kind"] == "Role" for each in manifests):
        # What the API server refuses to a picker.
        yield ("v1", "Pod"), "log", ("get",)


def _answered(manifests: Sequence[Json]) -> Iterator[Right]:
    """Yield the status that is written where a ConfigMap lists models of a service for its server."""
    if any(_MODELS in (each.get("data") or {}) for each in manifests):
        yield _TRAINED_MODEL, "status", ("patch",)


def _shared(kind: ServiceKind[Any, Any], *, namespaced: bool) -> Iterator[Right]:
    """Yield what a kind reads of others and many services share: it is listed once for all namespaces, or else read one by one."""
    for read in kind.common_kinds:
        if _is_namespaced(read) is namespaced:
            yield read, "", ("get", "list")
        elif not namespaced:
            yield read, "", LIST


def _asked(
    namespaces: Sequence[str], manifests: Sequence[Json], wanted: Wanted
) -> Mapping[str, Sequence[Right]]:
    """Return by namespace what asking by the API server's proxy needs: of the Services of gateways, and of the services' own."""
    if wanted.through != "apiserver":
        return {}
    proxy: Right = (_SERVICE, "proxy", ("create", "get"))
    found: dict[str, Sequence[Right]] = dict.fromkeys(namespaces, (proxy,))
    for route in manifests:
        for parent in (route.get("spec") or {}).get("parentRefs") or ():
            place = parent.get("namespace") or route["metadata"]["namespace"]
            if wanted.cluster_rights or place in namespaces:
                found[place] = (proxy, (_SERVICE, "", ("get", "list")))
    return found


def _named(manifests: Sequence[Json], *, namespaced: bool) -> Iterator[Right]:
    """Yield what is looked up because pods and autoscalers name it, and what is behind that."""
    for each in manifests:
        found = list(named_by_scaler(each)) if each["kind"] == "ScaledObject" else []
        found += named_by_ingress(each) if each["kind"] == "Ingress" else ()
        place = each["metadata"].get("namespace") or ""
        for dummy, template in templates_of(each) if each["kind"] in WORKLOADS else ():
            found += named_by_pod(template.get("spec") or {}, place)
        for named in found:
            if named.implied:
                continue
            behind = _BEHIND.get(named.kind)
            if bool(named.namespace) is namespaced:
                verbs = ("get",) if named.kind in READ_BY_NAME else LIST
                yield (named.references[0].api_version, named.kind), "", verbs
            elif behind is not None:
                yield behind, "", LIST


def _queues(manifests: Sequence[Json]) -> Iterator[Right]:
    """Yield what is looked at where workloads name a queue of Kueue."""
    given = [each["metadata"].get("labels") or {} for each in manifests]
    for label, kinds in _OF_QUEUES.items():
        for kind in kinds if any(label in labels for labels in given) else ():
            yield (QUEUE_VERSIONS[0], kind), "", LIST


def _looks(kinds: Iterable[ServiceKind[Any, Any]], wanted: Wanted) -> Iterator[Right]:
    """Yield what is looked at beyond the services' namespaces: whether a controller runs, the gateway, the namespaces."""
    yield (gvk.APPS, "Deployment"), "", LIST
    if any(kind.releases.installed is not None for kind in kinds):
        # Its labels say which release is installed, its schema which fields objects may have.
        yield (CRD_API_VERSION, CRD_KIND), "", ("get",)
    yield (gvk.GATEWAY, "Gateway"), "", ("get",)
    yield (gvk.GATEWAY, "GatewayClass"), "", LIST
    if wanted.create_namespaces:
        yield ("v1", "Namespace"), "", ("create", "get")


def _fit(manifests: Sequence[Json]) -> Iterator[Right]:
    """Yield what is looked at to tell whether pods with devices will find room."""
    if _has_devices(manifests):
        yield ("v1", "Node"), "", LIST
        yield ("v1", "Pod"), "", LIST
        for kind in ("DeviceClass", "ResourceSlice", "ResourceClaim"):
            yield ("resource.k8s.io/v1", kind), "", LIST


def _has_devices(manifests: Sequence[Json]) -> bool:
    workloads = [each for each in manifests if each["kind"] in WORKLOADS]
    return any(demand.device for each in workloads for demand in demands_of(each))


def _lost(everywhere: Sequence[Json], *, configured: bool) -> Iterator[str]:
    """Yield what a run without rights of the whole cluster cannot do."""
    for each in everywhere:
        name = f"{each['kind']} {each['metadata']['name']}"
        yield f"{name} cannot be written, and services that need it are refused: switch the feature off"
    if configured:
        yield "KServe's configuration and what its services share in the cluster cannot be read, so runs fail: ask somebody to grant it"
    yield "whether a controller runs for the services is not seen; set reconciler: direct"
    if configured:
        yield "which release the controller in the cluster has is not seen; write it into releases.kserve for new services"
    yield "the gateway and its address cannot be read, so services can only be asked by answer: {through: apiserver}"
    yield "namespaces cannot be created, and a missing one is only seen when a write fails"
    yield "whether pods will find room on the nodes is not judged"


def _is_namespaced(kind: Kind) -> bool:
    known = facts(*kind)
    return known is None or known.namespaced
