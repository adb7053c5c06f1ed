# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters that make names that Kubernetes takes, and that tell how the children of a service are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils.kinds.local_model_cache import names as cache_names
from ..module_utils.kinds.model_service import names
from ..module_utils.kube import sanitise
from ..module_utils.kube.names import LABEL_LENGTH, SUBDOMAIN_LENGTH, child_name
from ..plugin_utils.arguments import explained, flag, service, text, whole_number


def to_dns_label(value: Any, max_length: Any = LABEL_LENGTH, distinct: Any = False) -> str:
    """Return an RFC 1035 label made of a text."""
    return _sanitised("to_dns_label", sanitise.to_dns_label, value, max_length, distinct)


def to_dns_subdomain(value: Any, max_length: Any = SUBDOMAIN_LENGTH, distinct: Any = False) -> str:
    """Return an RFC 1123 subdomain made of a text."""
    return _sanitised("to_dns_subdomain", sanitise.to_dns_subdomain, value, max_length, distinct)


def to_label_value(value: Any, max_length: Any = LABEL_LENGTH, distinct: Any = False) -> str:
    """Return a label value made of a text."""
    return _sanitised("to_label_value", sanitise.to_label_value, value, max_length, distinct)


def kserve_child_name(value: Any, suffix: Any) -> str:
    """Return the name that KServe gives to what belongs to a service."""
    plugin = "kserve_child_name"
    parent, end = text(plugin, value), text(plugin, suffix, "suffix")
    with explained(plugin):
        return child_name(parent, end)


def model_service_names(value: Any, namespace: Any = None) -> dict[str, str]:
    """Return the name of every child that a ModelService can have, by child."""
    plugin = "model_service_names"
    name, place = service(plugin, value, namespace)
    with explained(plugin):
        return names.all_names(name, text(plugin, place, "namespace"))


def local_model_cache_names(
    value: Any, group: Any, service_namespace: Any, namespace: Any = None
) -> dict[str, str]:
    """Return the names of the volumes and claims of a cache of a model, by what they are."""
    plugin = "local_model_cache_names"
    name, own = service(plugin, value, namespace)
    nodes, place = (
        text(plugin, group, "group"),
        text(plugin, service_namespace, "service_namespace"),
    )
    with explained(plugin):
        return cache_names.all_names(name, own or "", nodes, place)


def _sanitised(
    plugin: str, function: Callable[..., str], value: Any, max_length: Any, distinct: Any
) -> str:
    limit = whole_number(plugin, max_length, "max_length")
    with explained(plugin):
        return function(text(plugin, value), limit, distinct=flag(plugin, distinct, "distinct"))


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return them by name."""
        return {
            "to_dns_label": to_dns_label,
            "to_dns_subdomain": to_dns_subdomain,
            "to_label_value": to_label_value,
            "kserve_child_name": kserve_child_name,
            "model_service_names": model_service_names,
            "local_model_cache_names": local_model_cache_names,
        }
