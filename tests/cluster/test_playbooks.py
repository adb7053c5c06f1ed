# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks on the command line: what they print at their end, how they end, and what they say to bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client

from .support.playbooks import FAILED, WELL, Playbooks
from .support.services import children, full, small


def row(printed: str, service: str) -> list[str]:
    """Return the words of a service's line in the table at the end."""
    lines = [line.strip().strip('",') for line in printed.splitlines()]
    return next(line.split() for line in lines if line.startswith(f"{service} "))


def test_reconcile_ends_with_a_table(playbooks: Playbooks, namespace: str) -> None:
    playbooks.keep(full("chat", namespace), small("tiny", namespace))
    given = {"model_services_src": "services/", "model_services_wait_timeout": 90}
    code, printed = playbooks.run("reconcile", **given)
    assert code == WELL, printed
    assert row(printed, f"{namespace}/chat") == [
        *(f"{namespace}/chat", "Ready", "4/4"),
        *("18", "created,", "0", "unchanged"),
    ]
    code, printed = playbooks.run("reconcile", **given)
    assert (code, row(printed, f"{namespace}/tiny")[2:]) == (WELL, ["2/2", "11", "unchanged"])


def test_check_mode_ends_with_the_table_of_a_run(playbooks: Playbooks, namespace: str) -> None:
    playbooks.keep(small("tiny", namespace))
    code, printed = playbooks.run("reconcile", "--check", model_services_src="services/")
    assert code == WELL, printed
    assert row(printed, f"{namespace}/tiny")[3:] == ["11", "created,", "0", "unchanged"]
    assert "predicted, nothing was written" in printed


def test_service_that_does_not_get_ready_ends_with_an_exit_code(
    playbooks: Playbooks, namespace: str
) -> None:
    playbooks.keep(small("nowhere", namespace, decode={"nodeSelector": {"pool": "none"}}))
    code, printed = playbooks.run(
        "reconcile", model_services_src="services/", model_services_wait_timeout=2
    )
    assert code == FAILED
    assert row(printed, f"{namespace}/nowhere")[2] == "1/2"
    assert "Unschedulable" in printed


def test_status_fails_on_what_a_pipeline_names(
    playbooks: Playbooks, client: Client, namespace: str
) -> None:
    playbooks.keep(full("chat", namespace))
    playbooks.run("reconcile", model_services_src="services/", model_services_wait_timeout=90)
    client.delete(children("chat", namespace)[1])
    code, printed = playbooks.run("status", model_services_namespace=namespace)
    assert (code, row(printed, f"{namespace}/chat")[3:5]) == (WELL, ["1", "object"])
    code, printed = playbooks.run(
        "status", model_services_namespace=namespace, model_services_fail_on=["not_ready", "drift"]
    )
    assert code == FAILED
    assert "services that have drifted: 1 of 1" in printed
    assert "services that are not ready: " not in printed


@pytest.mark.parametrize(
    ("name", "variables", "message"),
    [
        (
            "reconcile",
            {"model_services_wait_timeuot": 3},
            "no such variable: model_services_wait_timeuot. Known are model_services_adopt, ",
        ),
        ("status", {"modelops_host": "all"}, "no such variable: modelops_host. Known are "),
        (
            "install",
            {"controllers_component": []},
            "no such variable: controllers_component. Known are ",
        ),
        ("rbac", {"modelops_rbac_name_": "a"}, "no such variable: modelops_rbac_name_. Known are "),
        ("capacity", {"capacity_source": "a"}, "no such variable: capacity_source. Known are "),
        (
            "reconcile",
            {"model_services_wait_timeout": "soon"},
            "argument 'model_services_wait_timeout' is of type str and we were unable to convert to float",
        ),
        (
            "status",
            {"model_services_fail_on": ["drifts"]},
            "value of model_services_fail_on must be one or more of: not_ready, drift, orphans, unanswered",
        ),
        (
            "capacity",
            {"capacity_src": {"a": 1}},
            "argument 'capacity_src' is of type dict and we were unable to convert to list",
        ),
        (
            "take_over",
            {"model_services_adopts": True},
            "no such variable: model_services_adopts. Known are ",
        ),
        ("give_back", {"modelops_hosts": "clusters"}, "names no host of the inventory"),
        ("render", {}, "no service is given, and state rendered needs at least one"),
        (
            "reconcile",
            {"modelops_hosts": "clusters"},
            'modelops_hosts: \\"clusters\\" names no host of the inventory (0 hosts, groups: none)',
        ),
    ],
)
def test_bad_input_is_named(playbooks: Playbooks, name: str, variables: Json, message: str) -> None:
    code, printed = playbooks.run(name, **variables)
    assert code == FAILED
    assert message in printed


def test_work_and_summary_can_be_left_out_by_tags(playbooks: Playbooks) -> None:
    code, printed = playbooks.run("status", "--skip-tags", "status")
    assert code == WELL
    assert "Get the status of services" not in printed
    code, printed = playbooks.run("capacity", "--tags", "capacity")
    assert code == WELL
    assert "pool" in printed


def test_rendering_needs_no_cluster(playbooks: Playbooks, tmp_path: Path) -> None:
    playbooks.keep(small("tiny", "team-a"))
    elsewhere = Playbooks(playbooks.folder, tmp_path / "none")
    code, printed = elsewhere.run("render", model_services_src="services/")
    assert code == WELL, printed
    assert len(list((tmp_path / "rendered").rglob("*.yaml"))) == 10
    assert row(printed, "team-a/tiny") == ["team-a/tiny", "1", "warning"]
    assert "PHASE" not in printed
