# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.validation.pod_security import BASELINE, RESTRICTED, refusals

from .pod_security_table import PODS, fetching


@pytest.mark.parametrize("name", PODS)
def test_each_level_refuses_what_it_does_not_take_at_the_field_that_says_so(name: str) -> None:
    pod, baseline, restricted = PODS[name]
    assert [each.path for each in refusals(pod, BASELINE)] == baseline
    assert [each.path for each in refusals(pod, RESTRICTED)] == restricted


def test_pods_of_windows_are_not_judged() -> None:
    pod: dict[str, Any] = {"os": {"name": "windows"}, "containers": [{"name": "main"}]}
    assert not list(refusals(pod, RESTRICTED))


def test_everything_that_a_container_has_to_say_stands_in_one_line_with_its_name() -> None:
    pod = fetching(None)
    pod["securityContext"] = {}
    told = [str(each) for each in refusals(pod, RESTRICTED)]
    assert told == [
        "requires runAsNonRoot: true, seccompProfile.type: RuntimeDefault in the securityContext of container main",
        (
            "requires allowPrivilegeEscalation: false, capabilities.drop: [ALL], runAsNonRoot: true, seccompProfile.type: RuntimeDefault"
            " in the securityContext of container fetch"
        ),
    ]
