# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of models that KServe takes and whoever fetches the model does not find.

Source: KServe pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.redact import redact_text
from ...kube.schema_faults import show
from ..check import WARNING, Check, check
from ..kserve.system_config import CONFIG_MAP
from ..view import ServiceView
from .implementations import implementations
from .pods.storage.one_model import OCI
from .resolved import Resolved

_SCHEME = "://"

MODELCAR_OFF = Check(
    "modelcar-off",
    WARNING,
    finds="enableModelcar of the block storageInitializer of {map} is off, so the init container must fetch {uri}, which it cannot",
    fix="write enableModelcar: true there, or bring the model another way",
)
STORAGE_PATH = Check(
    "storage-path",
    WARNING,
    finds="{path} is an address, and KServe puts the bucket in front of it: nothing is found there",
    fix="write the path within the bucket, or the address in storageUri in place of storage",
)


@check(MODELCAR_OFF, reads=("ClusterStorageContainers",))
def modelcar_off(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield models in images while KServe's support for them is off."""
    resolved: Resolved = view.basis
    if resolved.config.storage.enable_modelcar:
        return
    place = f"ConfigMap {resolved.settings.kserve_namespace}/{CONFIG_MAP}"
    for model in view.models if view.workloads else ():
        if model.value.startswith(OCI) and not view.fetched_otherwise(model.value, reader):
            yield MODELCAR_OFF.at(model.field, map=place, uri=redact_text(model.value))


@check(STORAGE_PATH, costly=True)
def storage_path(view: ServiceView) -> Iterator[Problem]:
    """Yield addresses instead of a path within a bucket."""
    resolved: Resolved = view.basis
    for role in resolved.service.roles:
        component = view.document["spec"].get(role) or {}
        for name in implementations(component, role)[:1]:
            given = component.get(name)
            path = ((given.get("storage") or {}) if isinstance(given, dict) else {}).get("path")
            if isinstance(path, str) and _SCHEME in path:
                where = f"spec.{role}.{name}.storage.path"
                yield STORAGE_PATH.at(where, path=show(redact_text(path)))
