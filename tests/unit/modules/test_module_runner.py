# SPDX-License-Identifier: GPL-3.0-or-later
"""What an entry raises becomes one failed result with the keys of any other; a bug stays a bug."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from module_utils.cluster.errors import ClusterError, LoginError
from module_utils.kube.problem import Complaint, InputError, Problem
from module_utils.module_runner import outcome

EMPTY: Mapping[str, Any] = {"changed": False, "services": []}


def _run(error: Exception | None, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    def entry(given: Mapping[str, Any], *, check_mode: bool) -> dict[str, Any]:
        if error:
            raise error
        return {**EMPTY, "given": given, "check_mode": check_mode}

    return outcome(entry, params or {}, EMPTY, check_mode=True)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ClusterError("refused"), "refused"),
        (LoginError("no kubeconfig"), "no kubeconfig"),
        (InputError.single("fleet", "", "name it"), "fleet: 1 problem\n  name it"),
    ],
)
def test_error_is_a_failed_result_with_all_keys(error: Exception, message: str) -> None:
    assert _run(error) == {**EMPTY, "failed": True, "msg": message}


def test_result_and_options_pass_through() -> None:
    assert _run(None, {"a": 1}) == {**EMPTY, "given": {"a": 1}, "check_mode": True}


def test_bug_is_not_dressed_up_as_a_mistake_of_the_user() -> None:
    with pytest.raises(KeyError):
        _run(KeyError("name"))


def test_every_problem_is_told_with_its_subject_and_field() -> None:
    complaints = [
        Complaint("services[0]", (Problem("spec.a", "is odd"), Problem("", "is old"))),
        Complaint("services[1]", ()),
        Complaint("services[2]", (Problem("spec.b", "is bad"),)),
    ]
    assert _run(InputError(complaints))["msg"] == (
        "services[0]: 2 problems\n  spec.a: is odd\n  is old\nservices[2]: 1 problem\n  spec.b: is bad"
    )
