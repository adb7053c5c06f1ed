# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that pods and autoscalers name: which kind, in which field, and what comes of it where one is not there.

Source: k8s.io/api v0.36 core/v1; KEDA apis/keda/v1alpha1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import gvk
from .manifest import Json, value_at
from .reference import Reference

#: Where claims of devices are, the newest version first: servers have some of these.
DEVICE_VERSIONS = ("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1")
_SERVED: Mapping[str, tuple[str, ...]] = {
    "Secret": ("v1",),
    "ConfigMap": ("v1",),
    "ServiceAccount": ("v1",),
    "PersistentVolumeClaim": ("v1",),
    "StorageClass": ("storage.k8s.io/v1",),
    "VolumeAttributesClass": ("storage.k8s.io/v1", "storage.k8s.io/v1beta1"),
    "CSIDriver": ("storage.k8s.io/v1",),
    "IngressClass": ("networking.k8s.io/v1",),
    "Node": ("v1",),
    "RuntimeClass": ("node.k8s.io/v1",),
    "PriorityClass": ("scheduling.k8s.io/v1",),
    "ResourceClaim": DEVICE_VERSIONS,
    "ResourceClaimTemplate": DEVICE_VERSIONS,
    "DeviceClass": DEVICE_VERSIONS,
    "TriggerAuthentication": (gvk.KEDA,),
    "ClusterTriggerAuthentication": (gvk.KEDA,),
}
_CLUSTER_WIDE = frozenset(
    {
        "StorageClass",
        "VolumeAttributesClass",
        "CSIDriver",
        "IngressClass",
        "Node",
        "RuntimeClass",
        "PriorityClass",
        "DeviceClass",
        "ClusterTriggerAuthentication",
    }
)
#: Kinds of which a namespace may hold many, or secret ones: they are read one by one, so that the right can be given by name.
READ_BY_NAME = ("Secret", "ConfigMap", "ServiceAccount", "Node")
#: Kinds whose names are no DNS subdomains.
CALLED_OTHERWISE = frozenset({"CSIDriver"})
#: What every namespace and every cluster has by itself.
_ALWAYS_THERE = frozenset(
    {
        ("ConfigMap", "kube-root-ca.crt"),
        ("PriorityClass", "system-cluster-critical"),
        ("PriorityClass", "system-node-critical"),
    }
)


@dataclass(frozen=True, slots=True)
class Named:
    """An object that something names.

    path: where, with positions. shown: the same for people, with names where items of lists have some. keys: entries that are wanted.
    optional: whether it need not be there. stuck: whether pods never start without it. implied: nobody wrote the name, and it is there.
    """

    kind: str
    namespace: str
    name: str
    path: str
    shown: str
    keys: tuple[str, ...] = ()
    optional: bool = False
    stuck: bool = True
    implied: bool = False

    def __str__(self) -> str:
        """Return kind and name, as messages have them."""
        return (
            f"{self.kind} {self.namespace}/{self.name}"
            if self.namespace
            else f"{self.kind} {self.name}"
        )

    @property
    def references(self) -> tuple[Reference, ...]:
        """By which versions it can be read, the usual one first."""
        return tuple(
            Reference(version, self.kind, self.namespace, self.name)
            for version in _SERVED[self.kind]
        )


@dataclass(frozen=True, slots=True)
class _Row:
    """A field that names an object. where: steps to it, `[]` behind lists. field: that of the name. key: that of one entry."""

    where: str
    kind: str
    field: str = "name"
    key: str = ""
    stuck: bool = True


_IN_CONTAINERS = tuple(
    _Row(f"{containers}[].{where}", kind, key=key)
    for containers in ("initContainers", "containers")
    for where, kind, key in (
        ("env[].valueFrom.secretKeyRef", "Secret", "key"),
        ("env[].valueFrom.configMapKeyRef", "ConfigMap", "key"),
        ("envFrom[].secretRef", "Secret", ""),
        ("envFrom[].configMapRef", "ConfigMap", ""),
    )
)
_ACCOUNT = "ServiceAccount"
#: The account of pods that name none. Every namespace has it.
_DEFAULT_ACCOUNT = "default"
#: Every field of a pod spec that names an object.
_IN_PODS = (
    *_IN_CONTAINERS,
    _Row("volumes[].secret", "Secret", "secretName"),
    _Row("volumes[].configMap", "ConfigMap"),
    _Row("volumes[].projected.sources[].secret", "Secret"),
    _Row("volumes[].projected.sources[].configMap", "ConfigMap"),
    _Row("volumes[].csi.nodePublishSecretRef", "Secret"),
    _Row("volumes[].csi", "CSIDriver", "driver"),
    _Row("volumes[].azureFile", "Secret", "secretName"),
    *(
        _Row(f"volumes[].{kind}.secretRef", "Secret")
        for kind in ("cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos")
    ),
    _Row("volumes[].persistentVolumeClaim", "PersistentVolumeClaim", "claimName"),
    _Row("volumes[].ephemeral.volumeClaimTemplate.spec", "StorageClass", "storageClassName"),
    _Row(
        "volumes[].ephemeral.volumeClaimTemplate.spec",
        "VolumeAttributesClass",
        "volumeAttributesClassName",
    ),
    _Row("resourceClaims[]", "ResourceClaim", "resourceClaimName"),
    _Row("resourceClaims[]", "ResourceClaimTemplate", "resourceClaimTemplateName"),
    _Row("", _ACCOUNT, "serviceAccountName"),
    _Row("", "RuntimeClass", "runtimeClassName"),
    _Row("", "PriorityClass", "priorityClassName"),
    _Row("", "Node", "nodeName"),
    _Row("imagePullSecrets[]", "Secret", stuck=False),
)


