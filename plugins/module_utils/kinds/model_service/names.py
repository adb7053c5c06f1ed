# SPDX-License-Identifier: GPL-3.0-or-later
"""How the children of a ModelService are called.

Serving workloads, pool and route carry the service's own name; what belongs to the endpoint picker carries a name that is
made from it, since a Service must be a DNS label. Source: model-operator internal/modelservice/helpers.go@v0.9.0-alpha.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ...kube.names import LABEL_LENGTH, check_dns_subdomain, check_namespace, quoted

_NOT_USABLE = re.compile(r"[^A-Za-z0-9._-]", re.ASCII)
_SEPARATORS = re.compile(r"[._-]+", re.ASCII)


@lru_cache(maxsize=1024)
def sanitise(text: str) -> str:
    """Return the DNS label that the operator makes of a name; a legal label that starts with a letter stays as it is.

    Only ASCII counts: `str.lower` and `\\w` would let the Kelvin sign and full-width digits pass, which the operator drops.
    Raises ValueError where nothing is left. The operator calls every such service `modelservice`, so that they collide.
    """
    label = _SEPARATORS.sub("-", _NOT_USABLE.sub("", text)).strip("-").lower()
    if not label:
        raise ValueError(f"{quoted(text)} has no letter a-z and no digit to make a name of")
    return f"m-{label}" if label[0].isdigit() else label


def decode(service: str) -> str:
    """Return the name of the decode Deployment and of its PodMonitor."""
    return f"{service}-decode"


def prefill(service: str) -> str:
    """Return the name of the prefill Deployment and of its PodMonitor."""
    return f"{service}-prefill"


def pool(service: str) -> str:
    """Return the name of the InferencePool, which the picker and the route refer to."""
    return service


def route(service: str) -> str:
    """Return the name of the HTTPRoute."""
    return service


def picker(service: str) -> str:
    """Return the name that the picker's Deployment, Service, accounts, roles, DestinationRule and ServiceMonitor share."""
    return f"{sanitise(service)}-epp"


def picker_config(service: str) -> str:
    """Return the name of the ConfigMap that holds the picker's configuration."""
    return f"{picker(service)}-config"


def picker_secret(service: str) -> str:
    """Return the name of the token Secret with which Prometheus reads the picker's metrics."""
    return f"{picker(service)}-sa-metrics-reader-secret"


def picker_cluster_role(service: str, namespace: str) -> str:
    """Return the name of the ClusterRole and of its binding.

    The separator may be in both parts: `team` with `a-chat` and `team-a` with `chat` give one name.
    """
    return f"{namespace}-{picker(service)}"


def child_names(service: str, namespace: str) -> dict[str, str]:
    """Return the name of every child that a service can have, by child, without a judgement on their legality."""
    shared = picker(service)
    cluster = picker_cluster_role(service, namespace)
    return {
        "decode_deployment": decode(service),
        "prefill_deployment": prefill(service),
        "picker_service_account": shared,
        "picker_config": picker_config(service),
        "picker_deployment": shared,
        "picker_service": shared,
        "picker_secret": picker_secret(service),
        "picker_role": shared,
        "picker_role_binding": shared,
        "picker_cluster_role": cluster,
        "picker_cluster_role_binding": cluster,
        "inference_pool": pool(service),
        "http_route": route(service),
        "destination_rule": shared,
        "decode_pod_monitor": decode(service),
        "prefill_pod_monitor": prefill(service),
        "service_monitor": shared,
    }


def all_names(service: str, namespace: str) -> dict[str, str]:
    """Return the name of every child that a service can have, by child.

    Raises ValueError that tells everything the API server would refuse, and the longest name that would do.
    """
    found = [*problems(service), *filter(None, [check_namespace(namespace)])]
    if found:
        raise ValueError("; ".join(found))
    return child_names(service, namespace)


def length_limit(service: str) -> int:
    """Return how long a service's name may be, in characters, so that the picker's name fits a label: 59, or 57 digit-first."""
    return (
        LABEL_LENGTH
        - (len(picker(service)) - len(sanitise(service)))
        - (2 if service[0].isdigit() else 0)
    )


def problems(service: str) -> Iterator[str]:
    """Yield what the API server would refuse about a service's name or the names made from it."""
    fault = check_dns_subdomain(service)
    if fault:
        yield fault
        return
    shared = picker(service)
    if len(shared) > LABEL_LENGTH:
        yield (
            f"{quoted(service)} has {len(service)} characters, at most {length_limit(service)} are "
            f"allowed: the endpoint picker is called {quoted(shared)}, and a Service or a label "
            f"value has at most {LABEL_LENGTH}"
        )
    elif len(service) > LABEL_LENGTH:
        yield (
            f"{quoted(service)} has {len(service)} characters, at most {LABEL_LENGTH} are allowed: "
            "it is the value of labels"
        )
