# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pod that is refused what it asks the API server for ends a wait with the refusal, and nothing else in a log does."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from module_utils.kube.fault import WorkloadFault
from module_utils.kube.leader_worker_set import SET_LABEL
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects
from module_utils.kube.reference import Reference
from module_utils.reconcile.fault_confirmation import FaultConfirmation
from module_utils.reconcile.pod_rights import SilentContainer, silent_containers, with_rights
from tests.unit.kinds.model_service.build import document

from ..modules.task import loaded

WHO = 'User "system:serviceaccount:team-a:default"'
PODS = f'pods is forbidden: {WHO} cannot list resource "pods" in API group "" in the namespace "team-a"'
POOL = (
    f'inferencepools.inference.networking.k8s.io "chat" is forbidden: {WHO} cannot watch resource "inferencepools" '
    'in API group "inference.networking.k8s.io" in the namespace "team-a"'
)
LEASE = (
    f'leases.coordination.k8s.io "chat" is forbidden: {WHO} cannot get resource "leases" in API group "coordination.k8s.io" '
    'in the namespace "team-a": RBAC: role.rbac.authorization.k8s.io "chat-epp" not found'
)
NODES = (
    f'nodes is forbidden: {WHO} cannot list resource "nodes" in API group "" at the cluster scope'
)
RUNNING: Json = {"name": "epp", "state": {"running": {}}, "restartCount": 0}
ENDED: Json = {"lastState": {"terminated": {"exitCode": 1}}, "restartCount": 1}
PICKER = SilentContainer(
    "NotReady", "Deployment chat-epp", Reference("v1", "Pod", "team-a", "a"), container="epp"
)
WORKLOADS = [("Deployment chat-epp", {"app": "epp"})]


class Logs:
    """A cluster that has one log, and counts how often it is read."""

    def __init__(self, *lines: str) -> None:
        self._text = "\n".join(lines)
        self.read: list[bool] = []

    def log_of(self, dummy: Reference, container: str, *, previous: bool) -> str:
        assert container == "epp"
        self.read.append(previous)
        return self._text


def pod(name: str = "a", **container: Any) -> Json:
    status = {"containerStatuses": [{**RUNNING, **container}]}
    metadata = {"name": name, "namespace": "team-a", "labels": {"app": "epp"}}
    return {"metadata": metadata, "status": status}


def said(logs: Logs, silent: SilentContainer = PICKER) -> WorkloadFault | None:
    return FaultConfirmation(cast("Any", logs)).confirmed([silent])


def in_json(text: str) -> str:
    return json.dumps({"level": "error", "msg": "Failed to watch", "error": f"failed: {text}"})


@pytest.mark.parametrize("words", [PODS, POOL, LEASE, NODES])
@pytest.mark.parametrize("form", [str, in_json])
def test_refusal_that_was_repeated_is_told_in_its_own_words(words: str, form: Any) -> None:
    found = said(Logs("starting", form(words), "retrying", form(words)))
    message = f"Deployment chat-epp: {words}"
    assert found == WorkloadFault("Forbidden", message, PICKER.subject)


@pytest.mark.parametrize("lines", [(), (PODS,), (PODS, POOL), ("403 Forbidden", "403 Forbidden")])
def test_container_that_was_not_refused_twice_is_waited_for(lines: tuple[str, ...]) -> None:
    assert said(Logs(*lines)) is None


def test_container_that_fails_over_a_refusal_needs_no_second_one() -> None:
    (silent,) = silent_containers([pod(**ENDED, state={"waiting": {}})], WORKLOADS)
    found = said(Logs(PODS), silent)
    assert found is not None
    assert found.message.endswith(f"pod a, container epp: {PODS}")


def test_log_is_read_once_for_each_start_and_that_of_before_a_restart() -> None:
    logs = Logs(PODS)
    look = FaultConfirmation(cast("Any", logs))
    restarted = {"restartCount": 1, "lastState": {"terminated": {"exitCode": 0}}}
    for each in (pod(), pod(), pod(**restarted), pod(**restarted)):
        assert look.confirmed(silent_containers([each], WORKLOADS)) is None
    assert logs.read == [False, True]


@pytest.mark.parametrize(
    "state",
    [
        {"ready": True},
        {"state": {"waiting": {"reason": "ContainerCreating"}}},
        {"state": {"waiting": {"reason": "ErrImagePull"}}},
    ],
)
def test_containers_that_are_ready_or_were_never_started_have_no_log_to_read(state: Json) -> None:
    assert not list(silent_containers([pod(**state)], WORKLOADS))


def test_one_pod_of_a_workload_is_enough() -> None:
    assert len(list(silent_containers([pod("a"), pod("b"), pod("c")], WORKLOADS))) == 1


def test_of_a_model_service_only_the_picker_asks_the_api_server() -> None:
    (service,), dummy = loaded(document())
    intent = service.compile(GivenObjects())
    manifests = [child.manifest.to_dict() for child in intent.children]
    assert [name for name, dummy in with_rights(manifests)] == ["Deployment chat-epp"]


def test_groups_of_pods_are_found_by_the_account_of_either_template() -> None:
    subjects = [{"kind": "ServiceAccount", "name": "reads"}, {"kind": "User", "name": "other"}]
    binding = {"kind": "RoleBinding", "subjects": subjects}
    template = {"workerTemplate": {"spec": {"serviceAccountName": "reads"}}}
    groups = {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "big"},
        "spec": {"leaderWorkerTemplate": template},
    }
    other = {**groups, "spec": {"leaderWorkerTemplate": {"workerTemplate": {"spec": {}}}}}
    found = with_rights(iter([binding, groups, other]))
    assert found == [("LeaderWorkerSet big", {SET_LABEL: "big"})]
