# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap with the certificates of S3 endpoints, which KServe keeps once and copies to each namespace."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ....kube.reader import Reader
from ....kube.reference import Reference
from ..artifacts.ca_bundle import GLOBAL_CONFIG_MAP
from ..errors import Unbuildable
from ..resolved import Resolved

_KEY = "cabundle.crt"


def global_ca_bundle(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the copy, None where no certificates are configured. Raises Unbuildable.

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
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version="v1",
            kind="ConfigMap",
            name=GLOBAL_CONFIG_MAP,
            namespace=resolved.namespace,
            body={"data": {_KEY: text}},
        ),
    )
