# SPDX-License-Identifier: GPL-3.0-or-later
"""The pull secrets that a recorded service names. Nobody had made them where it was recorded; without them no pod starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from module_utils.kube.manifest import Json
from tests.lab.client import Client


def create_pull_secrets(client: Client, service: Json) -> None:
    """Create those that are not there yet, empty, beside the service."""
    namespace = service["metadata"]["namespace"]
    for name in dict.fromkeys(_names(service["spec"])):
        if client.get("v1", "Secret", name, namespace) is None:
            client.create(
                {
                    "apiVersion": "v1",
                    "kind": "Secret",
                    "metadata": {"name": name, "namespace": namespace},
                    "type": "kubernetes.io/dockerconfigjson",
                    "stringData": {".dockerconfigjson": '{"auths": {}}'},
                }
            )


def _names(part: Any) -> Iterator[str]:
    if isinstance(part, list):
        for item in part:
            yield from _names(item)
    elif isinstance(part, dict):
        yield from (each["name"] for each in part.get("imagePullSecrets") or ())
        for value in part.values():
            yield from _names(value)
