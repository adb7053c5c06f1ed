# SPDX-License-Identifier: GPL-3.0-or-later
"""The template of the claims by which pods get devices that their service asks for by annotations."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from .. import names
from ..child_kinds import RESOURCE_CLAIM_TEMPLATE
from ..managed_devices import REQUEST, managed_devices
from ..resolved import Resolved


def resource_claim_template(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the template, None where nothing asks for devices so, or the service is stopped.

    Source: KServe pkg/controller/v1alpha2/llmisvc/managed_dra.go@v0.20.0.
    """
    wanted = managed_devices(resolved.service.annotations, resolved.settings.release)
    if wanted is None or resolved.stopped:
        return None
    exactly: Json = {"deviceClassName": wanted.device_class}
    if wanted.count > 1:
        exactly["count"] = wanted.count
    if wanted.selectors:
        exactly["selectors"] = [{"cel": {"expression": each}} for each in wanted.selectors]
    request = {"name": REQUEST, "exactly": exactly}
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version=RESOURCE_CLAIM_TEMPLATE.api_version,
            kind=RESOURCE_CLAIM_TEMPLATE.kind,
            name=names.managed_devices(resolved.name),
            namespace=resolved.namespace,
            body={"spec": {"spec": {"devices": {"requests": [request]}}}},
        ),
    )
