# SPDX-License-Identifier: GPL-3.0-or-later
"""Which release of KServe a cluster has: what its controllers run, how its CRDs are labelled, which images its ConfigMap names.

Source: KServe config/manager/manager.yaml, config/llmisvc/manager.yaml, config/configmap/inferenceservice.yaml@v0.17.0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ...kube.manifest import Json, value_at
from ...kube.reference import Reference
from ..release_line import Installations, Installed
from .system_config import CONFIG_MAP

_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.\d+)?(?:[-+.].*)?")
_HOME = "kserve"
#: Labels by which those who install something say its version; a chart's name comes before it.
_VERSION_LABELS = ("app.kubernetes.io/version", "helm.sh/chart")
#: Blocks of the ConfigMap whose images are released together with KServe.
_BLOCKS = ("storageInitializer", "agent", "router")


def _minor(text: str) -> str:
    """Return `0.19` of a version such as `v0.19.0-rc1`, empty where a text is none, such as `latest`."""
    found = _VERSION.fullmatch(text)
    return f"{found[1]}.{found[2]}" if found else ""


def _of_image(image: Any) -> str:
    """Return the release in an image's tag. A digest says nothing."""
    name = str(image or "").partition("@")[0].rpartition("/")[2]
    return _minor(name.partition(":")[2])


def _of_labels(live: Json) -> Installed | None:
    labels = live["metadata"].get("labels") or {}
    for label in _VERSION_LABELS:
        text = str(labels.get(label) or "")
        # kserve-llmisvc-crd-v0.19.0
        version = _minor(text) or _minor(re.sub(r"^[a-z-]+-(?=v?\d)", "", text))
        if version:
            return Installed(version, f"label {label} of {Reference.of(live)} is {text}")
    return None


def _of_deployment(live: Json) -> Installed | None:
    """Read the image of the controller's own container: a proxy that is beside it has versions of its own."""
    for container in value_at(live, ("spec", "template", "spec", "containers")) or ():
        image = str(container.get("image") or "")
        name = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
        version = _of_image(image) if "controller" in name else ""
        if version:
            return Installed(version, f"{Reference.of(live)} runs {image}")
    return _of_labels(live)


def _of_config(live: Json) -> Installed | None:
    data = live.get("data") or {}
    for block in _BLOCKS:
        try:
            image = json.loads(data.get(block) or "{}").get("image")
        except (ValueError, AttributeError, TypeError):
            # What is wrong with it is reported where it is read for its own sake.
            continue
        version = _of_image(image)
        if version:
            return Installed(version, f"{block} in {Reference.of(live)} has the image {image}")
    return None


def _config_map(settings: Mapping[str, Any]) -> Reference:
    place = settings.get("kserve_namespace")
    return Reference("v1", "ConfigMap", place if isinstance(place, str) else _HOME, CONFIG_MAP)


INSTALLATIONS = Installations(_of_deployment, _of_labels, _of_config, _config_map)
