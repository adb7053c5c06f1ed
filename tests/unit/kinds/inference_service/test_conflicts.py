# SPDX-License-Identifier: GPL-3.0-or-later
"""Services beside each other: given twice, or reached under one host."""

from __future__ import annotations

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.conflicts import (
    conflicts,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.spec import (
    InferenceService,
)

from .build import document


def service(name: str, namespace: str) -> InferenceService:
    given = document(name)
    given["metadata"]["namespace"] = namespace
    found = load(given, Settings()).service
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        (("iris", "team"), ("iris", "team"), "service-twice"),
        (("a-b", "c"), ("a", "b-c"), "same-host"),
        (("iris", "team"), ("iris-predictor", "team"), "same-host"),
    ],
)
def test_what_two_services_would_share_is_told(
    first: tuple[str, str], second: tuple[str, str], rule: str
) -> None:
    found = conflicts([service(*first), service("other", "team"), service(*second)], Settings())
    assert {problem.rule for each in found.values() for problem in each} == {rule}
    assert 2 in found
    assert 1 not in found


@pytest.mark.parametrize("second", [("iris", "team-b"), ("iris-transformer", "team")])
def test_others_live_side_by_side(second: tuple[str, str]) -> None:
    assert conflicts([service("iris", "team"), service(*second)], Settings()) == {}
