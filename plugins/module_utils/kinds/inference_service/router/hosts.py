# SPDX-License-Identifier: GPL-3.0-or-later
"""Host names and paths of a service, as the templates of `inferenceservice-config` make them.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/domain.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....kube.go_template.values import STRING, Struct, StructOf
from ....kube.names import check_dns_subdomain
from ...kserve.host_name import HostError, filled_in, host_name
from ...kserve.system_config import Ingress
from ..spec import InferenceService

_PATH_DATA = StructOf(
    "ingress.PathTemplateValues",
    {"Name": ("Name", STRING), "Namespace": ("Namespace", STRING)},
)


def service_host(service: InferenceService, name: str, ingress: Ingress) -> str:
    """Return the host name of a service, or of one of its components as the service's own labels make it. Raises HostError."""
    return host_name(
        name,
        service.namespace,
        ingress,
        labels=service.labels,
        annotations=service.annotations,
    )


def service_path(service: InferenceService, ingress: Ingress) -> str | None:
    """Return the path under which a service is reached beside its host name, None where there is no template. Raises HostError."""
    if not ingress.path_template:
        return None
    data = {"Name": service.name, "Namespace": service.namespace}
    path = filled_in(ingress.path_template, Struct(_PATH_DATA, data), "url-path-template")
    if not path.startswith("/") or path.startswith("//"):
        raise HostError(f'invalid url path "{path}": has to be absolute, without scheme and host')
    return path


def additional_hosts(host: str, domains: Iterable[str], ingress: Ingress) -> list[str]:
    """Return the host names below `additionalIngressDomains`. domains: what is taken off the end of a host name; the first that fits."""
    cut = next((domain for domain in domains if domain and host.endswith(domain)), None)
    stem = host.removesuffix(cut) if cut else ""
    if not stem:
        return []
    found = dict.fromkeys(f"{stem}{domain}" for domain in ingress.additional_domains or ())
    return [one for one in found if check_dns_subdomain(one) is None]