def named_by_pod(pod: Json, namespace: str) -> Iterator[Named]:
    """Yield the objects that a pod spec names, each as often as it is named."""
    for row in _IN_PODS:
        steps = row.where.split(".") if row.where else []
        for path, shown, holder in _holders(pod, steps, "", ""):
            name = holder.get(row.field)
            if not name or (row.kind, name) in _ALWAYS_THERE:
                continue
            keys = [holder.get(row.key)] if row.key else _items(holder)
            yield Named(
                row.kind,
                "" if row.kind in _CLUSTER_WIDE else namespace,
                str(name),
                path or row.field,
                shown or row.field,
                tuple(str(key) for key in keys if key),
                optional=holder.get("optional") is True,
                stuck=row.stuck,
                implied=(row.kind, name) == (_ACCOUNT, _DEFAULT_ACCOUNT),
            )
    # What pods pull images with themselves takes the place of what their account has.
    if not pod.get("serviceAccountName") and not pod.get("imagePullSecrets"):
        path = "serviceAccountName"
        yield Named(_ACCOUNT, namespace, _DEFAULT_ACCOUNT, path, path, implied=True)


def named_by_scaler(manifest: Json) -> Iterator[Named]:
    """Yield what the triggers of a ScaledObject log in with."""
    namespace = str(value_at(manifest, ("metadata", "namespace")) or "")
    for number, trigger in enumerate(value_at(manifest, ("spec", "triggers")) or ()):
        login = trigger.get("authenticationRef") or {}
        kind = login.get("kind") or "TriggerAuthentication"
        if login.get("name") and kind in _SERVED:
            place = "" if kind in _CLUSTER_WIDE else namespace
            path = f"spec.triggers[{number}].authenticationRef"
            yield Named(kind, place, str(login["name"]), path, path, stuck=False)


def named_by_ingress(manifest: Json) -> Iterator[Named]:
    """Yield the class of an Ingress, by which a controller takes it."""
    name, path = value_at(manifest, ("spec", "ingressClassName")), "spec.ingressClassName"
    if name:
        shown = f"Ingress {manifest['metadata']['name']}"
        yield Named("IngressClass", "", str(name), path, shown, stuck=False)


def named_by_account(account: Json, named: Named) -> Iterator[Named]:
    """Yield the Secrets with which an account's pods pull images."""
    for each in account.get("imagePullSecrets") or ():
        if each.get("name"):
            yield Named(
                "Secret", named.namespace, str(each["name"]), named.path, str(named), stuck=False
            )


def named_by_login(login: Json, named: Named) -> Iterator[Named]:
    """Yield the Secrets and ConfigMaps of which a login for triggers is made."""
    for field, kind in (("secretTargetRef", "Secret"), ("configMapTargetRef", "ConfigMap")):
        for each in value_at(login, ("spec", field)) or () if named.namespace else ():
            if each.get("name"):
                yield Named(
                    kind, named.namespace, str(each["name"]), named.path, str(named), stuck=False
                )


def named_by_claim(claim: Json, named: Named) -> Iterator[Named]:
    """Yield the classes of devices that a claim or its template names."""
    spec = claim.get("spec") or {}
    spec = spec.get("spec") or {} if named.kind == "ResourceClaimTemplate" else spec
    for request in value_at(spec, ("devices", "requests")) or ():
        wanted = [request.get("exactly") or request, *(request.get("firstAvailable") or ())]
        for each in wanted if len(wanted) == 1 else ():
            if each.get("deviceClassName"):
                yield Named("DeviceClass", "", str(each["deviceClassName"]), named.path, str(named))


def named_by_volume_claim(claim: Json, named: Named) -> Iterator[Named]:
    """Yield the class that a claim which is bound to no volume waits for."""
    spec = claim.get("spec") or {}
    if spec.get("storageClassName") and not spec.get("volumeName"):
        yield Named("StorageClass", "", str(spec["storageClassName"]), named.path, str(named))


def _holders(
    value: Any, steps: Sequence[str], path: str, shown: str
) -> Iterator[tuple[str, str, Json]]:
    """Yield the maps to which steps lead, each with its path, and with its path as people read it."""
    if not steps:
        if isinstance(value, dict):
            yield path, shown, value
        return
    name = steps[0].removesuffix("[]")
    inner = value.get(name) if isinstance(value, dict) else None
    where = (f"{path}.{name}".lstrip("."), f"{shown}.{name}".lstrip("."))
    if not steps[0].endswith("[]"):
        yield from _holders(inner, steps[1:], *where)
        return
    for number, item in enumerate(inner or ()):
        called = item.get("name") or number
        yield from _holders(item, steps[1:], f"{where[0]}[{number}]", f"{where[1]}[{called}]")


def _items(holder: Json) -> list[Any]:
    return [item.get("key") for item in holder.get("items") or ()]
