# SPDX-License-Identifier: GPL-3.0-or-later
"""Where models are: addresses that exclude each other, and mount paths that cannot be.

Source: KServe pkg/apis/serving/v1beta1/inference_service_validation.go, pkg/controller/v1beta1/inferenceservice/components/component.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.manifest import Json
from ....kube.problem import Problem, Severity
from ....kube.schema_faults import show
from ...kserve.framework import FRAMEWORKS
from ...kserve.modes import MODEL_MESH
from ..implementations import CUSTOM, implementations, storage_uri
from ..names import Role

#: Stores that `storage` reaches.
_STORES = ("s3", "hdfs", "webhdfs")
_CLAIM = "pvc://"
#: What comes first in an address, and how it is written.
_NAMED = {
    _CLAIM: ("claim", "pvc://claim/path"),
    "oci://": ("image", "oci://registry/repository:tag"),
}


def storage_problems(component: Json, role: Role, mode: str) -> Iterator[Problem]:
    """Yield what is wrong with where the models of a component are. mode: as its annotation says it."""
    path = f"spec.{role}"
    uris = component.get("storageUris")
    for field in implementations(component, role)[:1]:
        if field != CUSTOM:
            uri = component[field].get("storageUri")
            yield from _nameless(uri or "", f"{path}.{field}.storageUri")
    for number, item in enumerate(uris or ()):
        yield from _nameless(item.get("uri") or "", f"{path}.storageUris[{number}].uri")
    if uris is not None:
        single = storage_uri(component, role)
        if single is not None:
            message = f"{show(single)} is given as well; give either one storageUri or storageUris"
            yield Problem(f"{path}.storageUris", message, rule="storage-uris")
        yield from _paths(uris, f"{path}.storageUris")
    fields = {"predictor": (*FRAMEWORKS, "model"), "explainer": ("art",)}.get(role, ())
    for field in implementations(component, role)[:1]:
        if field in fields and component[field].get("storage") is not None:
            checked = field == "art" or (mode == MODEL_MESH and field != "model")
            yield from _store(component[field], f"{path}.{field}", strict=checked)


def _nameless(uri: str, path: str) -> Iterator[Problem]:
    """Yield that an address names none of what its scheme is about: no pod can be made of it."""
    scheme, mark, rest = uri.partition("://")
    thing = _NAMED.get(f"{scheme}{mark}")
    if thing and not rest.partition("/")[0]:
        message = f"{show(uri)} names no {thing[0]}; write {thing[1]}"
        yield Problem(path, message, rule="storage")


def _paths(uris: list[Json], path: str) -> Iterator[Problem]:
    claims: list[str] = []
    others: list[str] = []
    for number, item in enumerate(uris):
        where, mount = f"{path}[{number}].mountPath", item.get("mountPath", "")
        if mount == "/":
            yield Problem(where, '"/" is the whole file system of the container', rule="mount-path")
        elif ".." in mount:
            yield Problem(where, f'{show(mount)} must not hold ".."', rule="mount-path")
        into = claims if item.get("uri", "").startswith(_CLAIM) else others
        if into is claims and mount in claims:
            # KServe's webhook looks at this only where two other models are beside it.
            several = sum(not each.get("uri", "").startswith(_CLAIM) for each in uris) > 1
            message = f"{show(mount)} is mounted twice" + (
                "; give each claim a path of its own"
                if several
                else ", so the second claim is not mounted"
            )
            yield Problem(where, message, "error" if several else "warning", rule="mount-path")
        into.append(mount)
    if len(others) > 1 and not _common_parent(others):
        shown = ", ".join(others)
        message = (
            f"{shown} have no common parent but the root; models that are fetched together need one"
        )
        yield Problem(path, message, rule="mount-path")


def _common_parent(paths: list[str]) -> bool:
    return len({path.strip("/").partition("/")[0] for path in paths}) == 1


def _store(server: Json, path: str, *, strict: bool) -> Iterator[Problem]:
    """Yield what is wrong with a store. strict: the webhook looks at it; else the model just cannot be fetched."""
    store, uri = server["storage"], server.get("storageUri")
    severity: Severity = "error" if strict else "warning"
    if uri is not None and store.get("path") is not None:
        message = f"{show(store['path'])}: storageUri says {show(uri)}; give only one of them"
        yield Problem(f"{path}.storage.path", message, rule="storage")
        return
    kind = (store.get("parameters") or {}).get("type")
    known = ", ".join(_STORES)
    if uri is not None:
        if uri.partition("://")[0] not in _STORES:
            message = f"{show(uri)} is none of the stores that storage reaches ({known}), so storage says nothing about it"
            yield Problem(f"{path}.storageUri", message, severity, rule="storage")
    elif kind is not None and kind not in _STORES:
        message = f"{show(kind)} is not one of {known}"
        yield Problem(f"{path}.storage.parameters.type", message, severity, rule="storage")
