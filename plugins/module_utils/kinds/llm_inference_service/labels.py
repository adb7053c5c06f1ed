# SPDX-License-Identifier: GPL-3.0-or-later
"""Which labels the children of an LLMInferenceService carry, and by which labels they find each other.

Each function takes the service's name. Source: KServe pkg/controller/v1alpha2/llmisvc/workload.go@v0.17.0.
"""

from __future__ import annotations

from typing import Literal

Labels = dict[str, str]
Role = Literal["both", "decode", "prefill"]

PART_OF = "llminferenceservice"
NAME_LABEL = "app.kubernetes.io/name"
PART_OF_LABEL = "app.kubernetes.io/part-of"
COMPONENT_LABEL = "app.kubernetes.io/component"
#: On services and their routes: the group that shares requests.
GROUP_LABEL = "serving.kserve.io/routing-group"
PICKER_COMPONENT = f"{PART_OF}-router-scheduler"
#: Pods that receive traffic.
_SERVING = {"kserve.io/component": "workload"}


def common(name: str) -> Labels:
    """Return the labels of multi-node accounts and roles."""
    return {NAME_LABEL: name, PART_OF_LABEL: PART_OF}


def _component(name: str, component: str) -> Labels:
    return {COMPONENT_LABEL: f"{PART_OF}-{component}", **common(name)}


def workload(name: str) -> Labels:
    """Return the labels of what all pods of a service share: Secret, Service, accounts."""
    return _component(name, "workload")


def router(name: str, group: str = "") -> Labels:
    """Return the labels of the managed route. group: that of its service, empty for none."""
    return {**_component(name, "router"), **({GROUP_LABEL: group} if group else {})}


def picker(name: str) -> Labels:
    """Return the labels of everything that belongs to the endpoint picker, and of its pods."""
    return _component(name, "router-scheduler")


def tokenizer(name: str) -> Labels:
    """Return the labels of the tokenizer, of its pods and of its Service."""
    return {COMPONENT_LABEL: "tokenizer", **common(name)}


def workload_selector(name: str) -> Labels:
    """Return the labels by which workload Service and pool find model servers, prefill and decode alike."""
    return {**common(name), **_SERVING}


def serving(name: str, component: str, role: Role) -> Labels:
    """Return the labels of pods that receive traffic, and of their Deployment. component: without its prefix."""
    return {**_component(name, component), **_SERVING, "llm-d.ai/role": role}


def worker(name: str, component: str) -> Labels:
    """Return the labels of workers behind a leader. component: without its prefix."""
    return _component(name, component)
