# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap with the certificates of storage endpoints, which KServe keeps once and copies to each namespace."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from .ca_bundle import GLOBAL_CONFIG_MAP

_KEY = "cabundle.crt"


class MissingBundle(Exception):
    """The certificates that the configuration names are not there. Its text says so."""


def bundle_copy(source: Reference, service: Reference, reader: Reader) -> Child | None:
    """Return the copy for a service's namespace, None where somebody else keeps the same one. Raises MissingBundle.

    All services of a namespace read one copy, and an object has one owner. So a copy with the right content is left to whoever
    has made it: another service, or the controller. One with other content is claimed, and its owner then told.
    Source: KServe pkg/controller/v1alpha2/llmisvc/workload_storage.go@v0.17.0. The controller gives it neither labels nor an owner.
    """
    found = reader.get(source)
    if found is None and not reader.complete:
        return None
    text = ((found or {}).get("data") or {}).get(_KEY)
    if not text:
        raise MissingBundle(f"{source} has no key {_KEY}" if found else f"{source} not found")
    manifest = Manifest(
        api_version="v1",
        kind="ConfigMap",
        name=GLOBAL_CONFIG_MAP,
        namespace=service.namespace,
        body={"data": {_KEY: text}},
    )
    if _kept_by_others(service, reader, manifest):
        return None
    return Child(Stage.CONFIG, manifest, shared=True)


def bundle_source(config_map: str, kserve_namespace: str) -> Reference:
    """Return where KServe keeps the certificates."""
    return Reference("v1", "ConfigMap", kserve_namespace, config_map)


def _kept_by_others(service: Reference, reader: Reader, wanted: Manifest) -> bool:
    live = reader.get(wanted.reference)
    if live is None or live.get("data") != wanted.body["data"]:
        return False
    owners = value_at(live, ("metadata", "ownerReferences")) or ()
    own = (service.kind, service.name)
    return not any((each.get("kind"), each.get("name")) == own for each in owners)
