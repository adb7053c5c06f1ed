# SPDX-License-Identifier: GPL-3.0-or-later
"""A key that is null is read as the API server stores it, and its author is told. tests/cluster/test_nulls.py asks the server."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from module_utils.kinds.inference_graph.settings import Settings as GraphSettings
from module_utils.kinds.inference_service.settings import Settings as IsvcSettings
from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.settings import Settings as LlmSettings
from module_utils.kinds.local_model_cache.settings import Settings as CacheSettings
from module_utils.kinds.registry import KINDS
from tests.unit.kinds.inference_graph.build import document as graph
from tests.unit.kinds.inference_service.build import document as isvc
from tests.unit.kinds.llm_inference_service.build import document as llm
from tests.unit.kinds.local_model_cache.build import cache
from tests.unit.kinds.model_service.build import document as model_service
from tests.unit.kinds.model_service.build import settings
from tests.unit.kinds.null_values import as_stored, fields, with_nulls

Json = dict[str, Any]
_SERVICES = [
    *((isvc(), IsvcSettings(release=each)) for each in (KServe.V0_17, KServe.V0_20)),
    *((llm(), LlmSettings(release=each)) for each in (KServe.V0_17, KServe.V0_20)),
    (graph(), GraphSettings(release=KServe.V0_20)),
    (cache(), CacheSettings(release=KServe.V0_20)),
    (model_service(), settings()),
]


@pytest.mark.parametrize(("document", "chosen"), _SERVICES)
def test_a_null_in_a_map_is_read_as_it_is_stored_and_warned_about(
    document: Json, chosen: Any
) -> None:
    kind = KINDS[document["apiVersion"], document["kind"]]
    given = with_nulls(document)
    before = copy.deepcopy(given)
    found, plain = kind.load(given, chosen), kind.load(as_stored(document), chosen)
    assert given == before
    assert found.service is not None
    assert found.service == plain.service
    told = [(one.path, one.severity) for one in found.problems if one.rule == "null"]
    assert sorted(told) == sorted((path, "warning") for path in fields(document["kind"]))
    assert [one for one in found.problems if one.rule != "null"] == list(plain.problems)


def test_a_null_in_a_list_is_a_mistake() -> None:
    kind = KINDS["serving.kserve.io/v1alpha2", "LLMInferenceService"]
    given = llm(template={"containers": [{"name": "main", "args": [None]}]})
    (found,) = kind.load(given, LlmSettings(release=KServe.V0_20)).problems
    assert (found.path, found.rule) == ("spec.template.containers[0].args[0]", "type")
