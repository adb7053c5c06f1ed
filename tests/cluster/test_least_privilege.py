# SPDX-License-Identifier: GPL-3.0-or-later
"""The generated rights are enough for every step of a service's life, and each of them is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.filter.rights import least_privilege
from module_utils.kube.manifest import Json
from tests.lab import audit
from tests.lab.client import Client
from tests.lab.cluster import Cluster

from .support.entries import Entries
from .support.llm_services import llm, routed
from .support.services import full, small


def rights(namespace: str, **options: Any) -> Json:
    """Return the rights for a service that uses everything."""
    rendered = Entries(None).reconcile(full("chat", namespace), state="rendered")
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": namespace}
    return least_privilege(rendered, subject, name=f"{namespace}-robot", **options)


def robot(lab: Cluster, namespace: str, manifests: list[Json]) -> Entries:
    """Return somebody who has these rights and no others."""
    entries = Entries(lab.service_account_kubeconfig("robot", namespace))
    for manifest in manifests:
        lab.client.apply(manifest)
    return entries


def used(lab: Cluster, user: str) -> set[tuple[str, str]]:
    """Return what a user asked for, resource and verb; reviews are open to everybody."""
    found = set()
    for line in lab.audit_log.read_text(encoding="utf-8").splitlines():
        event = audit.parse(line)
        if event is None or event.user != user or "reviews" in event.resource:
            continue
        resource = "/".join(part for part in (event.resource, event.subresource) if part)
        found.add((resource, event.verb))
        if event.verb == "patch" and event.code == 201:
            # An apply that makes an object is allowed by `create` as well.
            found.add((resource, "create"))
    return found


def granted(manifests: list[Json], group: str) -> set[tuple[str, str]]:
    """Return what the roles of a group grant, resource and verb."""
    return {
        (resource, verb)
        for manifest in manifests
        if manifest["metadata"]["labels"]["inference.modelops.io/rights"] == group
        for rule in manifest.get("rules", [])
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_generated_rights_are_enough_and_each_is_used(lab: Cluster, namespace: str) -> None:
    found = rights(namespace)
    assert found["lost"] == []
    runner = robot(lab, namespace, found["manifests"])
    service = full("chat", namespace)
    runner.reconcile(service, wait=True, wait_timeout=60.0)
    assert not runner.reconcile(service)["changed"]
    runner.reconcile(service, state="absent")
    user = f"system:serviceaccount:{namespace}:robot"
    unused = granted(found["manifests"], "used") - used(lab, user)
    # A Lease is renewed only by a run that takes long, events and logs are read by one that waits in vain; classes are looked at behind
    # a Gateway, ranges behind a quota that is there.
    late = {("leases", "get"), ("leases", "patch"), ("events", "list"), ("pods/log", "get")}
    assert unused <= {*late, ("gatewayclasses", "list"), ("limitranges", "list")}


@pytest.mark.parametrize(
    ("service", "wait", "reads"),
    [(small, True, True), (small, False, False), (routed, True, True), (llm, True, False)],
)
def test_logs_may_be_read_by_who_waits_for_pods_with_rights_of_their_own(
    service: Callable[[str, str], Json], wait: bool, reads: bool
) -> None:
    rendered = Entries(None).reconcile(service("chat", "team-a"), state="rendered")
    found = least_privilege(rendered, {"kind": "User", "name": "robot"}, wait=wait)
    assert (("pods/log", "get") in granted(found["manifests"], "used")) is reads


def test_whether_devices_are_free_can_be_judged(lab: Cluster, namespace: str) -> None:
    service = small("chat", namespace, accelerator={"type": "nvidia"})
    rendered = Entries(None).reconcile(service, state="rendered")
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": namespace}
    found = least_privilege(rendered, subject, name=f"{namespace}-robot")
    result = robot(lab, namespace, found["manifests"]).reconcile(service)
    assert [text for text in result["warnings"] if "not allowed" in text] == []


def test_rights_that_the_children_grant_are_held_and_nothing_more(
    lab: Cluster, client: Client, namespace: str
) -> None:
    found = rights(namespace)
    rendered = Entries(None).reconcile(full("chat", namespace), state="rendered")
    grants = [each["rules"] for each in rendered["manifests"] if "rules" in each]
    held = [
        rule
        for each in found["manifests"]
        if each["metadata"]["labels"]["inference.modelops.io/rights"] == "held"
        for rule in each.get("rules", [])
    ]
    assert all(rule in held for rules in grants for rule in rules)
    assert all(any(rule in rules for rules in grants) for rule in held)
    verbs = {
        verb
        for each in found["manifests"]
        for rule in each.get("rules", [])
        for verb in rule["verbs"]
    }
    assert not verbs & {"escalate", "bind", "*"}
    without = [
        each
        for each in found["manifests"]
        if each["metadata"]["name"] != f"{namespace}-robot-grants"
    ]
    message = robot(lab, namespace, without).refused(full("chat", namespace))
    assert "attempting to grant RBAC permissions not currently held" in message
    assert client.get("apps/v1", "Deployment", "chat-decode", namespace) is None


@pytest.mark.parametrize("cluster_rights", [True, False])
def test_what_is_lost_without_rights_of_the_cluster_is_said(
    namespace: str, cluster_rights: bool
) -> None:
    found = rights(namespace, cluster_rights=cluster_rights)
    kinds = {each["kind"] for each in found["manifests"]}
    assert ("ClusterRole" in kinds) is cluster_rights
    assert any("ClusterRole" in text for text in found["lost"]) is not cluster_rights
