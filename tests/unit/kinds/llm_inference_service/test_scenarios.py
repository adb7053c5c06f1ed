# SPDX-License-Identifier: GPL-3.0-or-later
"""Every scenario of the controller's own test suites is a case here, under its number: reference/kserve-llmisvc.md §9.

A row is found in the name of a test (`test_b5_...`) or in the id of a case (`B5 a managed router leads to its pool`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

UNIT = "tests.unit.kinds.llm_inference_service"
LAB = "tests.cluster.test_llm_inference_service_scenarios"
WITHOUT_GROUPS = "tests.cluster.test_llm_inference_service_missing_kinds"


def unit(*names: str) -> list[str]:
    return [f"{UNIT}.test_{name}" for name in names]


#: Letter → numbers, and the modules whose tests have them.
ROWS: Mapping[str, tuple[Sequence[int], list[str]]] = {
    "M": (range(1, 27), unit("merge")),
    "T": (range(1, 24), unit("presets")),
    "F": (
        range(1, 8),
        [*unit("system_config"), "tests.parity.test_llm_inference_service_recorded_presets"],
    ),
    "W": (range(1, 9), unit("preset_admission")),
    "V": ([*range(1, 37), *range(40, 46)], unit("admission", "scaling")),
    "K": (range(1, 10), unit("conversion")),
    "B": (range(1, 19), [*unit("basic_reconcile"), LAB]),
    "S": (range(1, 7), unit("stop")),
    "G": (range(1, 22), unit("router", "picker")),
    "L": (range(1, 19), [*unit("groups"), LAB]),
    "E": (range(1, 35), unit("picker")),
    "D": (range(1, 21), unit("storage")),
    "P": (range(1, 9), unit("propagation")),
    "X": (range(1, 19), unit("certificate")),
    "U": ([*range(1, 56), *range(60, 68), *range(70, 76)], unit("urls", "url_hosts", "addresses")),
    "R": (range(1, 48), unit("conditions", "pool_conditions", "router", "observe")),
    "Q": (
        range(1, 23),
        [
            "tests.unit.reconcile.test_waiting_for_llm_services",
            *unit("certificate"),
            LAB,
            WITHOUT_GROUPS,
        ],
    ),
    "Z": (range(1, 18), [LAB]),
}


def names_of(module: ModuleType) -> Iterator[str]:
    """Yield the names of tests, and the ids of their cases."""
    for name, function in vars(module).items():
        if name.startswith("test_"):
            yield name.removeprefix("test_").replace("_", " ", 1).capitalize()
            for mark in getattr(function, "pytestmark", ()):
                if mark.name == "parametrize":
                    yield from ids_of(mark)


def ids_of(mark: Any) -> Iterator[str]:
    values = list(mark.kwargs.get("argvalues", mark.args[1] if len(mark.args) > 1 else ()))
    yield from map(str, mark.kwargs.get("ids") or ())
    for value in values:
        yield str(getattr(value, "id", None) or value)


def found_in(modules: Sequence[str]) -> set[str]:
    """Return the rows that the tests of some modules have: each with a promise behind its number."""
    numbered = re.compile(r"([A-Z]\d+) \S+[ _]\S+")
    names = (name for module in modules for name in names_of(import_module(module)))
    return {match[1] for name in names if (match := numbered.match(name))}


@pytest.mark.parametrize("letter", ROWS)
def test_every_scenario_is_a_case(letter: str) -> None:
    numbers, modules = ROWS[letter]
    wanted = {f"{letter}{number}" for number in numbers}
    missing = wanted - found_in(modules)
    assert sorted(missing, key=lambda row: int(row[1:])) == []
