# SPDX-License-Identifier: GPL-3.0-or-later
"""LoRA adapters beside the model: where each is fetched from and to, and what the engine is told of them.

Source: KServe pkg/controller/v1alpha2/llmisvc/workload_lora.go@v0.19.0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....kube.go_json import go_json
from ....kube.manifest import Json, value_at
from ....kube.release import Since
from ...kserve.pod import changed, container_of, mounted
from ...kserve.releases import KServe
from ...kserve.storage.initializer import claim_parts
from .. import names
from ..pod import MAIN
from ..resolved import Resolved
from .errors import ArtifactError

#: Whether `model.lora` has an effect.
_SERVES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})
#: Beside the folder of the model, which the engine may only read.
_ROOT = "/mnt/lora"
_NOT_IN_PATH = re.compile(r"[^a-zA-Z0-9._-]")
_FETCHED, _CLAIM = ("hf", "s3"), "pvc"
#: What an address misses where models are not brought into pods.
_WITHOUT_INITIALIZER = {
    **dict.fromkeys(_FETCHED, "hf:// and s3:// require the storage initializer"),
    _CLAIM: "pvc:// requires a mounted volume",
}
_FLAG, _VARIABLE = "--lora-modules", "VLLM_ADDITIONAL_ARGS"
#: How many and how large adapters are, by field of `model.lora`.
LIMITS = {
    "maxRank": "--max-lora-rank",
    "maxAdapters": "--max-loras",
    "maxCpuAdapters": "--max-cpu-loras",
}
_PATH = "spec.model.lora.adapters"


@dataclass(frozen=True, slots=True)
class Adapter:
    """One adapter. scheme: that of its address, without `://`. path: where the engine reads it."""

    name: str
    uri: str

    @property
    def scheme(self) -> str:
        """What its address begins with."""
        return self.uri.partition("://")[0]

    @property
    def path(self) -> str:
        """Where the engine reads it."""
        folder = _NOT_IN_PATH.sub("-", self.name)
        return f"{_ROOT}/{'adapter' if folder in ('', '.', '..') else folder}"

    @property
    def is_fetched(self) -> bool:
        """Whether it is fetched by an init container, else a claim holds it."""
        return self.scheme in _FETCHED


def given_adapters(spec: Json, release: KServe) -> list[Adapter]:
    """Return the adapters of a spec that a release serves, in the author's order."""
    adapters = value_at(spec, ("model", "lora", "adapters")) if _SERVES.at(release) else None
    return [
        Adapter(str((each or {}).get("name") or ""), str((each or {}).get("uri") or ""))
        for each in adapters or ()
    ]


def adapters_of(spec: Json, release: KServe) -> list[Adapter]:
    """Return the adapters by name, so that their order does not start pods anew. Raises ArtifactError."""
    found = sorted(given_adapters(spec, release), key=lambda each: each.name.encode())
    fetches = value_at(spec, ("storageInitializer", "enabled")) is not False
    for each in found:
        _check(each, fetches=fetches)
    return found


def _check(adapter: Adapter, *, fetches: bool) -> None:
    label = f'LoRA adapter "{adapter.name}"'
    if "://" not in adapter.uri:
        raise ArtifactError(
            f'{label}: invalid URI "{adapter.uri}"', _PATH, "begin it with hf://, s3:// or pvc://"
        )
    if adapter.scheme == "oci":
        raise ArtifactError(
            f"{label}: oci:// is not supported for LoRA adapters",
            _PATH,
            "there can only be one image next to the server: put the adapter into a claim (pvc://), or fetch it by hf:// or s3://",
        )
    if adapter.scheme not in (*_FETCHED, _CLAIM):
        raise ArtifactError(
            f'{label}: unsupported URI scheme "{adapter.scheme}://"',
            _PATH,
            "KServe takes hf://, s3:// and pvc:// for adapters",
        )
    if not fetches:
        raise ArtifactError(
            f"{label}: {_WITHOUT_INITIALIZER[adapter.scheme]}",
            _PATH,
            "take storageInitializer.enabled: false out",
        )


def with_adapters(pod: Json, resolved: Resolved, adapters: Sequence[Adapter]) -> Json:
    """Return a pod spec whose engine has adapters; fetching them is another's part. Raises ArtifactError.

    What the author tells the engine of adapters is left to them.
    """
    if not adapters:
        return pod
    for each in adapters:
        if not each.is_fetched:
            pod = _with_claim(pod, each)
    server = container_of(pod, MAIN)
    if server is None:
        raise ArtifactError(
            f'no container "{MAIN}" in pod spec for LoRA injection',
            "spec.template.containers",
            f'call the container of the model server "{MAIN}"',
        )
    if _is_told(server):
        return pod
    args = _arguments(resolved, adapters)
    return changed(pod, MAIN, lambda one: {**one, "args": [*args, *(one.get("args") or ())]})


def _with_claim(pod: Json, adapter: Adapter) -> Json:
    claim, path = claim_parts(adapter.uri)
    name = names.adapter_volume(adapter.name)
    volume = {"name": name, "persistentVolumeClaim": {"claimName": claim}}
    mount = {"name": name, "mountPath": adapter.path, "readOnly": True}
    return mounted(pod, MAIN, volume, {**mount, "subPath": path} if path else mount)


def _is_told(server: Json) -> bool:
    words = [*(server.get("command") or ()), *(server.get("args") or ())]
    words += [
        each.get("value") or "" for each in server.get("env") or () if each["name"] == _VARIABLE
    ]
    return _FLAG in " ".join(map(str, words))


def _arguments(resolved: Resolved, adapters: Sequence[Adapter]) -> list[str]:
    """Return what comes before the author's own arguments, which so have the last word.

    Each adapter has its own name and that by which routes know it. The quotes are for the shell that starts the engine.
    """
    limits = resolved.at("model", "lora") or {}
    given = [
        f"{flag}={limits[field]}" for field, flag in LIMITS.items() if limits.get(field) is not None
    ]
    modules = [
        go_json({"name": name, "path": each.path})
        for each in adapters
        for name in (each.name, names.published(resolved.namespace, each.name))
    ]
    return ["--enable-lora", *given, _FLAG, *(f"'{one}'" for one in modules)]
