# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tag a model server's image has. Source: KServe pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.17.0."""

from __future__ import annotations

import re

from ....kube.manifest import Json

_TAG = re.compile(r"(:([\w.\-_]*))$", re.ASCII)
_GPU, _MIG = "nvidia.com/gpu", "nvidia.com/mig"
_GPU_SUFFIX = "-gpu"
#: Runtimes whose images exist for GPUs under another tag.
_WITH_GPU_IMAGES = frozenset(
    {"kserve-tensorflow-serving", "kserve-torchserve", "kserve-huggingfaceserver"}
)


def with_tag(container: Json, version: str | None, runtime: str) -> Json:
    """Return a container whose image has the wanted version, or is that for GPUs. An image by digest stays."""
    image = str(container.get("image") or "")
    if "@sha256:" in image:
        return container
    if version is not None:
        return {**container, "image": f"{_TAG.sub('', image)}:{version}"}
    wants_suffix = runtime in _WITH_GPU_IMAGES and not image.endswith(_GPU_SUFFIX)
    if wants_suffix and _TAG.search(image) and _asks_for_gpus(container):
        return {**container, "image": image + _GPU_SUFFIX}
    return container


def _asks_for_gpus(container: Json) -> bool:
    limits = (container.get("resources") or {}).get("limits") or {}
    return any(name == _GPU or name.startswith(_MIG) for name in limits)
