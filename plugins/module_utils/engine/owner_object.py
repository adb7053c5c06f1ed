# SPDX-License-Identifier: GPL-3.0-or-later
"""What carries the owner references of a service: its custom resource, or a record of it where the kind is not installed."""

from __future__ import annotations

from ..kube.canonical import canonical_json
from ..kube.intent import Stage
from ..kube.manifest import Json, Manifest
from ..kube.reference import Reference
from .desired import Desired, marked, sealed
from .service_plan import record_name


def custom_resource(
    document: Json, fleet: str, release: str = "", kinds: frozenset[str] | None = None
) -> Desired:
    """Return the custom resource as it is applied. release, kinds: what it notes of its children."""
    service = Reference.of(document)
    wanted = marked(document, service, fleet)
    return sealed(wanted, service, Stage.PARENT, release=release, kinds=kinds)


def record(
    document: Json, fleet: str, release: str = "", kinds: frozenset[str] | None = None
) -> Desired:
    """Return the ConfigMap that stands in for a custom resource of a kind that the cluster does not serve, with the same notes."""
    service = Reference.of(document)
    manifest = Manifest(
        api_version="v1",
        kind="ConfigMap",
        name=record_name(service),
        namespace=service.namespace,
        body={"data": {"service": canonical_json(document).decode()}},
    )
    wanted = marked(manifest.to_dict(), service, fleet)
    return sealed(wanted, service, Stage.PARENT, release=release, kinds=kinds)
