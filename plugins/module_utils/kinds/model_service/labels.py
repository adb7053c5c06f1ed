# SPDX-License-Identifier: GPL-3.0-or-later
"""Which labels the children of a ModelService carry, and by which labels they find each other.

Each function takes the service's name; `version` is the value of the version label, empty for none.
Source: model-operator internal/labels/labels.go@v0.9.0-alpha.2.
"""

from __future__ import annotations

from typing import Literal

from . import names

Labels = dict[str, str]
RoleName = Literal["decode", "prefill"]

PART_OF = "otterscale-system"
MANAGED_BY = "model-operator"
PICKER_COMPONENT = "epp"
ROLES: tuple[RoleName, ...] = ("decode", "prefill")

#: Selected by pool and Deployments. The PodMonitor's own label is spelt with a hyphen: upstream has both.
SERVING = {"llm-d.ai/inferenceServing": "true"}
SERVING_ON_MONITOR = {"llm-d.ai/inference-serving": "true"}


def _common(name: str) -> Labels:
    return {
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/part-of": PART_OF,
        "app.kubernetes.io/managed-by": MANAGED_BY,
    }


def _selector(name: str, component: str) -> Labels:
    return {**_common(name), "app.kubernetes.io/component": component}


def _standard(name: str, component: str, version: str) -> Labels:
    return {
        **_selector(name, component),
        **({"app.kubernetes.io/version": version} if version else {}),
    }


def _component(role: RoleName) -> str:
    return f"model-{role}"


def _of_role(service: str, role: RoleName) -> Labels:
    return {**SERVING, "llm-d.ai/model": service, "llm-d.ai/role": role}


def deployment(service: str, role: RoleName, version: str) -> Labels:
    """Return the labels of a role's Deployment."""
    return _standard(service, _component(role), version)


def deployment_selector(service: str, role: RoleName) -> Labels:
    """Return the labels by which a role's Deployment and PodMonitor find its pods."""
    return {**_selector(service, _component(role)), **_of_role(service, role)}


def deployment_pod(service: str, role: RoleName, version: str) -> Labels:
    """Return the labels of a role's pods."""
    return {**_standard(service, _component(role), version), **_of_role(service, role)}


def pod_monitor(service: str, role: RoleName, version: str, serving_label: bool) -> Labels:
    """Return the labels of a role's PodMonitor. serving_label: releases before 0.9.1 add the hyphenated serving key."""
    return {
        **_standard(service, _component(role), version),
        **(SERVING_ON_MONITOR if serving_label else {}),
    }


def picker(service: str, version: str) -> Labels:
    """Return the labels of every object that belongs to the endpoint picker."""
    return _standard(names.picker(service), PICKER_COMPONENT, version)


def picker_selector(service: str) -> Labels:
    """Return the labels by which the picker's Service finds its pods, and the ServiceMonitor the Service."""
    return _selector(names.picker(service), PICKER_COMPONENT)


def picker_deployment_selector(service: str) -> Labels:
    """Return the labels by which the picker's Deployment finds its pods."""
    return {**picker_selector(service), "inferencepool": names.picker(service)}


def picker_pod(service: str, version: str) -> Labels:
    """Return the labels of the picker's pods."""
    return {**picker(service, version), "inferencepool": names.picker(service)}


def routing(service: str, version: str) -> Labels:
    """Return the labels of the InferencePool and the HTTPRoute: the picker's component under the service's own name."""
    return _standard(service, PICKER_COMPONENT, version)


def pool_selector(service: str) -> Labels:
    """Return the labels by which the InferencePool finds model servers. Without a component, so that both roles match."""
    return {**_common(service), **SERVING, "llm-d.ai/model": service}


def all_labels(service: str, version: str, serving_label: bool) -> dict[str, dict[str, Labels]]:
    """Return the label sets of every child that a service can have: child → set (`object`, `pod`, `selector`) → labels."""
    of_picker = {"object": picker(service, version)}
    sets = {child: dict(of_picker) for child in names.child_names(service, "")}
    sets["picker_service"]["selector"] = picker_selector(service)
    sets["service_monitor"]["selector"] = picker_selector(service)
    sets["picker_deployment"] |= {
        "pod": picker_pod(service, version),
        "selector": picker_deployment_selector(service),
    }
    sets["inference_pool"] = {
        "object": routing(service, version),
        "selector": pool_selector(service),
    }
    sets["http_route"] = {"object": routing(service, version)}
    for role in ROLES:
        selector = deployment_selector(service, role)
        sets[f"{role}_deployment"] = {
            "object": deployment(service, role, version),
            "pod": deployment_pod(service, role, version),
            "selector": selector,
        }
        sets[f"{role}_pod_monitor"] = {
            "object": pod_monitor(service, role, version, serving_label),
            "selector": selector,
        }
    return sets
