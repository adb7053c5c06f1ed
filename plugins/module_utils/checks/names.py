# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that lead nowhere: every object that the pods and autoscalers of a service name is looked up before the first write.

Each kind is a check of its own, so that a right that is missing loses no other kind. What the service makes itself counts as there. Secrets,
ConfigMaps and accounts are read by name, so that the right can be given by name; of the other kinds there are few, and one list holds them.
Where no cluster is looked at, what is not among the given objects may be there: told is a name that is not among those of its kind and
namespace which are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from ..kinds.check import ERROR, WARNING, BoundCheck, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json
from ..kube.named_objects import (
    CALLED_OTHERWISE,
    READ_BY_NAME,
    Named,
    named_by_account,
    named_by_claim,
    named_by_login,
    named_by_volume_claim,
)
from ..kube.names import check_dns_subdomain
from ..kube.problem import Problem, Severity
from ..kube.reader import NotAllowed, Reader
from ..kube.reference import Reference
from ..kube.text import few

_SHOWN = 5
#: What comes of a name that leads nowhere, by kind.
_EFFECTS: Mapping[str, str] = {
    "ServiceAccount": "the API refuses the pods",
    "RuntimeClass": "the API refuses the pods",
    "PriorityClass": "the API refuses the pods",
    "PersistentVolumeClaim": "the pods wait for it",
    "StorageClass": "no volume is created, and the pods wait for it",
    "VolumeAttributesClass": "no volume is created, and the pods wait for it",
    "CSIDriver": "no node mounts the volume, and the containers do not start",
    "Node": "the pods stay Pending, and are deleted",
    "ResourceClaim": "the pods wait for it",
    "ResourceClaimTemplate": "the pods wait for it",
    "DeviceClass": "no device is given, and the pods wait for it",
    "TriggerAuthentication": "KEDA does not scale",
    "ClusterTriggerAuthentication": "KEDA does not scale",
    "IngressClass": "no controller serves the Ingress",
}
#: What nodes read passwords of registries from.
_PULL_TYPES = ("kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg")
_PULL = "images of a registry that requires a password cannot be pulled"
_NOT_STARTED = "the containers do not start"

MISSING = Check(
    "name-missing",
    ERROR,
    finds="{path} names {named}, which {absent}: {effect}",
    fix="create it first{near}",
    stops=True,
)
KEY = Check(
    "key-missing",
    ERROR,
    finds="{path} names {key} of {named}, which has {has}: the containers do not start",
    fix="create it, or name one that exists",
    stops=True,
)
PULL_TYPE = Check(
    "pull-secret-type",
    WARNING,
    finds="Secret {name} is of type {type}, and nodes take the passwords of registries from type {wanted} alone: images are pulled without one",
    fix="create it with kubectl create secret docker-registry",
)


def _look_up(kinds: tuple[str, ...], view: ServiceView, reader: Reader) -> Iterator[Problem]:
    own = (*map(Reference.of, view.made), *view.own)
    settled = {(each.kind, each.namespace, each.name) for each in own}
    # What keeps pods from starting comes before what does not, and each object is reported once.
    wanted = sorted(view.names, key=lambda each: not each[0].stuck)
    for named, place in wanted:
        key = (named.kind, named.namespace, named.name)
        if named.kind not in kinds or named.optional or key in settled:
            continue
        if named.kind not in CALLED_OTHERWISE and check_dns_subdomain(named.name):
            # Told as a name that no object can have.
            continue
        if any(each in view.run for each in named.references):
            continue
        settled.add(key)
        try:
            yield from _judged(view, named, place, reader)
        except NotAllowed:
            # Nobody asked for what is implied, so nobody is told that it was not looked at.
            if not named.implied:
                raise


def _judged(view: ServiceView, named: Named, place: Place, reader: Reader) -> Iterator[Problem]:
    """Yield that an object is not there, or what it names itself."""
    found = find(named, reader)
    if found is None and not named.implied:
        yield from _missing(view, named, place, reader)
    for inner in _inside(named, found or {}):
        if find(inner, reader) is None:
            effect = "" if named.stuck else _EFFECTS.get(named.kind, "")
            yield from _missing(view, inner, place, reader, effect)


def _missing(
    view: ServiceView, named: Named, place: Place, reader: Reader, effect: str = ""
) -> Iterator[Problem]:
    others = _others(named, reader)
    near = nearest(named.name, others) or ""
    elsewhere = [] if reader.complete or others else _elsewhere(named, reader)
    if not reader.complete and not others and not elsewhere:
        return
    effect = effect or (
        _EFFECTS.get(named.kind, _NOT_STARTED) if named.stuck or named.kind in _EFFECTS else _PULL
    )
    listed = f"; there is {few(sorted(others), _SHOWN)}" if others else ""
    if elsewhere:
        listed = f"; there is one of that name in namespace {few(elsewhere, _SHOWN)}"
    hint = f'; did you mean "{near}"?' if near else listed
    absent = "does not exist" if reader.complete else "is not among the given objects"
    yield MISSING.at(
        place,
        severity=_severity(view, named, reader),
        path=named.shown,
        named=named,
        absent=absent,
        effect=effect,
        near=hint,
    )


