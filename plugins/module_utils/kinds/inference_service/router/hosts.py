# SPDX-License-Identifier: GPL-3.0-or-later
"""Host names and paths, as the templates of `inferenceservice-config` make them.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/domain.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ....kube.go_template.errors import TemplateError
from ....kube.go_template.execute import render
from ....kube.go_template.values import STRING, STRINGS, Struct, StructOf
from ....kube.names import LABEL_LENGTH, check_dns_subdomain, check_namespace
from ...kserve.system_config import Ingress
from ..spec import InferenceService

_DOMAIN_DATA = StructOf(
    "ingress.DomainTemplateValues",
    {
        "Name": ("Name", STRING),
        "Namespace": ("Namespace", STRING),
        "IngressDomain": ("IngressDomain", STRING),
        "Annotations": ("Annotations", STRINGS),
        "Labels": ("Labels", STRINGS),
    },
)
_PATH_DATA = StructOf(
    "ingress.PathTemplateValues",
    {"Name": ("Name", STRING), "Namespace": ("Namespace", STRING)},
)


class HostError(Exception):
    """A template of the configuration gives no host name or no path. The text is the controller's."""


def host_name(
    name: str,
    namespace: str,
    ingress: Ingress,
    *,
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
) -> str:
    """Return the host name of an object. labels, annotations: what the template may ask for. Raises HostError."""
    data: dict[str, Any] = {
        "Name": name,
        "Namespace": namespace,
        "IngressDomain": ingress.domain,
        "Annotations": dict(annotations),
        "Labels": dict(labels),
    }
    host = _filled_in(ingress.domain_template, Struct(_DOMAIN_DATA, data), "domain-template")
    fault = _fault(host)
    if fault:
        raise HostError(f'failed creating host name: invalid domain name "{host}": {fault}')
    return host


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
    path = _filled_in(ingress.path_template, Struct(_PATH_DATA, data), "url-path-template")
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


def local_host(name: str, namespace: str, cluster_domain: str) -> str:
    """Return the name of a Service inside the cluster."""
    return f"{name}.{namespace}.svc.{cluster_domain}"


def _filled_in(template: str, data: Struct, name: str) -> str:
    try:
        return render(template, data, {}, lenient=True)
    except TemplateError as error:
        raise HostError(f"failed creating host name: {error.as_go(name, template)}") from None


def _fault(host: str) -> str:
    """Say what keeps a text from being a full domain name; empty where nothing does."""
    if not host:
        return "url: Required value"
    labels = host.removesuffix(".").split(".")
    long = next((label for label in labels if len(label) > LABEL_LENGTH), None)
    wrong = next((label for label in labels if check_namespace(label) is not None), None)
    if long is None and wrong is not None:
        return f'url: Invalid value: "{host}": {check_namespace(wrong)}'
    if len(labels) == 1:
        return f'url: Invalid value: "{host}": should be a domain with at least two segments separated by dots'
    if long is not None:
        return f'url: Invalid value: "{long}": must be no more than {LABEL_LENGTH} characters'
    return ""
