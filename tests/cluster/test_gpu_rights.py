# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody is told who may not look at everything that decides about fit: a note, never a failure."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json
from tests.lab.cluster import Cluster, grant

from .support.entries import Entries
from .support.services import small

LOOK = {"apiGroups": ["*"], "verbs": ["get", "list", "watch"]}
EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}


def robot(lab: Cluster, namespace: str, *everywhere: str) -> Entries:
    """Return somebody who may do everything in one namespace, and list some resources everywhere."""
    entries = Entries(lab.service_account_kubeconfig("robot", namespace))
    grant(lab, f"{namespace}/robot", [EVERYTHING], namespace)
    if everywhere:
        grant(lab, f"{namespace}/robot", [{**LOOK, "resources": list(everywhere)}])
    return entries


def pods(namespace: str) -> Json:
    limits = {"nvidia.com/gpu": "8"}
    container = {"name": "vllm", "image": "vllm", "resources": {"limits": limits}}
    metadata = {"name": "chat", "namespace": namespace}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container]},
    }


@pytest.mark.parametrize(
    ("everywhere", "noted", "silent"),
    [
        ((), "the verb list on nodes is not allowed: what is free is not known", "on pods"),
        (
            ("nodes", "deviceclasses"),
            "the verb list on pods in all namespaces is not allowed: all that nodes offer counts as free",
            "on nodes",
        ),
        (
            ("nodes", "pods"),
            "the verb list on deviceclasses.resource.k8s.io is not allowed",
            "on pods",
        ),
    ],
)
def test_missing_right_is_a_note_with_verb_and_resource(
    everywhere: tuple[str, ...], noted: str, silent: str, lab: Cluster, namespace: str
) -> None:
    found = robot(lab, namespace, *everywhere).gpu(state="gathered", services=[pods(namespace)])
    assert not found.get("failed"), found["msg"]
    said = str(found["warnings"])
    assert noted in said
    assert silent not in said
    (answer,) = found["fit"]["workloads"]
    assert answer["verdict"] == ("fits" if "pods" in everywhere else "uncertain"), answer


def test_namespace_that_hides_its_quotas_is_noted(lab: Cluster, namespace: str) -> None:
    entries = Entries(lab.service_account_kubeconfig("guest", namespace))
    grant(lab, f"{namespace}/guest", [{**LOOK, "resources": ["nodes", "pods", "deviceclasses"]}])
    found = entries.gpu(state="gathered", services=[pods(namespace)])
    assert not found.get("failed"), found["msg"]
    for resource in ("resourcequotas", "limitranges", "horizontalpodautoscalers.autoscaling"):
        text = f"the verb list on {resource} in namespace {namespace} is not allowed"
        assert text in str(found["warnings"])


@pytest.mark.parametrize("mode", ["warn", "require"])
def test_reconcile_goes_on_without_the_right_to_list_nodes(
    mode: str, lab: Cluster, namespace: str
) -> None:
    service = small("chat", namespace, accelerator={"type": "nvidia"})
    result = robot(lab, namespace).reconcile(service, fit=mode)
    assert result["changed"]
    assert "the verb list on nodes is not allowed" in str(result["warnings"])
