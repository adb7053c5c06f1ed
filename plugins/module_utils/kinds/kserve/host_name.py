# SPDX-License-Identifier: GPL-3.0-or-later
"""Host names of KServe's objects, as the templates of `inferenceservice-config` make them.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/domain.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kube.go_template.errors import TemplateError
from ...kube.go_template.execute import render
from ...kube.go_template.values import STRING, STRINGS, Struct, StructOf
from ...kube.names import LABEL_LENGTH, check_namespace
from .system_config import Ingress

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
    host = filled_in(ingress.domain_template, Struct(_DOMAIN_DATA, data), "domain-template")
    fault = _fault(host)
    if fault:
        raise HostError(f'failed creating host name: invalid domain name "{host}": {fault}')
    return host


def local_host(name: str, namespace: str, cluster_domain: str) -> str:
    """Return the name of a Service inside the cluster."""
    return f"{name}.{namespace}.svc.{cluster_domain}"


def filled_in(template: str, data: Struct, name: str) -> str:
    """Return what a template of the configuration becomes. name: of the template in messages. Raises HostError."""
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
