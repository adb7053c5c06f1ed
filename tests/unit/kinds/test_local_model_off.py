# SPDX-License-Identifier: GPL-3.0-or-later
"""A service whose annotation reads as if it used caches of models, and which uses none, is warned about."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json, put_at
from tests.objects import Cluster
from tests.unit.checks.checked import warnings
from tests.unit.checks.services import custom, llm
from tests.unit.kinds.inference_service.build import config_map

OFF = "serving.kserve.io/disable-localmodel"


@pytest.mark.parametrize("document", [custom(), llm()], ids=["isvc", "llm"])
@pytest.mark.parametrize(
    ("value", "is_told"), [("false", True), ("no", True), ("true", False), ("", False)]
)
def test_a_value_that_reads_as_if_caches_were_used_is_told(
    document: Json, value: str, is_told: bool
) -> None:
    put_at(document, ("metadata", "annotations"), {OFF: value})
    found = warnings(document, Cluster([config_map()]))
    assert ("local-model-off" in found) == is_told
    if is_told:
        assert found["local-model-off"].path == f'metadata.annotations["{OFF}"]'
