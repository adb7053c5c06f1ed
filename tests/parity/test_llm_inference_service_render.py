# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recorded LLMInferenceService gives the objects that KServe's controller sent: every field, every list in the same order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kube.intent import Child
from module_utils.kube.problem import InputError, Problem
from tests.unit.kinds.refusals import api_refusals

from .compare import by_key, differences, key_of
from .differences_page import has_row
from .recorded_llm_services import cases, read_all, recorded_cluster, recorded_settings

#: Refused before any write: case → `Problem.rule`, which is also the row of docs/differences.md.
REFUSED = {
    "ca-bundle-missing": "ca-bundle",
    "merged-pipeline-and-data": "merged",
    "merged-refs-and-spec": "merged",
    "merged-refs-managed-gateway": "merged",
    "merged-replicas-and-scaling": "merged",
    "mn-pp-no-preset": "preset",
    "name-with-dots": "name",
    "oci-disabled": "model",
    "oci-no-main": "model",
    "route-preset-empty": "route-empty",
    "router-spec-parent-conflict": "route-parents",
    "sa-prefill-missing": "service-account",
    "sched-inline-two-layers": "preset-merge",
    "sched-ref-missing-key": "picker-config",
    "sched-sa-missing": "service-account",
    "sys-config-bad-ingress": "system-config",
    "sys-no-config-file": "system-config",
    "tpl-absent-everywhere": "container",
    "tpl-ports-probes": "probe",
    "tpl-vars": "template",
    "tpl-volume-conflict": "volume",
    "tplerr-missing-label": "template",
    "tplerr-nil-pointer": "template",
    "tplerr-secret-config": "template",
    "tplerr-syntax": "template",
    "uri-no-scheme": "model",
}

#: The controller came to a stop on its way; what it sent is what we render, and we render the rest, too.
CUT_SHORT = {
    # A kind is missing in the cluster: refused by whoever writes.
    "env-no-lws-crd-mn": "L1",
    "env-no-v1alpha2-pool-crd": "L2",
    # Somebody else's object has the name of a child: refused by whoever writes.
    "foreign-deployment": "L60",
    "foreign-deployment-prefill-stale": "L60",
    "foreign-service": "L60",
    # A reference of the router leads nowhere.
    "router-gwref-missing": "L61",
    "router-gwref-no-ns": "L61",
    "router-routeref-missing": "L61",
    "router-spec-parent-other-kind": "L61",
    "sys-config-no-ingress-key": "L61",
}

CASES = {folder.name: folder for folder in cases()}
EQUAL = sorted(CASES.keys() - REFUSED.keys() - CUT_SHORT.keys())


def render(folder: Path) -> tuple[Child, ...]:
    settings = recorded_settings(folder)
    (document,) = read_all(folder / "input.yaml")
    loaded = load(document, settings)
    if loaded.service is None:
        raise InputError([])
    return compile_service(loaded.service, settings, recorded_cluster(folder)).children


def rendered(folder: Path) -> list[dict[str, object]]:
    return [child.manifest.to_dict() for child in render(folder)]


def recorded(folder: Path) -> list[dict[str, object]]:
    return list(read_all(folder / "intent.yaml"))


def problems(folder: Path) -> list[Problem]:
    settings = recorded_settings(folder)
    (document,) = read_all(folder / "input.yaml")
    loaded = load(document, settings)
    if loaded.service is None:
        return [problem for problem in loaded.problems if problem.severity == "error"]
    try:
        return api_refusals(loaded.service, settings, recorded_cluster(folder))
    except InputError as error:
        return [problem for complaint in error.complaints for problem in complaint.problems]


@pytest.mark.parametrize("name", EQUAL)
def test_children_are_what_the_controller_sent(name: str) -> None:
    folder = CASES[name]
    assert differences(by_key(rendered(folder)), by_key(recorded(folder))) == []


@pytest.mark.parametrize("name", EQUAL)
def test_children_come_in_the_controllers_order(name: str) -> None:
    folder = CASES[name]
    assert [key_of(each) for each in rendered(folder)] == [
        key_of(each) for each in recorded(folder)
    ]


@pytest.mark.parametrize("name", CUT_SHORT)
def test_what_was_sent_before_a_stop_is_what_we_render(name: str) -> None:
    sent, ours = by_key(recorded(CASES[name])), by_key(rendered(CASES[name]))
    assert differences({key: ours[key] for key in sent}, sent) == []
    assert len(ours) > len(sent)


@pytest.mark.parametrize("name", REFUSED)
def test_what_we_refuse_is_refused_by_its_rule(name: str) -> None:
    assert {problem.rule for problem in problems(CASES[name])} == {REFUSED[name]}


@pytest.mark.parametrize("name", [*REFUSED, *CUT_SHORT])
def test_every_difference_has_its_row(name: str) -> None:
    assert has_row(CUT_SHORT.get(name) or REFUSED[name], name)


@pytest.mark.parametrize("name", [name for name, rule in REFUSED.items() if rule != "name"])
def test_what_the_controller_reports_is_told(name: str) -> None:
    """The condition's message stands in the error, so that who knows the controller finds it."""
    (status,) = read_all(CASES[name] / "status.yaml")
    reported = [
        condition["message"]
        for condition in (status["initial"] or {}).get("conditions") or ()
        if condition["status"] == "False" and condition.get("reason", "").endswith("Error")
    ]
    told = "\n".join(problem.message for problem in problems(CASES[name]))
    # What the API server would say of the child, and Go of its pointers, is told in our own words.
    if (
        REFUSED[name] not in ("container", "probe", "volume", "route-parents")
        and name != "tplerr-nil-pointer"
    ):
        assert all(_known(message) in _known(told) for message in reported)


def _known(message: str) -> str:
    """Return a message without the offset into the rendered document, which the recording leaves out."""
    return re.sub(r"config:1:(<offset>|\d+):", "config:1:", message)


def test_every_recorded_case_is_looked_at() -> None:
    assert len(CASES) == 154
    assert CASES.keys() >= REFUSED.keys() | CUT_SHORT.keys()
    assert len(EQUAL) == 118