def _severity(view: ServiceView, named: Named, reader: Reader) -> Severity:
    """Return how bad it is. Nobody can have put anything into a namespace that is still to be made."""
    if not named.stuck or (not reader.complete and named.namespace):
        return WARNING
    home = Reference("v1", "Namespace", "", view.reference.namespace)
    new = bool(named.namespace) and reader.complete and reader.get(home) is None
    return WARNING if new else ERROR


def _inside(named: Named, found: Json) -> Iterator[Named]:
    if named.kind in ("ResourceClaim", "ResourceClaimTemplate"):
        yield from named_by_claim(found, named)
    if named.kind == "PersistentVolumeClaim":
        yield from named_by_volume_claim(found, named)
    if named.kind == "ServiceAccount":
        yield from named_by_account(found, named)
    if named.kind in ("TriggerAuthentication", "ClusterTriggerAuthentication"):
        yield from named_by_login(found, named)


def find(named: Named, reader: Reader) -> Json | None:
    """Return the object that is named, in whatever version it is served."""
    for reference in named.references:
        if named.kind in READ_BY_NAME:
            found = reader.get(reference)
        else:
            listed = reader.list(reference.api_version, reference.kind, reference.namespace, {})
            found = next((one for one in listed if one["metadata"]["name"] == named.name), None)
        if found is not None:
            return found
    return None


def _others(named: Named, reader: Reader) -> list[str]:
    """Return the names of the objects beside which a name leads nowhere; of kinds that are read by name none in a cluster."""
    if reader.complete and named.kind in READ_BY_NAME:
        return []
    return [
        str(each["metadata"]["name"])
        for reference in named.references
        for each in reader.list(reference.api_version, reference.kind, reference.namespace, {})
    ]


def _elsewhere(named: Named, reader: Reader) -> list[str]:
    """Return the other namespaces that have an object of this kind and name."""
    return sorted(
        {
            str(each["metadata"].get("namespace") or "")
            for reference in named.references
            for each in reader.list(reference.api_version, reference.kind, "", {})
            if reference.namespace and each["metadata"]["name"] == named.name
        }
    )


def _of_kinds(does: str, *kinds: str, reads: tuple[str, ...]) -> BoundCheck:
    """Return the check of some kinds. does: its sentence in the documentation."""
    function = partial(_look_up, kinds)
    function.__doc__ = f"Yield {does}."
    return check(MISSING, reads=reads)(function)


secrets = _of_kinds("Secrets that do not exist", "Secret", reads=("Secrets",))
config_maps = _of_kinds("ConfigMaps that do not exist", "ConfigMap", reads=("ConfigMaps",))
accounts = _of_kinds(
    "service accounts that do not exist, and their pull secrets",
    "ServiceAccount",
    reads=("ServiceAccounts", "Secrets"),
)
nodes = _of_kinds("nodes that pods are bound to, but that do not exist", "Node", reads=("Nodes",))
drivers = _of_kinds("volume drivers that do not exist", "CSIDriver", reads=("CSIDrivers",))
volumes = _of_kinds(
    "volume claims that do not exist",
    "PersistentVolumeClaim",
    "StorageClass",
    reads=("PersistentVolumeClaims", "StorageClasses"),
)
volume_attributes = _of_kinds(
    "volume attributes classes that do not exist",
    "VolumeAttributesClass",
    reads=("VolumeAttributesClasses",),
)
ingress_classes = _of_kinds(
    "Ingress classes that do not exist", "IngressClass", reads=("IngressClasses",)
)
runtime_classes = _of_kinds(
    "runtime classes that do not exist", "RuntimeClass", reads=("RuntimeClasses",)
)
priorities = _of_kinds(
    "priority classes that do not exist", "PriorityClass", reads=("PriorityClasses",)
)
claims = _of_kinds(
    "device claims that do not exist",
    "ResourceClaim",
    "ResourceClaimTemplate",
    reads=("ResourceClaims", "ResourceClaimTemplates", "DeviceClasses"),
)
logins = _of_kinds(
    "authentications of autoscaler triggers that do not exist",
    "TriggerAuthentication",
    "ClusterTriggerAuthentication",
    reads=("TriggerAuthentications", "Secrets", "ConfigMaps"),
)


@check(KEY, reads=("Secrets",))
def secret_keys(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield keys that a Secret does not have."""
    yield from _keys("Secret", view, reader)


@check(KEY, reads=("ConfigMaps",))
def config_map_keys(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield keys that a ConfigMap does not have."""
    yield from _keys("ConfigMap", view, reader)


def _keys(kind: str, view: ServiceView, reader: Reader) -> Iterator[Problem]:
    for named, place in view.names:
        if named.kind != kind or named.optional or not named.keys:
            continue
        found = find(named, reader)
        if found is None:
            continue
        parts = ("data", "stringData", "binaryData")
        there = {key for part in parts for key in found.get(part) or {}}
        for key in sorted(set(named.keys) - there):
            yield KEY.at(
                place,
                path=named.shown,
                key=key,
                named=named,
                has=few(sorted(there), _SHOWN) or "no entries",
            )


@check(PULL_TYPE, reads=("Secrets",))
def pull_types(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield pull secrets of another type."""
    for named, place in view.names:
        if named.kind == "Secret" and "imagePullSecrets" in named.path:
            kind = str((find(named, reader) or {}).get("type") or "")
            if kind and kind not in _PULL_TYPES:
                yield PULL_TYPE.at(place, name=named.name, type=kind, wanted=_PULL_TYPES[0])
