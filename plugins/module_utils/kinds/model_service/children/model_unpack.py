# SPDX-License-Identifier: GPL-3.0-or-later
"""The init container that downloads the model, an OCI artifact, into the volume that vLLM reads."""

from __future__ import annotations

from ....kube.fields import filled
from ....kube.manifest import Json
from ..settings import Settings
from ..spec import ModelService
from .environment import variable
from .security import container_security

#: Where the kit command keeps what it downloads; a volume is mounted here.
KIT_HOME = "/tmp/model-oci"  # noqa: S108
#: Where the kit command finds the credentials of the registry.
DOCKER_CONFIG = "/.docker"


def model_unpack(service: ModelService, settings: Settings) -> Json | None:
    """Return the container, or None where the settings name no image for it or the service no model.

    Source: model-operator internal/modelservice/deployment.go@v0.9.0-alpha.2.
    """
    if not settings.model_kit_image or not service.model.image:
        return None
    private = bool(service.model.image_pull_secrets)
    credentials = {"name": "docker-config", "mountPath": DOCKER_CONFIG, "readOnly": True}
    return {
        "name": "model-unpack",
        "image": settings.model_kit_image,
        "command": ["/bin/sh", "-c"],
        "args": [script(settings.plain_http)],
        "env": [
            variable("OCI_MODEL_IMAGE", service.model.image),
            variable("MODEL_MOUNT_PATH", service.model.mount_path),
            variable("KITOPS_HOME", KIT_HOME),
            *([variable("DOCKER_CONFIG", DOCKER_CONFIG)] if private else []),
        ],
        "volumeMounts": [
            {"name": "model-tmp", "mountPath": KIT_HOME},
            {"name": "model", "mountPath": service.model.mount_path},
            *([credentials] if private else []),
        ],
        "securityContext": container_security(),
    }


def script(plain_http: bool) -> str:
    """Return the shell script that unpacks the model; it reads everything from the environment.

    plain_http: call the registry without TLS, as the operator always does.
    """
    transport = " --plain-http" if plain_http else ""
    return (
        "set -euo pipefail\n"
        f'export KITOPS_HOME="${{KITOPS_HOME:-{KIT_HOME}}}"\n'
        'mkdir -p "$KITOPS_HOME"\n'
        f'kit unpack "$OCI_MODEL_IMAGE"{transport} -o -d "$MODEL_MOUNT_PATH"\n'
    )


def credentials_volume(service: ModelService) -> Json | None:
    """Return the volume with the registry's credentials: the first pull secret only, as the kit command reads one file."""
    if not service.model.image_pull_secrets:
        return None
    item = {"key": ".dockerconfigjson", "path": "config.json"}
    secret = filled({"secretName": service.model.image_pull_secrets[0], "items": [item]})
    return {"name": "docker-config", "secret": secret}
