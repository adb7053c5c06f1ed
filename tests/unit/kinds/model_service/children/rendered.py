# SPDX-License-Identifier: GPL-3.0-or-later
"""Render one child of a service that a test describes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from module_utils.kinds.model_service.normalise import load
from module_utils.kube.intent import Child
from module_utils.kube.manifest import Json

from ..build import document, settings

Builder = Callable[[Any, Any], Child | None]
ALPHA2, V1 = "0.9.0-alpha.2", "1.0.1"


def child(
    build: Builder,
    /,
    *,
    release: str = ALPHA2,
    options: Mapping[str, Any] | None = None,
    name: str = "chat",
    **spec: Any,
) -> Child | None:
    """Return the child that a builder makes of the smallest service with these fields of `spec`."""
    chosen = settings(release, **(options or {}))
    loaded = load(document(name, **spec), chosen)
    assert loaded.service is not None, [str(problem) for problem in loaded.problems]
    return build(loaded.service, chosen)


def manifest(build: Builder, /, **given: Any) -> Json:
    """Return the manifest of a child that has to be there."""
    found = child(build, **given)
    assert found is not None
    return found.manifest.to_dict()


def pod(build: Builder, /, **given: Any) -> Json:
    """Return the pod's spec of a Deployment."""
    spec: Json = manifest(build, **given)["spec"]["template"]["spec"]
    return spec


def container(build: Builder, name: str, /, **given: Any) -> Json:
    """Return the named container of a Deployment, an init container or not."""
    spec = pod(build, **given)
    found = [*spec.get("initContainers", ()), *spec["containers"]]
    (wanted,) = [each for each in found if each["name"] == name]
    return wanted  # type: ignore[no-any-return]
