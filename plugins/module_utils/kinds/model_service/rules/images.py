# SPDX-License-Identifier: GPL-3.0-or-later
"""Images, and the secrets with which they are pulled."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.problem import Problem
from ....kube.schema_faults import show
from ....kube.validation.images import blank_problems, image_problems
from ..settings import Settings
from ..spec import ModelService

_SECRETS = "spec.model.imagePullSecrets"


def engine_image(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Refuse an engine without an image."""
    yield from _image(
        service.engine.image, settings.engine_image, "spec.engine.image", "images.engine"
    )


def model_image(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse an image of the model with blanks around it, which no container shows as its own; warn of one that nobody can fetch."""
    yield from blank_problems(service.model.image, "spec.model.image")
    yield from image_problems(service.model.image, "spec.model.image")


def routing_proxy_image(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Refuse a proxy without an image."""
    if service.routing_proxy is not None:
        given, path = service.routing_proxy.image, "spec.routingProxy.image"
        yield from _image(given, settings.routing_proxy_image, path, "images.routing_proxy")


def picker_image(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Refuse a picker without an image. There is a picker without a pool block too."""
    given = service.pool.image if service.pool else None
    path = "spec.inferencePool.endpointPicker.image"
    yield from _image(given, settings.endpoint_picker_image, path, "images.endpoint_picker")


def _image(given: str | None, default: str, path: str, setting: str) -> Iterator[Problem]:
    if not given and not default:
        yield Problem(
            path, f"missing, and the setting {setting} is empty; give one of them", rule="image"
        )
    yield from image_problems(given or default, path if given else f"settings.{setting}")


def pull_secrets(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse a first secret without a name; warn of others without one, and of all that the model download ignores (docs/differences.md, W44, W59)."""
    secrets = service.model.image_pull_secrets
    for number, name in enumerate(secrets):
        where = f"{_SECRETS}[{number}].name"
        if not name and number == 0:
            yield Problem(
                where,
                "missing: the first secret is mounted to download the model",
                rule="pull-secret",
            )
            continue
        if not name:
            yield Problem(where, "has no effect without a name", "warning", rule="pull-secret")
    if len(secrets) > 1:
        others = ", ".join(show(name) for name in secrets[1:])
        message = (
            f"only {show(secrets[0])} is used to download the model; {others} only to pull images. Put every credential "
            "that the model's registry needs into the first one"
        )
        yield Problem(_SECRETS, message, "warning", rule="first-pull-secret")
