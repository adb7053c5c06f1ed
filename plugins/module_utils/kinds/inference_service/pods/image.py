# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tag a model server's image has. Source: KServe pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.17.0."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ....kube.manifest import Json
from ....kube.release import Since
from ...kserve.releases import KServe
from ..runtimes.defaults import SERVER_TYPE
from ..runtimes.runtime import Runtime

_TAG = re.compile(r"(:([\w.\-_]*))$", re.ASCII)
_GPU, _MIG = "nvidia.com/gpu", "nvidia.com/mig"
_GPU_SUFFIX, _CPU_SUFFIX = "-gpu", "-cpu"
#: Servers whose images exist for GPUs under another tag, by the names of their runtimes.
_BY_NAME = {
    "kserve-tensorflow-serving": "tensorflow-serving",
    "kserve-torchserve": "torchserve",
    "kserve-huggingfaceserver": "huggingfaceserver",
}
#: The server whose image without GPUs is another one.
_VLLM = "vllmserver"


@dataclass(frozen=True, slots=True)
class _Facts:
    """by_type: the type of a runtime's server tells, and its name where it has none. by_name: servers that a name tells."""

    by_type: bool
    by_name: Mapping[str, str]


_FACTS: Since[_Facts] = Since(
    {
        KServe.V0_17: _Facts(False, _BY_NAME),
        KServe.V0_20: _Facts(True, {**_BY_NAME, "kserve-vllmserver": _VLLM}),
    }
)


def with_tag(container: Json, version: str | None, runtime: Runtime, release: KServe) -> Json:
    """Return a container whose image has the wanted version, or is that for what it runs on. An image by digest stays."""
    image = str(container.get("image") or "")
    if "@sha256:" in image:
        return container
    if version is not None:
        return {**container, "image": f"{_TAG.sub('', image)}:{version}"}
    tag = _TAG.search(image)
    server = _server(runtime, _FACTS.at(release))
    if tag is None or not server:
        return container
    bare = image[: tag.start()]
    if _asks_for_gpus(container):
        has_tag = server in _BY_NAME.values() and not image.endswith(_GPU_SUFFIX)
        return {**container, "image": image + _GPU_SUFFIX} if has_tag else container
    if server == _VLLM and not bare.endswith(_CPU_SUFFIX):
        return {**container, "image": f"{bare}{_CPU_SUFFIX}{tag[0]}"}
    return container


def _server(runtime: Runtime, facts: _Facts) -> str:
    """Return the server of a runtime, empty where nothing tells it."""
    told = runtime.annotations.get(SERVER_TYPE) if facts.by_type else ""
    return told or facts.by_name.get(runtime.name, "")


def _asks_for_gpus(container: Json) -> bool:
    limits = (container.get("resources") or {}).get("limits") or {}
    return any(name == _GPU or name.startswith(_MIG) for name in limits)
