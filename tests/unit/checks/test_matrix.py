# SPDX-License-Identifier: GPL-3.0-or-later
"""Each check runs for each kind of service that has what it speaks of, and tells at the author's field."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.checks.registry import checks, further_themes, of_theme
from module_utils.kube.reader import GivenObjects
from tests.objects import Cluster
from tests.unit.modules.task import run

from .checked import warnings
from .mistakes.exempt import EXEMPT
from .mistakes.mistake import KINDS, Mistake
from .mistakes.table import MISTAKES

RULES = {check.row.rule for check in checks()}
CELLS = [(rule, kind) for rule, by_kind in MISTAKES.items() for kind in by_kind]


def refused(mistake: Mistake) -> bool:
    """Tell whether a task with a service fails at the field of the mistake, and says so in its message."""
    result = run(
        state="rendered", services=[mistake.service], cluster_objects=list(mistake.objects)
    )
    return bool(result.get("failed")) and mistake.field in result["msg"]


def told(mistake: Mistake) -> list[dict[str, Any]]:
    """Return what a task says of a service."""
    if mistake.complete or mistake.stops:
        reader = Cluster(mistake.objects) if mistake.complete else GivenObjects(mistake.objects)
        found = warnings(mistake.service, reader)
        if mistake.stops:
            assert refused(mistake)
        return [{"rule": each.rule, "path": each.path} for each in found.values()]
    result = run(
        state="rendered",
        services=[mistake.service, *mistake.others],
        cluster_objects=list(mistake.objects),
    )
    assert not result.get("failed"), result["msg"]
    problems: list[dict[str, Any]] = result["services"][0]["problems"]
    return problems


@pytest.mark.parametrize(("rule", "kind"), CELLS, ids=[f"{rule}-{kind}" for rule, kind in CELLS])
def test_a_mistake_is_told_at_the_field_of_its_author(rule: str, kind: str) -> None:
    mistake = MISTAKES[rule][kind]
    found = told(mistake)
    assert mistake.field in [each["path"] for each in found if each["rule"] == rule], found


def test_every_check_runs_for_every_kind_or_says_why_not() -> None:
    cells = {(rule, kind) for rule in RULES for kind in KINDS}
    assert sorted(cells - set(CELLS) - EXEMPT.keys()) == []


def test_nothing_is_both_tried_and_exempt() -> None:
    assert sorted(set(CELLS) & EXEMPT.keys()) == []
    assert sorted({rule for rule, dummy in (*CELLS, *EXEMPT)} - RULES) == []


def test_no_check_of_every_run_stands_where_a_settled_run_does_not_look() -> None:
    late = [check for theme in further_themes() for check in of_theme(theme)]
    assert [each.row.rule for each in late if each.in_every_run or each.fleet] == []
