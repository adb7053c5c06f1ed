# SPDX-License-Identifier: GPL-3.0-or-later
"""The Secret with the certificate by which all pods of a service are called."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ....kube.reader import Reader
from ....kube.release import Since
from ...certificates import AUTHORITY, CERTIFICATE, KEY
from ...kserve.releases import KServe
from ...kserve.secrets import secret_texts
from .. import labels, names
from ..certificate.request import secret_reference
from ..resolved import Resolved

#: What the Secret holds.
_ENTRIES: Since[tuple[str, ...]] = Since(
    {KServe.V0_17: (CERTIFICATE, KEY), KServe.V0_18: (CERTIFICATE, KEY, AUTHORITY)}
)


def certificate_secret(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the Secret with the keys that the reader has for it; None for a stopped service, and where there are none.

    Compile makes no keys: whoever runs it puts fresh ones in front of the reader. Source: KServe
    pkg/controller/v1alpha2/llmisvc/workload_tls_self_signed.go@v0.17.0.
    """
    found = None if resolved.stopped else reader.get(secret_reference(resolved))
    texts = secret_texts(found or {})
    if found is None or not texts.get(CERTIFICATE) or not texts.get(KEY):
        return None
    given = found["metadata"].get("annotations") or {}
    known = resolved.config.certificates.expiration_annotations
    kept = _ENTRIES.at(resolved.settings.release)
    return Child(
        stage=Stage.CERTIFICATE,
        manifest=Manifest(
            api_version="v1",
            kind="Secret",
            name=names.certificate_secret(resolved.name),
            namespace=resolved.namespace,
            labels=labels.workload(resolved.name),
            annotations={key: given[key] for key in known if key in given},
            body={
                "type": "kubernetes.io/tls",
                "data": {key: found["data"][key] for key in kept if found["data"].get(key)},
            },
        ),
    )
