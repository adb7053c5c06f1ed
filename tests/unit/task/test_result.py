# SPDX-License-Identifier: GPL-3.0-or-later
"""A result has the same keys whatever happens, and stays small enough for a job controller to keep."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from module_utils.engine.apply import Outcome
from module_utils.engine.compare import Difference
from module_utils.fleet.compile import compile_fleet, paired
from module_utils.fleet.service import Service
from module_utils.kinds.kind import Observation
from module_utils.kube.intent import Intent
from module_utils.kube.manifest import Json
from module_utils.kube.problem import Complaint, Problem
from module_utils.kube.reader import GivenObjects
from module_utils.kube.reference import Reference
from module_utils.modules import llmisvc_reconcile
from module_utils.task.result import (
    Clock,
    ServiceResult,
    diffs,
    failure_of,
    left_out,
    service_warnings,
    stats,
    summary_of,
    warnings,
)
from tests.unit.kinds.model_service.build import document

from ..modules.task import SETTINGS, full, loaded, rendered, run

SERVICE = Reference("model.otterscale.io/v1alpha1", "ModelService", "team-a", "chat")
CHILD = Reference("v1", "ConfigMap", "team-a", "chat-config")
#: AWX drops what is larger, in bytes.
LIMIT = 700_000

KEYS = {"changed", "services", "manifests", "paths", "gathered", "runtimes", "stats"}
SERVICE_KEYS = {
    "kind",
    "namespace",
    "name",
    "phase",
    "ready",
    "conditions",
    "url",
    "request",
    "answer",
    "replicas",
    "reconciler",
    "release",
    "children",
    "unchanged",
    "problems",
}
STATS_KEYS = {
    "requests",
    "reads",
    "writes",
    "lease_requests",
    "skipped",
    "rounds",
    "elapsed_s",
}


def test_every_path_returns_the_same_keys(tmp_path: Path) -> None:
    paths = {
        "rendered": rendered(document()),
        "written": rendered(document(), dest=str(tmp_path)),
        "check mode": rendered(document(), dest=str(tmp_path), check_mode=True),
        "bad service": run(state="rendered", services=[{}]),
        "bad option": run(state="absent"),
        "bad file": run(state="present", src=["/nowhere.yaml"]),
        "no cluster": run(services=[document()], kubeconfig="/nowhere/kubeconfig"),
        "no cluster to gather from": run(state="gathered", kubeconfig="/nowhere/kubeconfig"),
    }
    for name, result in paths.items():
        assert result.keys() >= KEYS, name
        assert result.keys() - KEYS <= {"warnings", "failed", "msg"}, name
    assert set(llmisvc_reconcile.EMPTY) == KEYS
    assert set(paths["rendered"]["services"][0]) == SERVICE_KEYS
    assert set(paths["rendered"]["stats"]) == STATS_KEYS


def _outcome(action: str = "updated", reason: str = "", before: Any = 1, after: Any = 2) -> Outcome:
    difference = Difference({"data": {"a": before}}, {"data": {"a": after}})
    return Outcome(CHILD, SERVICE, action, reason, difference)


def _entry(*, verbose: bool = False, **fields: Any) -> Json:
    return ServiceResult(SERVICE, "direct", **fields).to_dict(verbose=verbose)


def test_unchanged_children_are_counted_and_listed_on_request_only() -> None:
    fields: Json = {
        "outcomes": [_outcome(), _outcome("unchanged")],
        "unchanged": [CHILD, SERVICE],
    }
    brief, verbose = _entry(**fields), _entry(verbose=True, **fields)
    assert brief["unchanged"] == verbose["unchanged"] == 3
    assert [child["action"] for child in brief["children"]] == ["updated"]
    assert [child["action"] for child in verbose["children"]] == [
        "updated",
        "unchanged",
        "unchanged",
        "unchanged",
    ]


def test_service_that_was_not_observed_is_not_ready() -> None:
    entry = _entry()
    assert (entry["phase"], entry["ready"], entry["conditions"], entry["url"]) == (
        "",
        False,
        [],
        "",
    )


def test_service_tells_its_state_in_the_words_of_its_controller() -> None:
    condition = {"type": "Ready", "status": "True"}
    observed = Observation({"phase": "Running", "conditions": [condition]}, True, url="http://x")
    entry = _entry(observation=observed)
    assert (entry["phase"], entry["ready"], entry["url"]) == ("Running", True, "http://x")
    assert entry["conditions"] == [condition]


def test_problems_are_told_with_path_message_severity_and_rule() -> None:
    problem = Problem("spec.a", "is odd", "warning", rule="odd")
    assert _entry(problems=[problem])["problems"] == [
        {"path": "spec.a", "message": "is odd", "severity": "warning", "rule": "odd"}
    ]


def test_diff_shows_what_changed_and_nothing_else() -> None:
    found = diffs([_outcome(), _outcome("unchanged", after=1), _outcome("failed", after=1)])
    (shown,) = found
    assert shown["before_header"] == "ConfigMap team-a/chat-config"
    assert shown["after_header"] == "ConfigMap team-a/chat-config (updated)"
    assert yaml.safe_load(shown["before"]) == {"data": {"a": 1}}
    assert yaml.safe_load(shown["after"]) == {"data": {"a": 2}}


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("Secret", {"data": {"token": "canary"}}),
        ("Deployment", {"spec": {"env": [{"name": "HF_TOKEN", "value": "canary"}]}}),
        ("Deployment", {"spec": {"args": ["--api-key", "canary"]}}),
        ("ConfigMap", {"data": {"service": '{"env":[{"name":"HF_TOKEN","value":"canary"}]}'}}),
    ],
)
def test_diff_holds_no_secret(kind: str, part: Json) -> None:
    reference = Reference("v1", kind, "team-a", "x")
    for difference in (Difference(part, {}), Difference({}, part)):
        outcome = Outcome(reference, SERVICE, "updated", "", difference)
        (shown,) = diffs([outcome])
        assert "canary" not in json.dumps(shown)
        assert "masked" in json.dumps(shown)


def test_object_that_came_or_went_is_shown_against_nothing() -> None:
    (made,) = diffs([Outcome(CHILD, SERVICE, "created", "", Difference({}, {"data": {}}))])
    assert made["before"] == ""
    (gone,) = diffs([Outcome(CHILD, SERVICE, "deleted", "", Difference({"data": {}}, {}))])
    assert gone["after"] == ""


@pytest.mark.parametrize(
    ("actions", "unready", "message"),
    [
        (["created", "unchanged"], [], None),
        (["created", "failed"], [], "ConfigMap team-a/chat-config: refused"),
        (
            ["failed", "skipped", "skipped"],
            [],
            "ConfigMap team-a/chat-config: refused\nskipped, since what they need failed: 2 objects",
        ),
        ([], ["chat is not ready"], "chat is not ready"),
        (["failed"], ["x"], "ConfigMap team-a/chat-config: refused\nx"),
    ],
)
def test_failure_names_each_object_and_each_service(
    actions: list[str], unready: list[str], message: str | None
) -> None:
    found = failure_of([_outcome(action, "refused") for action in actions], unready)
    assert found == ({"failed": True, "msg": message} if message else {})


def test_errors_are_no_warnings() -> None:
    problems = [Problem("a", "odd", "warning"), Problem("b", "wrong")]
    assert warnings([("x", each) for each in problems]) == ["x: a: odd"]


def test_warning_that_many_services_share_is_said_once() -> None:
    problem = Problem("", "plain HTTP", "warning")
    found = warnings((f"services[{number}]", problem) for number in range(200))
    assert found == ["services[0], services[1], services[2] and 197 more: plain HTTP"]
    twice = warnings([("x", problem), ("x", problem), ("y", problem)])
    assert twice == ["x, y: plain HTTP"]


def test_rule_that_concerns_many_services_is_one_warning_that_names_them() -> None:
    found = [
        (f"team-a/s{number}", Problem(f"spec.{number}", "is lost", "warning", "kv-transfer"))
        for number in range(7)
    ]
    other = ("team-a/s0", Problem("spec.x", "is slow", "warning", "shared-memory"))
    assert service_warnings([*found, other]) == [
        (
            "kv-transfer: 7 services: team-a/s0, team-a/s1, team-a/s2 and 4 more. team-a/s0 has: spec.0: is lost. "
            "The `problems` of each service have the rest"
        ),
        "team-a/s0: spec.x: is slow",
    ]
    few = [f"team-a/s{number}: spec.{number}: is lost" for number in range(3)]
    assert service_warnings(found[:3]) == few


def test_what_many_services_have_alike_is_told_whole() -> None:
    problem = Problem("", "plain HTTP", "warning", "insecure")
    found = service_warnings((f"services[{number}]", problem) for number in range(200))
    assert found == ["services[0], services[1], services[2] and 197 more: plain HTTP"]


def test_service_that_was_left_out_is_a_warning() -> None:
    complaint = Complaint("services[0]", (Problem("a", "wrong"),))
    assert left_out([complaint]) == ["left out: services[0]: 1 problem\n  a: wrong"]


def test_counters_of_a_task_without_a_connection_are_zero() -> None:
    counted = stats(None, Clock(), skipped=2, rounds=1)
    assert set(counted) == STATS_KEYS
    assert (counted["requests"], counted["skipped"], counted["rounds"]) == (0, 2, 1)
    assert counted["elapsed_s"] >= 0


# Size.


@cache
def _compiled() -> list[tuple[Service, Intent]]:
    """Return 200 services with a child of every kind."""
    services, _none = loaded(*(full(f"model-{number:03}", "inference") for number in range(200)))
    return compile_fleet(services, GivenObjects(), paired)[0]


def _fleet(action: str, reason: str) -> list[ServiceResult]:
    """Return results of which the first child of each service failed; none is ready."""
    results = []
    for service, intent in _compiled():
        outcomes = [
            Outcome(child.manifest.reference, service.reference, action, reason)
            for child in intent.children
        ]
        outcomes[0] = replace(outcomes[0], action="failed")
        state = service.kind.observe(service.typed, {}, [])
        results.append(
            ServiceResult(
                service.reference,
                "direct",
                service.problems,
                outcomes=outcomes,
                observation=state,
            )
        )
    return results


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("created", "it does not exist"),
        ("updated", "spec.template.spec.containers[vllm].env[VLLM_PORT].value was changed"),
        ("unchanged", ""),
    ],
)
def test_result_of_200_services_is_kept(action: str, reason: str) -> None:
    """Also that of the first run, in which every child is made."""
    summary = summary_of(_fleet(action, reason), {}, verbose=False)
    result = {**llmisvc_reconcile.EMPTY, **summary, "stats": stats(None, Clock())}
    assert len(json.dumps(result)) < LIMIT
    assert len(result["services"]) == 200
    for entry in result["services"]:
        assert [child["action"] for child in entry["children"]] == ["failed"]


def test_children_that_are_too_many_to_list_are_counted_and_listed_on_request() -> None:
    fleet = _fleet("created", "it does not exist")
    brief = summary_of(fleet, {}, verbose=False)
    assert any(text.startswith("3400 objects changed") for text in brief["warnings"])
    verbose = summary_of(fleet, {}, verbose=True)
    assert sum(len(entry["children"]) for entry in verbose["services"]) == 3400
    few = summary_of(fleet[:50], {}, verbose=False)
    assert sum(len(entry["children"]) for entry in few["services"]) == 850
    assert not any("objects changed" in text for text in few["warnings"])


def test_rendered_files_of_200_services_return_paths_only() -> None:
    services = [full(f"model-{number:03}", "inference") for number in range(40)]
    result = run(
        state="rendered",
        services=services,
        # Of the length that paths have in a job of AWX; in check mode nothing is written there.
        dest="/runner/project/rendered",
        settings=SETTINGS,
        check_mode=True,
    )
    assert len(result["paths"]) == 40 * 17
    assert 200 / 40 * len(json.dumps(result)) < LIMIT
