# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificate authority that cert-manager injects: which one it has to be, and put there before objects depend on it.

A CRD whose objects are converted by a webhook makes them unreadable as long as it lacks the authority. So where the certificate is issued
already, a converter comes together with its authority, and cert-manager finds what it would have written.
"""

from __future__ import annotations

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError, Forbidden
from ...kube.crds import conversion_service
from ...kube.manifest import FieldPath, Json, put_at, value_at
from ...kube.reference import Reference
from .. import FIELD_MANAGER
from .served_certificate import AUTHORITY

INJECT = "cert-manager.io/inject-ca-from"
#: The field manager of what is put there for cert-manager.
AUTHORITY_MANAGER = f"{FIELD_MANAGER}.authority"
BUNDLE: FieldPath = ("spec", "conversion", "webhook", "clientConfig", "caBundle")
_NO_CONVERSION: Json = {"spec": {"conversion": {"strategy": "None", "webhook": None}}}


class NoAuthority(ClusterError):
    """The authority that an object asks for is not there."""


def served_secret(cluster: Cluster, manifest: Json) -> Reference:
    """Return the Secret that an object's annotation leads to: that of the certificate with which it is answered. Raises ClusterError."""
    namespace, dummy, name = manifest["metadata"]["annotations"][INJECT].partition("/")
    certificate = cluster.get(Reference("cert-manager.io/v1", "Certificate", namespace, name))
    if certificate is None:
        raise NoAuthority(f"Certificate {namespace}/{name} does not exist")
    return Reference("v1", "Secret", namespace, certificate["spec"]["secretName"])


def held_texts(cluster: Cluster, secret: Reference) -> dict[str, str]:
    """Return the data of a Secret, as base64. Raises ClusterError, also where it is not there."""
    held = cluster.get(secret)
    if held is None:
        raise NoAuthority(f"{secret} does not exist")
    return held.get("data") or {}


def bring_authority(cluster: Cluster, wanted: Json, live: Json) -> bool:
    """Give a CRD its converter together with the authority, where that is known already; tell whether it was. Raises ClusterError."""
    if INJECT not in (wanted["metadata"].get("annotations") or {}):
        return False
    if value_at(wanted, BUNDLE) or value_at(live, BUNDLE):
        return False
    try:
        texts = held_texts(cluster, served_secret(cluster, wanted))
    except (Forbidden, NoAuthority):
        return False
    authority = texts.get(AUTHORITY)
    if authority:
        crd = Reference.of(live).to_manifest()
        crd["spec"] = {"conversion": wanted["spec"]["conversion"]}
        put_at(crd, BUNDLE, authority)
        cluster.apply(crd, manager=AUTHORITY_MANAGER, force=True)
    return bool(authority)


def keep_authority(cluster: Cluster, live: Json) -> Json:
    """Let go of all but the authority, so that nobody else's field is in the way of a later release. Raises ClusterError."""
    crd = Reference.of(live).to_manifest()
    put_at(crd, BUNDLE, value_at(live, BUNDLE))
    return cluster.apply(crd, manager=AUTHORITY_MANAGER, force=True).object


def stops_converting(wanted: Json, live: Json) -> bool:
    """Tell whether a CRD loses its converter: what was injected into it is not the set's, and would stay behind."""
    return conversion_service(live) is not None and conversion_service(wanted) is None


def stop_conversion(cluster: Cluster, crd: Reference, *, dry_run: bool = False) -> None:
    """Let the API server itself give a CRD's objects in each version. Raises ClusterError."""
    cluster.patch(crd, _NO_CONVERSION, kind="merge", dry_run=dry_run)
