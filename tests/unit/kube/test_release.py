# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts and fields by release."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from module_utils.kube.release import ControllerRelease, Since, change
from module_utils.kube.schema import Boolean, ListOf, MapOf, Object, Text
from module_utils.kube.schema_check import check
from module_utils.kube.schema_release import at_release


class Thing(ControllerRelease):
    """A product with three releases."""

    ONE = "1.0"
    TWO = "2.0-rc.1"
    THREE = "2.0"

    @property
    def product(self) -> str:
        return "Thing"

    @property
    def option(self) -> str:
        return "releases.thing"


@dataclass(frozen=True)
class Facts:
    fast: bool = False
    image: str = "thing:1"


def test_releases_are_ordered_as_they_are_listed_and_called_as_users_write_them() -> None:
    assert sorted([Thing.THREE, Thing.ONE, Thing.TWO]) == list(Thing)
    assert [str(release) for release in Thing] == ["1.0", "2.0-rc.1", "2.0"]


def test_a_release_keeps_what_it_does_not_change() -> None:
    table: Since[Facts] = Since({Thing.ONE: Facts(), Thing.THREE: change(fast=True)})
    assert [table.at(release) for release in Thing] == [
        Facts(),
        Facts(),
        Facts(fast=True),
    ]
    plain: Since[str] = Since({Thing.ONE: "a", Thing.TWO: "b"})
    assert [plain.at(release) for release in Thing] == ["a", "b", "b"]


def test_a_table_without_the_oldest_release_or_with_a_field_of_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="not the oldest"):
        Since({Thing.TWO: "b"})
    with pytest.raises(TypeError):
        Since({Thing.ONE: Facts(), Thing.TWO: change(slow=True)})


INNER = Object(fields={"name": Text(), "new": Text(since=Thing.TWO), "old": Text(until=Thing.TWO)})
SCHEMA = Object(
    fields={
        "plain": Object(fields={"a": Boolean()}),
        "list": ListOf(items=INNER),
        "map": MapOf(values=INNER),
        "later": Boolean(since=Thing.THREE),
    },
    hints={"other": "never"},
)


@pytest.mark.parametrize(
    ("release", "value", "told"),
    [
        (
            Thing.ONE,
            {"list": [{"new": "x"}]},
            "Thing 2.0-rc.1 knows it, and 1.0 would drop it; releases.thing chooses another release",
        ),
        (
            Thing.ONE,
            {"map": {"k": {"new": "x"}}},
            "Thing 2.0-rc.1 knows it, and 1.0 would drop it; releases.thing chooses another release",
        ),
        (Thing.ONE, {"list": [{"old": "x"}]}, ""),
        (Thing.TWO, {"list": [{"new": "x"}]}, ""),
        (
            Thing.TWO,
            {"list": [{"old": "x"}]},
            "Thing 2.0-rc.1 no longer has it, and 2.0-rc.1 would drop it; releases.thing chooses another release",
        ),
        (Thing.TWO, {"later": True}, "Thing 2.0 knows it, and this collection does not yet"),
        (Thing.TWO, {"other": True}, "never"),
    ],
)
def test_a_field_of_another_release_is_named_with_it(
    release: Thing, value: dict[str, object], told: str
) -> None:
    found = check(at_release(SCHEMA, release, Thing.TWO), value, "spec").problems
    assert [problem.message for problem in found] == ([f"unknown field; {told}"] if told else [])


def test_what_all_releases_share_stays_one_object() -> None:
    reduced = at_release(SCHEMA, Thing.ONE, Thing.THREE)
    assert reduced.fields["plain"] is SCHEMA.fields["plain"]
    same = Object(fields={"plain": SCHEMA.fields["plain"]})
    assert at_release(same, Thing.ONE, Thing.THREE) is same
