# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses about the volumes of a pod. Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..manifest import Json
from ..names import check_dns_subdomain
from ..problem import Problem
from ..quantity import parse_quantity
from ..schema_faults import show
from .env import field_faults, resource_faults
from .forms import local_fault
from .metadata import selector_problems

#: Fields of a pod that a file may hold beside its labels and annotations.
_FILE_FIELDS = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
_ISCSI = re.compile(
    r"iqn\.\d{4}-\d{2}\.([a-z0-9\-.]+)(:[^,;*&$|\s]+)|eui\.[A-Fa-f0-9]{16}|naa\.[A-Fa-f0-9]{32}",
    re.ASCII,
)
_PATHS_OF_CERTIFICATES = ("credentialBundlePath", "keyPath", "certificateChainPath")


def volume_problems(volumes: Sequence[Json], path: str) -> Iterator[Problem]:
    """Yield what is wrong with volumes."""
    for number, volume in enumerate(volumes):
        where = f"{path}[{number}]"
        sources = [key for key in volume if key != "name"]
        if len(sources) > 1:
            message = (
                f"volume {show(volume.get('name'))} has {' and '.join(sources)}: a merge keeps both "
                "sources; call your volume otherwise"
            )
            yield Problem(where, message, rule="volume")
        # One without a source is an empty folder.
        elif sources:
            for field, message in _SOURCES.get(sources[0], _nothing)(volume[sources[0]]):
                at = f"{where}.{sources[0]}"
                yield Problem(f"{at}.{field}" if field else at, message, rule="volume")


Faults = Iterator[tuple[str, str]]


def _nothing(source: Json) -> Faults:  # noqa: ARG001  # as those beside it
    yield from ()


def _downward(source: Json) -> Faults:
    for number, file in enumerate(source.get("items") or ()):
        for field, message in _file(file):
            where = f"items[{number}]"
            yield f"{where}.{field}" if field else where, message


def _file(file: Json) -> Faults:
    field, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if (field is None) == (resource is None):
        yield "", "give exactly one of fieldRef, resourceFieldRef"
    for where, message in field_faults(field, _FILE_FIELDS) if field else ():
        yield f"fieldRef.{where}", message
    if resource is None:
        return
    for where, message in resource_faults(resource):
        yield f"resourceFieldRef.{where}", message
    if not resource.get("containerName"):
        yield "resourceFieldRef.containerName", "missing: name the container"


def _projected(source: Json) -> Faults:
    paths: set[str] = set()
    for number, part in enumerate(source.get("sources") or ()):
        where = f"sources[{number}]"
        if len(part) > 1:
            yield where, f"{' and '.join(part)} are both given; give each an entry of its own"
        for field, message in _part(part):
            yield f"{where}.{field}", message
        for file in _files(part):
            if file in paths:
                yield where, f"{show(file)} is in it twice"
            paths.add(file)


def _part(part: Json) -> Faults:
    for number, file in enumerate((part.get("downwardAPI") or {}).get("items") or ()):
        for field, message in _file(file):
            where = f"downwardAPI.items[{number}]"
            yield f"{where}.{field}" if field else where, message
    bundle = part.get("clusterTrustBundle")
    for field, message in _bundle(bundle) if bundle is not None else ():
        yield f"clusterTrustBundle.{field}" if field else "clusterTrustBundle", message
    certificate = part.get("podCertificate")
    for field, message in _certificate(certificate) if certificate is not None else ():
        yield f"podCertificate.{field}" if field else "podCertificate", message


def _bundle(bundle: Json) -> Faults:
    if ("name" in bundle) == ("signerName" in bundle):
        yield "", "give exactly one of name, signerName"
    elif "name" in bundle and bundle.get("labelSelector") is not None:
        yield "labelSelector", "has a meaning only with signerName"
    for problem in selector_problems(bundle.get("labelSelector"), "labelSelector"):
        yield problem.path, problem.message


def _certificate(certificate: Json) -> Faults:
    if not any(certificate.get(field) for field in _PATHS_OF_CERTIFICATES):
        yield "", f"give one of {', '.join(_PATHS_OF_CERTIFICATES)}"
    for field in _PATHS_OF_CERTIFICATES:
        fault = local_fault(certificate.get(field) or "")
        if fault:
            yield field, fault


def _files(part: Json) -> Iterator[str]:
    """Yield the files that a part of a projected volume brings."""
    for field in ("secret", "configMap", "downwardAPI"):
        for item in (part.get(field) or {}).get("items") or ():
            yield item["path"]
    if part.get("clusterTrustBundle"):
        yield part["clusterTrustBundle"]["path"]
    for field in _PATHS_OF_CERTIFICATES:
        if (part.get("podCertificate") or {}).get(field):
            yield part["podCertificate"][field]


def _iscsi(source: Json) -> Faults:
    for field in ("iqn", "initiatorName"):
        if field in source and not _ISCSI.fullmatch(source[field]):
            yield (
                field,
                f"{show(source[field])} is not the name of an iSCSI node: iqn., eui. or naa.",
            )
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and not source.get(
        "secretRef"
    ):
        yield "secretRef", "missing: CHAP needs a Secret"


def _channel(source: Json) -> Faults:
    if bool(source.get("targetWWNs")) == bool(source.get("wwids")):
        yield "targetWWNs", "give exactly one of targetWWNs, wwids"
    elif source.get("targetWWNs") and not 0 <= source.get("lun", -1) <= 255:
        yield "lun", "a number from 0 to 255 is needed with targetWWNs"


def _flocker(source: Json) -> Faults:
    name, uuid = source.get("datasetName"), source.get("datasetUUID")
    if bool(name) == bool(uuid):
        yield "", "give exactly one of datasetName, datasetUUID"
    elif "/" in (name or ""):
        yield "datasetName", 'must not hold "/"'


def _disk(source: Json) -> Faults:
    wanted = "/subscriptions/" if source.get("kind") == "Managed" else "https://"
    if "kind" in source and not source["diskURI"].startswith(wanted):
        yield "diskURI", f"{show(source['diskURI'])} does not begin with {wanted}"


def _driver(source: Json) -> Faults:
    reference = source.get("nodePublishSecretRef")
    fault = check_dns_subdomain(reference.get("name") or "") if reference is not None else None
    if fault:
        yield "nodePublishSecretRef.name", fault


def _options(source: Json) -> Faults:
    for key in source.get("options") or ():
        owner = f".{key.partition('/')[0].lower()}"
        if owner.endswith((".kubernetes.io", ".k8s.io")):
            yield f'options["{key}"]', "kubernetes.io and k8s.io are reserved"


def _claim(source: Json) -> Faults:
    """Of a claim that is made for each pod."""
    spec, at = source["volumeClaimTemplate"]["spec"], "volumeClaimTemplate.spec"
    modes = spec.get("accessModes") or ()
    if "ReadWriteOncePod" in modes and len(set(modes)) > 1:
        yield f"{at}.accessModes", "ReadWriteOncePod excludes the other modes"
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        yield f"{at}.resources.requests.storage", "missing: the size of the volume"
    elif parse_quantity(storage) <= 0:
        yield f"{at}.resources.requests.storage", f"{storage} is no room at all"
    for problem in selector_problems(spec.get("selector"), f"{at}.selector"):
        yield problem.path, problem.message


_SOURCES = {
    "azureDisk": _disk,
    "csi": _driver,
    "downwardAPI": _downward,
    "ephemeral": _claim,
    "fc": _channel,
    "flexVolume": _options,
    "flocker": _flocker,
    "iscsi": _iscsi,
    "projected": _projected,
}
