# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recorded ModelService gives the objects that the operator sent: every field, every list in the same order."""

from __future__ import annotations

from pathlib import Path

import pytest

from module_utils.kinds.model_service.kind import MODEL_SERVICE
from module_utils.kube.intent import Child
from module_utils.kube.problem import InputError, Problem
from module_utils.kube.reader import GivenObjects
from tests.unit.kinds.refusals import refusals

from .compare import by_key, differences, key_of
from .differences_page import has_row
from .recorded_services import folders, name_of, read, recorded_settings
from .replay import documents

#: Refused before any write: case → `Problem.rule`, which is also the row of docs/differences.md.
REFUSED = {
    "engine-env-bad-name": "env-name",
    "engine-pull-invalid": "enum",
    "engine-pull-percent": "enum",
    "ex-09-name-64": "name",
    "flags-no-engine-image": "image",
    "flags-provider-unknown": "enum",
    "flags-version-plus": "name",
    "mon-bad-interval": "interval",
    "mount-docker-dir": "mount-path",
    "name-len-253": "name",
    "name-len-60": "name",
    "name-len-63-dotted": "name",
    "pool-port-9090": "picker-port",
    "res-claims": "resource-claims",
    "res-request-over-limit": "resources",
    "route-bad-hostname": "pattern",
    "route-seventeen-hostnames": "length",
    "schema-unknown-fields": "unknown-field",
    "v1-name-60": "name",
}

#: Where a rule of the schema stands for a decision that has a row of its own.
ROWS = {"flags-provider-unknown": "W42"}

ENV = "Deployment eng/eng-dup-decode: .spec.template.spec.containers[0].env"
PULL = "Deployment pull/pull-duplicate-decode: .spec.template.spec.imagePullSecrets"

#: Rendered otherwise on purpose: case → row of docs/differences.md, and each difference.
DIFFERENT = {
    # Server-side apply refuses names that stand twice. What is overridden is left out, the rest keeps its order.
    "engine-env-duplicates": (
        "env-duplicate",
        [
            f"{ENV}[0].name: recorded 'TP_SIZE', ours 'DP_SIZE'",
            f"{ENV}[1].name: recorded 'DP_SIZE', ours 'DP_SIZE_LOCAL'",
            f"{ENV}[2].name: recorded 'DP_SIZE_LOCAL', ours 'TP_SIZE'",
            f"{ENV}[2].value: recorded '1', ours '9'",
            f"{ENV}[3].name: recorded 'TP_SIZE', ours 'A'",
            f"{ENV}[3].value: recorded '9', ours '2'",
            f"{ENV}[4]: recorded {{'name': 'A', 'value': '1'}}, ours None",
            f"{ENV}[5]: recorded {{'name': 'A', 'value': '2'}}, ours None",
        ],
    ),
    # Same reason: a pull secret that is listed twice has no effect.
    "pull-duplicate": (
        "pull-secret-duplicate",
        [f"{PULL}[1]: recorded {{'name': 'reg-a'}}, ours None"],
    ),
}

CASES = {name_of(folder): folder for folder in folders("intent.yaml")}
EQUAL = sorted(CASES.keys() - REFUSED.keys() - DIFFERENT.keys())


def render(folder: Path) -> tuple[Child, ...]:
    settings = recorded_settings(folder)
    loaded = MODEL_SERVICE.load(read(folder / "input.yaml"), settings)
    assert loaded.service is not None, loaded.problems
    return MODEL_SERVICE.compile(loaded.service, settings, GivenObjects()).children


def different(folder: Path) -> list[str]:
    ours = by_key(child.manifest.to_dict() for child in render(folder))
    return differences(ours, by_key(documents(folder / "intent.yaml")))


def errors(folder: Path) -> list[Problem]:
    try:
        problems = refusals(read(folder / "input.yaml"), recorded_settings(folder))
    except InputError as error:
        return [problem for complaint in error.complaints for problem in complaint.problems]
    return [problem for problem in problems if problem.severity == "error"]


@pytest.mark.parametrize("name", EQUAL)
def test_children_are_what_the_operator_sent(name: str) -> None:
    assert different(CASES[name]) == []


@pytest.mark.parametrize("name", EQUAL)
def test_children_come_in_the_operators_order(name: str) -> None:
    ours = [key_of(child.manifest.to_dict()) for child in render(CASES[name])]
    assert ours == [key_of(document) for document in documents(CASES[name] / "intent.yaml")]


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_on_purpose_differs_as_documented(name: str) -> None:
    _row, lines = DIFFERENT[name]
    assert different(CASES[name]) == lines


@pytest.mark.parametrize("name", REFUSED)
def test_what_we_refuse_is_refused_by_its_rule(name: str) -> None:
    assert {problem.rule for problem in errors(CASES[name])} == {REFUSED[name]}


@pytest.mark.parametrize("name", [*REFUSED, *DIFFERENT])
def test_every_difference_has_its_row(name: str) -> None:
    rule = REFUSED.get(name)
    row = ROWS.get(name, rule) if rule else DIFFERENT[name][0]
    assert has_row(row, name)


def test_every_recorded_case_is_looked_at() -> None:
    assert len(CASES) == 128
    assert CASES.keys() >= REFUSED.keys() | DIFFERENT.keys()
    assert len(EQUAL) == 107
