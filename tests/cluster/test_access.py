# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody without rights, or without a server, is told."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from module_utils.kube.manifest import Json
from tests.lab import kubeconfig
from tests.lab.cluster import Cluster, grant
from tests.lab.kubeconfig import Access
from tests.lab.proxy import Proxy

from .support.cluster import owned, read
from .support.entries import Entries
from .support.services import custom_resource, full, small

EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
LOOK = {**EVERYTHING, "verbs": ["get", "list", "watch"]}


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
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    grant(lab, f"{namespace}/robot", [EVERYTHING], namespace)
    service = small("chat", namespace)
    result = robot.reconcile(service)
    assert "could not look for ClusterRoles" in "\n".join(result["warnings"])
    assert not robot.reconcile(service)["changed"]
    assert "Deployment/chat-decode" in owned(lab.client, service)
    result = robot.reconcile(service, state="absent")
    assert "could not look for ClusterRoleBindings" in "\n".join(result["warnings"])
    assert owned(lab.client, service) == {}


def test_service_with_cluster_roles_needs_the_right_to_list_them(
    lab: Cluster, namespace: str
) -> None:
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    grant(lab, f"{namespace}/robot", [EVERYTHING], namespace)
    message = robot.refused(full("chat", namespace))
    assert "grant that user the verb list on clusterroles" in message
    assert owned(lab.client, full("chat", namespace)) == {}


def rights(**resources: list[str]) -> list[Json]:
    """Return rules that allow everything on some resources, by API group."""
    return [
        {"apiGroups": [group.replace("_", ".") if group != "core" else ""], "resources": names}
        | {"verbs": ["*"]}
        for group, names in resources.items()
    ]


def written(lab: Cluster, namespace: str) -> bool:
    """Tell whether the service `chat` or anything of it was written."""
    service = small("chat", namespace)
    return (
        bool(owned(lab.client, service)) or read(lab.client, custom_resource(service)) is not None
    )


SOME = rights(
    core=["serviceaccounts", "configmaps", "services", "secrets"],
    model_otterscale_io=["*"],
    rbac_authorization_k8s_io=["*"],
    networking_istio_io=["*"],
)


def test_missing_rights_are_named_for_all_services_before_the_first_write(
    lab: Cluster, namespace: str
) -> None:
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    grant(lab, f"{namespace}/robot", [LOOK, *SOME], namespace)
    message = robot.refused(small("chat", namespace), small("other", namespace))
    assert message.count(f"create, patch on deployments.apps in namespace {namespace}") == 2
    assert (
        f"create, delete, patch on leases.coordination.k8s.io in namespace {namespace}" in message
    )
    assert f"Deployment {namespace}/chat-decode" in message
    assert f"Deployment {namespace}/other-decode" in message
    assert f"system:serviceaccount:{namespace}:robot may not" in message
    assert "configmaps" not in message
    assert not written(lab, namespace)
    assert message in robot.refused(
        small("chat", namespace), small("other", namespace), check_mode=True
    )


def test_role_that_grants_more_than_its_writer_holds_is_refused_before_any_write(
    lab: Cluster, namespace: str
) -> None:
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    writes = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["create", "patch", "delete"]}
    grant(lab, f"{namespace}/robot", [writes, {**LOOK, "verbs": ["get", "list"]}], namespace)
    message = robot.refused(small("chat", namespace))
    assert "Role" in message
    assert "attempting to grant RBAC permissions not currently held" in message
    assert not written(lab, namespace)


def test_rights_cost_one_request_and_none_where_nothing_is_to_be_done(
    counted: Entries, namespace: str, proxy: Proxy
) -> None:
    def reviews() -> int:
        return proxy.count(lambda seen: seen.resource.plural.endswith("reviews"))

    service = small("chat", namespace)
    counted.reconcile(service)
    assert reviews() == 1
    proxy.reset()
    counted.reconcile(service)
    assert reviews() == 0


def test_missing_right_to_remove_is_found_before_the_first_deletion(
    lab: Cluster, entries: Entries, namespace: str
) -> None:
    service = small("chat", namespace)
    entries.reconcile(service)
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    grant(lab, f"{namespace}/robot", [LOOK, *SOME], namespace)
    before = owned(lab.client, service).keys()
    message = robot.refused(service, state="absent")
    assert f"delete on deployments.apps in namespace {namespace}" in message
    assert owned(lab.client, service).keys() == before


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
