# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments that KServe gives to transformers and explainers.

Source: KServe pkg/controller/v1beta1/inferenceservice/components/{transformer,explainer}.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....kube.manifest import Json
from ..spec import InferenceService
from .containers import HTTP_PORT

_MODEL_NAME, _PREDICTOR_HOST, _HTTP_PORT, _WORKERS = (
    "--model_name",
    "--predictor_host",
    "--http_port",
    "--workers",
)


def with_arguments(
    container: Json, component: Json, service: InferenceService, *, port_again: bool
) -> Json:
    """Return a container that knows its model, its predictor, its port and how many workers it may have.

    What the author says already stays alone. port_again: the port is given in any case, as explainers get it.
    """
    given: list[str] = container.get("args") or []
    wanted = _wanted(component, service)
    added = [
        word
        for flag, value in wanted.items()
        if (port_again and flag == _HTTP_PORT) or not _includes(given, flag)
        for word in (flag, value)
    ]
    return {**container, "args": [*given, *added]}


def art_arguments(art: Json, component: Json, service: InferenceService) -> list[str]:
    """Return the arguments of an ART explainer. Its author's own are listed twice, as the controller has it."""
    given: list[str] = art.get("args") or []
    wanted = _wanted(component, service)
    args = [_MODEL_NAME, wanted[_MODEL_NAME], _HTTP_PORT, wanted[_HTTP_PORT]]
    for flag in (_PREDICTOR_HOST, _WORKERS):
        if flag in wanted and not _includes(given, flag):
            args += [flag, wanted[flag]]
    if art.get("storageUri"):
        args += ["--storage_uri", "/mnt/models"]
    args += ["--adversary_type", str(art.get("type") or "")]
    config: Mapping[str, str] = art.get("config") or {}
    args += [word for key in sorted(config) for word in (f"--{key}", config[key])]
    return [*args, *given, *given]


def _wanted(component: Json, service: InferenceService) -> dict[str, str]:
    wanted = {
        _MODEL_NAME: service.name,
        _PREDICTOR_HOST: f"{service.component_name('predictor')}.{service.namespace}",
        _HTTP_PORT: str(HTTP_PORT),
    }
    if component.get("containerConcurrency") is not None:
        wanted[_WORKERS] = str(component["containerConcurrency"])
    return wanted


def _includes(args: Sequence[str], flag: str) -> bool:
    return any(argument.startswith(flag) for argument in args)
