# SPDX-License-Identifier: GPL-3.0-or-later
"""What carries the owner references of a service: its custom resource, or a record of it where the kind is not installed."""

from __future__ import annotations

from ..kube.canonical import canonical_json
from ..kube.intent import Stage
from ..kube.manifest import Json, Manifest
from ..kube.reference import Reference
from .desired import Desired, marked, sealed
from .service_plan import record_name


def custom_resource(document: Json, fleet: str, release: str = "") -> Desired:
    """Return the custom resource as it is applied. release: as which its children are made."""
    service = Reference.of(document)
    return sealed(marked(document, service, fleet), service, Stage.PARENT, release=release)


def record(document: Json, fleet: str, release: str = "") -> Desired:
    """Return the ConfigMap that stands in for a custom resource of a kind that the cluster does not serve. release: as which its
    children are made.
    """
    service = Reference.of(document)
    manifest = Manifest(
        api_version="v1",
        kind="ConfigMap",
        name=record_name(service),
        namespace=service.namespace,
        body={"data": {"service": canonical_json(document).decode()}},
    )
    wanted = marked(manifest.to_dict(), service, fleet)
    return sealed(wanted, service, Stage.PARENT, release=release)
