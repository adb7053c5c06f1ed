# SPDX-License-Identifier: GPL-3.0-or-later
"""A check is added by one function and one row, as CONTRIBUTING says: then it runs for every kind, and stands in the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest

from module_utils.checks import registry
from module_utils.kinds.check import Check, check
from module_utils.kinds.view import ServiceView
from module_utils.kube.problem import Problem
from tests.tools.check_tables import rows
from tests.unit.kinds.model_service.build import document as model_service

from .mistakes.mistake import IS, LLM, MS, Mistake
from .services import custom, llm_inference_service
from .test_matrix import told

# What somebody writes into a theme's file.
LATEST = Check(
    "image-latest",
    "warning",
    "the image {image} may be another one at every start",
    "name a version",
)


@check(LATEST)
def image_latest(view: ServiceView) -> Iterator[Problem]:
    """Yield images whose tag moves. A restart then changes what runs."""
    for workload in view.workloads:
        for number, container in enumerate(workload.pod.get("containers") or ()):
            if container.get("image", "").endswith(":latest"):
                place = workload.fields(f"containers[{number}].image")
                yield LATEST.at(place, image=container["image"])


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a check that a file of its own adds."""
    theme = ModuleType("images")
    vars(theme)["image_latest"] = image_latest
    monkeypatch.setattr(registry, "THEMES", (*registry.THEMES, theme))
    _forget()
    yield LATEST.rule
    _forget()


def _forget() -> None:
    registry.checks.cache_clear()
    registry.settled_checks.cache_clear()


IMAGE = "example.com/vllm:latest"
MADE = {
    MS: Mistake(model_service(engine={"image": IMAGE}), "spec.engine.image"),
    LLM: Mistake(
        llm_inference_service(template={"containers": [{"name": "main", "image": IMAGE}]}),
        "spec.template.containers[0].image",
    ),
    IS: Mistake(custom(image=IMAGE), "spec.predictor.containers[0].image"),
}


@pytest.mark.parametrize("kind", sorted(MADE))
def test_a_new_check_runs_for_every_kind(kind: str, rule: str) -> None:
    mistake = MADE[kind]
    found = [(each["path"], each["message"]) for each in told(mistake) if each["rule"] == rule]
    message = f"the image {IMAGE} may be another one at every start; name a version"
    assert found == [(mistake.field, message)]


def test_a_new_check_is_in_the_table_of_the_documentation(rule: str) -> None:
    assert [row for row in rows() if f"| `{rule}` | images whose tag moves |" in row]
