# SPDX-License-Identifier: GPL-3.0-or-later
"""Where KServe's controller fails at a child or at a route, we refuse before any write, and tell what it reports."""

from __future__ import annotations

import pytest

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kube.problem import InputError, Problem

from .differences_page import has_row
from .isvc_world import service_of
from .recorded_inference_services import SETTINGS, invalid_cases, read_one, recorded_cluster

#: Case → rule of our refusal. The row is I87.
REFUSED = {
    "ca-bundle-missing": "ca-bundle",
    "cm-domain-template-single-label": "host",
    "knative-config-autoscaler-missing": "knative",
}
#: Which ConfigMap is missing is told in our own words.
OWN_WORDS = {"ca-bundle-missing"}
CASES = {folder.name: folder for folder in invalid_cases()}


def problems(name: str) -> list[Problem]:
    folder = CASES[name]
    service = service_of(read_one(folder / "input.yaml"))
    try:
        compile_service(service, SETTINGS, recorded_cluster(folder))
    except InputError as error:
        return [problem for complaint in error.complaints for problem in complaint.problems]
    return []


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_controller_cannot_do_is_refused_by_its_rule(name: str) -> None:
    assert [problem.rule for problem in problems(name)] == [REFUSED[name]]
    assert has_row("I87", name)


@pytest.mark.parametrize("name", sorted(REFUSED.keys() - OWN_WORDS))
def test_what_the_controller_reports_is_told(name: str) -> None:
    recorded = read_one(CASES[name] / "error.yaml")
    told = "\n".join(problem.message for problem in problems(name))
    assert all(
        error.removeprefix("fails to reconcile component: ") in told
        for error in recorded["reconcileErrors"]
    )
