# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody without rights, or without a server, is told."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.lab import kubeconfig
from tests.lab.cluster import Cluster, grant
from tests.lab.kubeconfig import Access

from .support.cluster import owned
from .support.entries import Entries, actions
from .support.services import small

Json = dict[str, Any]
EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
ROLES = {
    "apiGroups": ["rbac.authorization.k8s.io"],
    "resources": ["clusterroles", "clusterrolebindings"],
    "verbs": ["list"],
}


def entries_at(folder: Path, server: str, **access: str) -> Entries:
    given = Access(server, access.pop("authority", ""), **access)
    path = kubeconfig.write(folder / "kubeconfig", given, context="test")
    return Entries(path, {"request_timeout": 2.0, "deadline": 6.0})


def test_no_permission_names_verb_resource_and_namespace(lab: Cluster, namespace: str) -> None:
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    message = robot.refused(small("chat", namespace))
    assert "list" in message
    assert "modelservices" in message.lower()
    assert namespace in message
    assert f"system:serviceaccount:{namespace}:robot" in message


def test_rights_in_one_namespace_are_enough(lab: Cluster, namespace: str) -> None:
    """But for listing cluster roles, which tells what would be left behind."""
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    grant(lab, f"{namespace}/robot", [EVERYTHING], namespace)
    grant(lab, f"{namespace}/robot", [ROLES])
    service = small("chat", namespace)
    robot.reconcile(service)
    assert not robot.reconcile(service)["changed"]
    assert "Deployment/chat-decode" in owned(lab.client, service)


def test_write_that_is_not_allowed_fails_that_object_alone(lab: Cluster, namespace: str) -> None:
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    look = {**EVERYTHING, "verbs": ["get", "list", "watch"]}
    write = [
        {"apiGroups": [group], "resources": resources, "verbs": ["*"]}
        for group, resources in {
            "": ["serviceaccounts", "configmaps", "services", "secrets"],
            "model.otterscale.io": ["*"],
            "coordination.k8s.io": ["*"],
            "rbac.authorization.k8s.io": ["*"],
        }.items()
    ]
    grant(lab, f"{namespace}/robot", [look, *write], namespace)
    grant(lab, f"{namespace}/robot", [ROLES])
    result = robot.run(small("chat", namespace))
    assert result["failed"]
    assert actions(result)["Deployment/chat-decode"] == "failed"
    assert actions(result)["Service/chat-epp"] == "created"
    for text in ("patch", "deployments", namespace):
        assert text in result["msg"]


def test_wrong_token_is_said_to_be_refused(lab: Cluster, namespace: str, tmp_path: Path) -> None:
    access = {"authority": lab.access.authority, "token": "not-a-token-of-this-cluster"}
    message = entries_at(tmp_path, lab.access.server, **access).refused(small("chat", namespace))
    assert "401" in message
    assert "log in again" in message
    assert "not-a-token" not in message


def test_unreachable_server_is_named(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = f"https://127.0.0.1:{free.getsockname()[1]}"
    began = time.monotonic()
    message = entries_at(tmp_path, server, token="x").refused(small("chat", "team-a"))
    assert server in message
    assert time.monotonic() - began < 20


@contextmanager
def silent() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"


def test_stalled_server_does_not_hold_up_the_task(tmp_path: Path) -> None:
    began = time.monotonic()
    with silent() as server:
        message = entries_at(tmp_path, server, token="x").refused(small("chat", "team-a"))
    assert server in message
    assert time.monotonic() - began < 20


def test_other_authority_is_said_to_be_the_certificate(
    lab: Cluster, namespace: str, tmp_path: Path
) -> None:
    entries = entries_at(tmp_path, lab.access.server, token="x")
    message = entries.refused(small("chat", namespace))
    assert "certificate" in message


def test_environment_of_the_task_is_read_and_that_of_the_process_left_alone(
    lab: Cluster, namespace: str
) -> None:
    before = dict(os.environ)
    entries = Entries(None, environment={"K8S_AUTH_KUBECONFIG": str(lab.kubeconfig)})
    assert entries.reconcile(small("chat", namespace))["changed"]
    assert dict(os.environ) == before
