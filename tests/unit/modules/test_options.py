# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that contradict each other are refused before a connection is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from module_utils.modules import llmisvc_info, llmisvc_reconcile
from module_utils.reconcile.controller_mode import AUTO, CONTROLLER, DIRECT
from tests.unit.kinds.model_service.build import document

from .task import rendered, run

Json = dict[str, Any]
ONE = [document()]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"state": "present"}, "no service is given, and state present needs at least one"),
        ({"state": "absent"}, "no service is given, and state absent needs at least one"),
        ({"state": "rendered"}, "no service is given, and state rendered needs at least one"),
        ({"state": "overridden", "services": ONE}, "fleet: 1 problem"),
        ({"state": "overridden", "services": ONE}, "name the fleet"),
        ({"state": "overridden", "services": ONE, "fleet": ""}, "name the fleet"),
        ({"state": "overridden", "fleet": "blue"}, "an empty list would remove the whole fleet"),
        ({"state": "present", "services": ONE, "dest": "/x"}, "dest: 1 problem"),
        ({"state": "absent", "services": ONE, "dest": "/x"}, "is only for state rendered"),
        ({"state": "gathered", "dest": "/x"}, "is only for state rendered"),
        ({"src": ["/nowhere.yaml"]}, "src /nowhere.yaml"),
        ({"state": "rendered", "services": ONE, "settings": {"gatway_name": "x"}}, "gatway_name"),
        (
            {"state": "rendered", "services": ONE, "releases": {"model_operator": "0.1"}},
            "0.1",
        ),
        ({"state": "rendered", "services": ONE, "cluster_objects": [{}]}, "cluster_objects[0]"),
    ],
)
def test_options_that_make_no_sense_are_refused_with_a_reason(options: Json, said: str) -> None:
    result = run(**options)
    assert result["failed"]
    assert result["changed"] is False
    assert said in result["msg"]
    assert "Traceback" not in result["msg"]


def test_numbers_that_cannot_be_are_all_told_before_a_connection_is_made() -> None:
    result = run(
        services=ONE,
        concurrency=0,
        request_timeout=0,
        deadline=-1,
        wait_timeout=-1,
        max_deletions=-1,
        fleet="no good!",
    )
    assert result["msg"].count("1 problem") == 6
    for name in ("concurrency", "request_timeout", "deadline", "wait_timeout", "max_deletions"):
        assert f"{name}: 1 problem" in result["msg"]
    assert '"no good!" is not a label value' in result["msg"]


def test_file_of_comments_is_no_service(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("# later\n---\n", encoding="utf-8")
    result = run(state="overridden", fleet="blue", src=[str(tmp_path / "a.yaml")])
    assert "an empty list would remove the whole fleet" in result["msg"]


def test_services_of_the_task_and_of_files_are_taken_together(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_text(f"# as JSON\n{document('b')}".replace("'", '"'), encoding="utf-8")
    result = rendered(document("a"), src=[str(path)])
    assert [service["name"] for service in result["services"]] == ["a", "b"]


def test_rendered_needs_no_cluster_and_no_credentials() -> None:
    result = rendered(document(), kubeconfig="/nowhere/kubeconfig")
    assert result["manifests"]
    assert result["stats"]["requests"] == 0


def test_cluster_objects_are_looked_at() -> None:
    gateway = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": "edge", "namespace": "infra"},
        "spec": {
            "gatewayClassName": "x",
            "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}],
        },
    }
    reference = {"gatewayRef": {"name": "edge", "namespace": "infra"}}
    service = document(httpRoute=reference)
    alone = rendered(service)
    beside = rendered(service, cluster_objects=[gateway])
    assert alone["warnings"] != beside["warnings"], (
        "the gateway's listener admits its own namespace"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"stat": "present"}, "stat"),
        ({"state": "preset"}, "value of state must be one of"),
        ({"reconciler": "both"}, "value of reconciler must be one of"),
        ({"recreate": ["Pod"]}, "value of recreate must be one or more of"),
        ({"services": "chat"}, "services"),
        ({"max_deletions": "some"}, "max_deletions"),
        ({"releases": {"kserv": "0.17"}}, "kserv"),
    ],
)
def test_options_of_a_wrong_name_or_type_are_refused(options: Json, said: str) -> None:
    spec = dict(llmisvc_reconcile.ARGUMENT_SPEC)
    validated = ArgumentSpecValidator(spec).validate(options)
    assert said in "; ".join(validated.error_messages)


@pytest.mark.parametrize("entry", [llmisvc_reconcile, llmisvc_info])
@pytest.mark.parametrize("option", ["api_key", "password", "client_key", "proxy_headers"])
def test_credentials_are_never_logged(entry: Any, option: str) -> None:
    assert entry.ARGUMENT_SPEC[option]["no_log"] is True


def test_choices_are_those_that_the_code_knows() -> None:
    assert llmisvc_reconcile.ARGUMENT_SPEC["reconciler"]["choices"] == [AUTO, DIRECT, CONTROLLER]
    assert llmisvc_reconcile.ARGUMENT_SPEC["state"]["choices"] == list(llmisvc_reconcile.STATES)
