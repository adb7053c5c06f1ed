# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an InferenceService is called inside the cluster, as its status says it.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/@v0.17.0.
"""

from __future__ import annotations

from ...kube.release import Since
from .host_name import local_host
from .releases import KServe
from .system_config import Ingress

#: The scheme in Standard mode, whatever is configured for calls from outside; empty: as configured.
_SCHEME_INSIDE: Since[str] = Since({KServe.V0_17: "", KServe.V0_18: "http"})
#: Where pods behind a Service without an address of its own listen.
_POD_PORT = 8080
#: Whether the Service says where. Source: kube_ingress_reconciler.go at aaac4e294dae.
_ASKS_SERVICE: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})


def standard_address(
    front: str,
    namespace: str,
    ingress: Ingress,
    *,
    release: KServe,
    cluster_domain: str,
    headless: bool,
    target: int | None = None,
) -> str:
    """Return the address in Standard mode. front: the Service that takes requests. headless: whether it has no address of its own.

    target: where the pods behind it listen, as far as it says so.
    """
    scheme = _SCHEME_INSIDE.at(release) or ingress.url_scheme
    known = target if _ASKS_SERVICE.at(release) else None
    port = f":{known or _POD_PORT}" if headless else ""
    return f"{scheme}://{local_host(front, namespace, cluster_domain)}{port}"


def knative_address(
    service: str, front: str, namespace: str, ingress: Ingress, cluster_domain: str
) -> str:
    """Return the address in Knative mode. front: the Knative Service that takes requests, which Istio hides behind the service's name."""
    name = front if ingress.disable_virtual_host else service
    return f"http://{local_host(name, namespace, cluster_domain)}"
