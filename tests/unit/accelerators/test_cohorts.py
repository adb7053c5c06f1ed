# SPDX-License-Identifier: GPL-3.0-or-later
"""What ClusterQueues may have of the quota of their Cohorts, and what is free of it."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.accelerators.cohorts import Cohorts, above
from module_utils.kube.manifest import Json

GPU = "nvidia.com/gpu"


def quota(nominal: int, **limits: int) -> list[Json]:
    resource = {"name": GPU, "nominalQuota": nominal, **limits}
    return [{"coveredResources": [GPU], "flavors": [{"name": "h100", "resources": [resource]}]}]


def queue(name: str, cohort: str, nominal: int, used: int = 0, **limits: int) -> Json:
    usage = [{"name": "h100", "resources": [{"name": GPU, "total": str(used)}]}]
    return {
        "metadata": {"name": name},
        "spec": {"cohortName": cohort, "resourceGroups": quota(nominal, **limits)},
        "status": {"flavorsUsage": usage},
    }


def cohort(name: str, parent: str = "", nominal: int | None = None, **limits: int) -> Json:
    groups = [] if nominal is None else quota(nominal, **limits)
    return {"metadata": {"name": name}, "spec": {"parentName": parent, "resourceGroups": groups}}


@pytest.mark.parametrize(
    ("queues", "cohorts", "most", "free"),
    [
        pytest.param([queue("q", "", 4, 1)], [], 4, 3, id="alone"),
        pytest.param(
            [queue("q", "a", 0), queue("r", "a", 8, 3)], [], 8, 5, id="an-unwritten-cohort"
        ),
        pytest.param(
            [queue("q", "a", 2)], [cohort("a", nominal=4)], 6, 6, id="quota-of-the-cohort"
        ),
        pytest.param(
            [queue("q", "a", 2, borrowingLimit=1)], [cohort("a", nominal=4)], 3, 3, id="own-limit"
        ),
        pytest.param(
            [queue("q", "a", 0), queue("r", "a", 8, lendingLimit=3)], [], 3, 3, id="lending-limit"
        ),
        pytest.param(
            [queue("q", "a", 0), queue("r", "a", 8, 7, lendingLimit=3)],
            [],
            3,
            1,
            id="used-beyond-what-is-kept",
        ),
        pytest.param(
            [queue("q", "a", 1)],
            [cohort("a", "top"), cohort("top", nominal=8)],
            9,
            9,
            id="quota-above",
        ),
        pytest.param(
            [queue("q", "a", 1)],
            [cohort("a", "top", 0, borrowingLimit=2), cohort("top", nominal=8)],
            3,
            3,
            id="a-cohort-that-borrows-little",
        ),
        pytest.param(
            [queue("q", "a", 1), queue("r", "b", 0, 2)],
            [cohort("a", "top"), cohort("b", "top", 6, lendingLimit=1), cohort("top")],
            2,
            2,
            id="a-cohort-beside-that-keeps-most",
        ),
        pytest.param(
            [queue("q", "a", 1), queue("r", "b", 0, 6)],
            [cohort("a", "top"), cohort("b", "top", 6, lendingLimit=1), cohort("top")],
            2,
            1,
            id="a-cohort-beside-that-is-full",
        ),
    ],
)
def test_queue_has_what_its_cohorts_lend(
    queues: list[Json], cohorts: list[Json], most: int, free: int
) -> None:
    tree = Cohorts(queues, cohorts, "h100", GPU)
    assert (tree.most("q"), tree.free("q")) == (most, free)
    assert Cohorts(queues, cohorts, "a100", GPU).most("q") == 0


@pytest.mark.parametrize(
    ("parents", "expected"),
    [
        ({}, (["a"], False)),
        ({"a": "b", "b": ""}, (["a", "b"], False)),
        ({"a": "b", "b": "a"}, (["a", "b"], True)),
        ({"a": "b", "b": "c", "c": "b"}, (["a", "b", "c"], True)),
    ],
)
def test_cohorts_above_a_queue_end(parents: dict[str, str], expected: tuple[Any, bool]) -> None:
    cohorts = [cohort(name, parent) for name, parent in parents.items()]
    assert above(queue("q", "a", 1), cohorts) == expected
