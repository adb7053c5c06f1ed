# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a task gives to what it stores: the API server would refuse them, after it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..kube.names import check_data_key, check_dns_subdomain, check_namespace
from ..kube.problem import Problem

_RULES: Mapping[str, Callable[[str], str | None]] = {
    "name": check_dns_subdomain,
    "namespace": check_namespace,
    "key": check_data_key,
    "restart": check_dns_subdomain,
}


def name_problems(params: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield options whose names no object, no namespace and no entry of a ConfigMap can have."""
    for option, rule in _RULES.items():
        fault = rule(params[option]) if params[option] else None
        kind, slash, name = str(params[option] or "").partition("/")
        if option == "restart" and slash and kind.lower().startswith("deployment"):
            fault = f"{fault}; write {name} alone, the name of the Deployment"
        if fault:
            yield Problem(option, fault, rule="name")
