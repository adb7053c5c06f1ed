# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap with the certificates of storage endpoints in the service's namespace.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/cabundleconfigmap/cabundle_configmap_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from ....kube.intent import Child, present
from ....kube.reader import Reader
from ...kserve.storage.bundle_copy import MissingBundle, bundle_copy, bundle_source
from ..errors import Unbuildable
from ..resolved import Resolved


def ca_bundle(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:
    """Return the copy, nothing where no certificates are configured, and where somebody else keeps the same copy. Raises Unbuildable."""
    name = resolved.config.storage.ca_bundle_config_map
    if not name:
        return ()
    source = bundle_source(name, resolved.settings.kserve_namespace)
    try:
        return present([bundle_copy(source, resolved.service.reference, reader)])
    except MissingBundle as error:
        raise Unbuildable(
            f"fails to get cabundle configmap for creating to user namespace: {error}",
            advice="caBundleConfigMapName in inferenceservice-config names it, and no service can be built without it",
            rule="ca-bundle",
        ) from None
