# SPDX-License-Identifier: GPL-3.0-or-later
"""Istio's VirtualService of a service in Knative mode: by which names it is called, and which component answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....kube import gvk
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from ...kserve.host_name import local_host
from ...kserve.system_config import Ingress
from ..resolved import Resolved
from ..router.front_component import (
    EXPLAIN_PATH,
    PORT,
    asks_to_be_local,
    explainer_name,
    front_name,
    front_role,
    has_routes,
    service_headers,
)
from ..router.hosts import additional_hosts, service_path
from ..router.knative_host import knative_domains, knative_host, knative_service_host

_MESH = "mesh"
#: What Go takes for special in a regular expression. Python escapes more.
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")


@dataclass(frozen=True, slots=True)
class _Names:
    """By which names a service is called: inside the cluster, and from outside."""

    local: str
    outside: tuple[str, ...]


def virtual_service(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:
    """Return the VirtualService, nothing where Istio has none for us, while a part is stopped, and while nobody knows the host name.

    Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/ingress_reconciler.go@v0.17.0. Raises HostError.
    """
    components = resolved.components
    config = resolved.config.ingress
    if components.some_stopped or config.disable_virtual_host or not has_routes(resolved):
        return ()
    entry = components.of(front_role(resolved.service))
    host = knative_host(resolved, entry.labels, reader)
    if not host:
        return ()
    called = _names(resolved, knative_service_host(resolved, host), reader)
    path = service_path(resolved.service, config)
    hosts = [called.local, *called.outside[:1]]
    hosts += [config.domain] if path is not None else []
    hosts += called.outside[1:]
    gateways = [config.local_gateway, _MESH, *([config.ingress_gateway] if called.outside else [])]
    annotations = resolved.service.annotations.items()
    withheld = resolved.config.disallowed_annotations
    child = Child(
        stage=Stage.ROUTING,
        manifest=Manifest(
            api_version=gvk.ISTIO,
            kind="VirtualService",
            name=resolved.service.name,
            namespace=resolved.service.namespace,
            labels=components.labels,
            annotations={k: v for k, v in annotations if k not in withheld},
            body={
                "spec": {
                    "hosts": list(dict.fromkeys(hosts)),
                    "gateways": gateways,
                    "http": list(_routes(resolved, called, path)),
                }
            },
        ),
    )
    return (child,)


def _names(resolved: Resolved, host: str, reader: Reader) -> _Names:
    service = resolved.service
    local = local_host(service.name, service.namespace, resolved.settings.cluster_domain)
    if asks_to_be_local(service.labels) or host == local:
        return _Names(local, ())
    more = additional_hosts(host, knative_domains(reader), resolved.config.ingress)
    return _Names(local, tuple(dict.fromkeys([host, *more])))


def _routes(resolved: Resolved, called: _Names, path: str | None) -> Iterator[Json]:
    config = resolved.config.ingress
    entry, explainer = front_name(resolved.service), explainer_name(resolved.service)
    if explainer:
        matches = _by_host(config, called, {"regex": f"^{EXPLAIN_PATH}$"})
        yield _route(resolved, explainer, matches)
    yield _route(resolved, entry, _by_host(config, called, None))
    if path is None:
        return
    stem = path.removesuffix("/")
    if explainer:
        pattern = f"{stem}({EXPLAIN_PATH})$"
        rewrite = {"uriRegexRewrite": {"match": pattern, "rewrite": r"\1"}}
        yield _route(resolved, explainer, _by_path(config, [{"regex": pattern}]), rewrite)
    uris = [{"prefix": f"{stem}/"}, {"exact": stem}]
    yield _route(resolved, entry, _by_path(config, uris), {"uri": "/"})


def _by_host(config: Ingress, called: _Names, uri: Json | None) -> list[Json]:
    more = {"uri": uri} if uri else {}
    inside = [config.local_gateway, _MESH]
    return [
        {"authority": _authority(called.local), "gateways": inside, **more},
        *(
            {"authority": _authority(host), "gateways": [config.ingress_gateway], **more}
            for host in called.outside
        ),
    ]


def _by_path(config: Ingress, uris: Sequence[Json]) -> list[Json]:
    authority = _authority(config.domain)
    return [
        {"authority": authority, "gateways": [config.ingress_gateway], "uri": uri} for uri in uris
    ]


def _authority(host: str) -> Json:
    quoted = _SPECIAL.sub(r"\\\g<0>", host)
    return {"regex": rf"^{quoted}(?::\d{{1,5}})?$"}


def _route(
    resolved: Resolved, backend: str, matches: list[Json], rewrite: Json | None = None
) -> Json:
    service = resolved.service
    host = local_host(backend, service.namespace, resolved.settings.cluster_domain)
    gateway = resolved.config.ingress.knative_local_gateway_service
    destination = {"host": gateway, "port": {"number": PORT}}
    return {
        "match": matches,
        **({"rewrite": rewrite} if rewrite else {}),
        "route": [{"destination": destination, "weight": 100}],
        "headers": {"request": {"set": {"Host": host, **service_headers(service)}}},
    }
