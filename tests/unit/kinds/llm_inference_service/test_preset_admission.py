# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe says of a config, beside what it says of services. Source: KServe pkg/controller/v1alpha2/llmisvc/config_validation_int_test.go@v0.17.0.

Where no API server has taken a config, since it stands in `cluster_objects`, we say the same.
"""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.llm_inference_service.errors import Unbuildable
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.presets.resolve import resolve
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects

from .build import document
from .preset_world import preset

REPLICAS = "spec.router.scheduler.replicas: Invalid value"


def named(text: str) -> Json:
    return {"labels": {"x": text}}


def pickers(**scheduler: Any) -> Json:
    return {"router": {"scheduler": scheduler}}


REFUSED: dict[str, tuple[Json, str]] = {
    "a field that services have not is refused": (
        {"model": {"uri": "", "name": "{{ .NonExisting }}"}},
        "can't evaluate field NonExisting in type struct",
    ),
    "a text in quotation marks is refused": (
        named('{{ ChildName .ObjectMeta.Name "-inference-pool" }}'),
        'unexpected "\\\\" in operand',
    ),
    "bases of bases are refused": (
        {"baseRefs": [{"name": "other"}]},
        "spec.baseRefs: Forbidden: baseRefs is not a permitted field",
    ),
    "no picker at all is refused": (pickers(replicas=0), f"{REPLICAS}: 0"),
    "fewer pickers than none are refused": (pickers(replicas=-1), f"{REPLICAS}: -1"),
    "a field of another type is refused": ({"replicas": "two"}, 'spec.replicas: "two"'),
    "a namespace that none can be is refused": (
        {"router": {"gateway": {"refs": [{"name": "a", "namespace": "{{ .Namespace }}"}]}}},
        "spec.router.gateway.refs[0].namespace",
    ),
}
TAKEN: dict[str, Json] = {
    "a text in back-quotes is taken": named("{{ ChildName .ObjectMeta.Name `-inference-pool` }}"),
    "two pickers are taken": pickers(replicas=2),
    "one picker is taken": pickers(replicas=1),
    "pickers may be left open": pickers(),
    "a null in a map is dropped": {"template": {"nodeSelector": {"pool": None}}},
    "a field that no version knows is dropped": {"router": {"scheduler": {"newer": True}}},
}


def use(spec: Json) -> None:
    """Use a service over a config that was given. Raises Unbuildable."""
    service = load(document(baseRefs=[{"name": "base"}]), Settings()).service
    assert service is not None
    resolve(service, Settings(), GivenObjects([preset("base", spec, "team-a")]))


@pytest.mark.parametrize("row", REFUSED)
def test_a_given_config_that_the_api_would_refuse_is_told(row: str) -> None:
    spec, message = REFUSED[row]
    with pytest.raises(Unbuildable) as caught:
        use(spec)
    assert message in caught.value.problem.message
    assert (
        "LLMInferenceServiceConfig team-a/base in cluster_objects" in caught.value.problem.message
    )


@pytest.mark.parametrize("row", TAKEN)
def test_a_given_config_that_the_api_would_take_is_used(row: str) -> None:
    use(TAKEN[row])


def test_all_that_is_wrong_with_a_given_config_is_told_at_once() -> None:
    with pytest.raises(Unbuildable) as caught:
        use({**pickers(replicas=0), "replicas": "two", **named("{{ .Gone }}")})
    for part in ("scheduler.replicas", 'spec.replicas: "two"', "can't evaluate field Gone"):
        assert part in caught.value.message
