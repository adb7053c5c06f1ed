# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters that make label sets and selectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils.kinds.inference_graph import labels as inference_graph
from ..module_utils.kinds.inference_service import labels as inference_service
from ..module_utils.kinds.kserve.modes import KNATIVE, STANDARD, canonical_mode
from ..module_utils.kinds.local_model_cache import labels as local_model_cache
from ..module_utils.kinds.model_service import labels as model_service
from ..module_utils.kinds.model_service import names
from ..module_utils.kinds.model_service.children.pod_monitor import FACTS
from ..module_utils.kinds.model_service.releases import DEFAULT, ModelOperator
from ..module_utils.kube import labels
from ..module_utils.kube.names import (
    check_dns_label,
    check_dns_subdomain,
    check_label_value,
    check_namespace,
)
from ..plugin_utils.arguments import explained, mapping, optional_text, service, text

LabelSets = dict[str, dict[str, dict[str, str]]]


def model_service_labels(
    value: Any, release: Any = DEFAULT.text, operator_version: Any = None
) -> LabelSets:
    """Return the label sets of every child that a ModelService can have: child, set, labels."""
    plugin = "model_service_labels"
    name, _namespace = service(plugin, value)
    wanted = text(plugin, release, "release").removeprefix("v")
    version = f"v{wanted}"
    if operator_version is not None:
        version = text(plugin, operator_version, "operator_version")
    with explained(plugin):
        known = {each.text: each for each in ModelOperator}
        if wanted not in known:
            raise ValueError(f'release "{wanted}" is not one of {", ".join(known)}')
        faults = [*names.problems(name), *filter(None, [check_label_value(version)])]
        if faults:
            raise ValueError("; ".join(faults))
        serving_label = FACTS.at(known[wanted]).serving_label
        return model_service.all_labels(name, version, serving_label)


def inference_service_labels(value: Any, mode: Any = STANDARD) -> LabelSets:
    """Return the label sets of every component that an InferenceService can have: component, set, labels."""
    plugin = "inference_service_labels"
    name, _namespace = service(plugin, value)
    wanted = canonical_mode(text(plugin, mode, "mode"))
    with explained(plugin):
        if wanted not in (STANDARD, KNATIVE):
            raise ValueError(f'mode "{wanted}" is not one of {STANDARD}, {KNATIVE}')
        found = inference_service.all_labels(name, wanted)
        # Each service has a predictor; whether it has the others, whose names are longer, is not known here.
        values = found["predictor"]["selector"].values()
        faults = [check_dns_label(name), *map(check_label_value, values)]
        if any(faults):
            raise ValueError("; ".join(filter(None, faults)))
        return found


def inference_graph_labels(value: Any) -> dict[str, dict[str, str]]:
    """Return the label sets of an InferenceGraph: set, labels."""
    plugin = "inference_graph_labels"
    name, _namespace = service(plugin, value)
    with explained(plugin):
        found = inference_graph.all_labels(name)
        faults = [check_dns_label(name), *map(check_label_value, found["selector"].values())]
        if any(faults):
            raise ValueError("; ".join(filter(None, faults)))
        return found


def local_model_cache_labels(value: Any, namespace: Any = None) -> dict[str, dict[str, str]]:
    """Return the label sets of a cache of a model: set, labels."""
    plugin = "local_model_cache_labels"
    name, own = service(plugin, value, namespace)
    with explained(plugin):
        faults = [check_dns_subdomain(name), check_label_value(name)]
        faults += [check_namespace(own)] if own else []
        if any(faults):
            raise ValueError("; ".join(dict.fromkeys(filter(None, faults))))
        return local_model_cache.all_labels(name, own or "")


def recommended_labels(
    value: Any,
    instance: Any = None,
    version: Any = None,
    component: Any = None,
    part_of: Any = None,
    managed_by: Any = None,
) -> dict[str, str]:
    """Return the labels that Kubernetes recommends for an application of this name."""
    plugin = "recommended_labels"
    others = {
        "instance": instance,
        "version": version,
        "component": component,
        "part_of": part_of,
        "managed_by": managed_by,
    }
    given = {key: optional_text(plugin, other, key) for key, other in others.items()}
    with explained(plugin):
        return labels.recommended_labels(text(plugin, value), **given)


def label_selector(value: Any) -> str:
    """Return labels, or a LabelSelector, as the text that the API and kubectl take."""
    with explained("label_selector"):
        return labels.selector_text(mapping("label_selector", value))


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return them by name."""
        return {
            "model_service_labels": model_service_labels,
            "inference_service_labels": inference_service_labels,
            "inference_graph_labels": inference_graph_labels,
            "local_model_cache_labels": local_model_cache_labels,
            "recommended_labels": recommended_labels,
            "label_selector": label_selector,
        }
