# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap with the certificates of S3 endpoints, which KServe keeps once and copies to each namespace."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ...kserve.storage.ca_bundle import GLOBAL_CONFIG_MAP
from ..errors import Unbuildable
from ..resolved import Resolved
from ..spec import KIND

_KEY = "cabundle.crt"


def global_ca_bundle(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the copy, None where no certificates are configured, and where somebody else keeps the same copy. Raises Unbuildable.

    All services of a namespace read one copy, and an object has one owner. So a copy with the right content is left to whoever
    has made it: another service, or the controller. One with other content is claimed, and its owner then told.
    Source: KServe v0.17.0; reference/kserve-llmisvc.md §3.7. The controller gives it neither labels nor an owner.
    """
    name = resolved.config.storage.ca_bundle_config_map
    if not name:
        return None
    source = Reference("v1", "ConfigMap", resolved.settings.kserve_namespace, name)
    found = reader.get(source)
    if found is None and not reader.complete:
        return None
    text = ((found or {}).get("data") or {}).get(_KEY)
    if not text:
        raise Unbuildable(
            f"{source} has no key {_KEY}" if found else f"{source} not found",
            condition="",
            reason="",
            advice="caBundleConfigMapName in inferenceservice-config names it, and no service can be built without it",
            rule="ca-bundle",
        )
    manifest = Manifest(
        api_version="v1",
        kind="ConfigMap",
        name=GLOBAL_CONFIG_MAP,
        namespace=resolved.namespace,
        body={"data": {_KEY: text}},
    )
    return None if _kept_by_others(resolved, reader, manifest) else Child(Stage.CONFIG, manifest)


def _kept_by_others(resolved: Resolved, reader: Reader, wanted: Manifest) -> bool:
    live = reader.get(wanted.reference)
    if live is None or live.get("data") != wanted.body["data"]:
        return False
    owners = value_at(live, ("metadata", "ownerReferences")) or ()
    return not any((each.get("kind"), each.get("name")) == (KIND, resolved.name) for each in owners)
