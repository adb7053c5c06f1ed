# SPDX-License-Identifier: GPL-3.0-or-later
"""What checks say of every recorded service, each in the cluster that it was recorded in."""

from __future__ import annotations

from collections.abc import Iterator

from module_utils.kube.problem import InputError, Problem
from tests.parity.cases import Case, inference_service_cases, llm_cases, model_service_cases

from .checked import checked


def findings() -> Iterator[tuple[str, Problem]]:
    """Yield each recording with each thing that is told of it beyond what its kind says when it is loaded."""
    for name, case in _recorded():
        try:
            settings = case.settings()
        except InputError:
            continue
        loaded = case.kind.load(case.document, settings)
        if loaded.service is not None:
            for problem in checked(loaded.service, settings, case.reader()):
                yield name, problem


def _recorded() -> Iterator[tuple[str, Case]]:
    """Yield each recording of the first releases by its folder."""
    for folder, cases in (
        ("model_service", model_service_cases("input.yaml")),
        ("llm_inference_service", llm_cases()),
        ("inference_service", inference_service_cases()),
    ):
        yield from ((f"{folder}/{name}", case) for name, case in cases.items())
