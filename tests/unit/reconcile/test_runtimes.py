# SPDX-License-Identifier: GPL-3.0-or-later
"""`state: rendered` lists which runtime each InferenceService takes, and why the others do not serve it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.runtimes.choice import (
    runtime_choice,
    runtime_choices,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.settings import (
    Settings,
)
from module_utils.kinds.inference_service.kind import INFERENCE_SERVICE
from tests.objects import thing
from tests.parity.recorded_llm_services import Recorded
from tests.unit.kinds.inference_service.world import model, runtime, takes
from tests.unit.kinds.model_service.build import document

from ..modules.task import run

Json = dict[str, Any]


def service(predictor: Json, name: str = "iris") -> Json:
    return thing(
        "serving.kserve.io/v1beta1",
        "InferenceService",
        name,
        "team-a",
        spec={"predictor": predictor},
    )


RUNTIMES = [
    runtime("first", takes(priority=2)),
    runtime("second", takes(priority=1)),
    runtime("off", takes(), disabled=True),
    runtime("trees", takes("xgboost")),
    runtime("own", {"name": "sklearn"}, namespace="team-a"),
]
#: Which runtime serves a predictor, whether it is named, and the others with a part of the reason.
CHOICES: dict[str, tuple[Json, str, bool, dict[str, str]]] = {
    "chosen": (
        model(),
        "first",
        False,
        {
            "own": "autoSelect is not true",
            "second": "has priority 1, and first 2",
            "off": "disabled",
        },
    ),
    "a framework's own field": (
        {"xgboost": {"storageUri": "gs://b/m"}},
        "trees",
        False,
        {},
    ),
    "named": (
        model(runtime="second"),
        "second",
        True,
        {"own": "autoSelect is not true", "first": "the service names another", "off": "disabled"},
    ),
    "another version": (
        model(modelFormat={"name": "sklearn", "version": "9"}),
        "",
        False,
        {"own": "takes sklearn", "first": "takes sklearn", "second": "takes", "off": "disabled"},
    ),
    "named, and not there": (model("xgboost", runtime="gone"), "", True, {"trees": "could serve"}),
}


@pytest.mark.parametrize("case", CHOICES)
def test_which_runtime_serves_a_service_and_why_not_the_others(case: str) -> None:
    predictor, name, named, others = CHOICES[case]
    choice = runtime_choice(service(predictor), Settings(), Recorded(RUNTIMES))
    assert choice is not None
    assert (choice.runtime, choice.named) == (name, named)
    assert bool(choice.message) is not bool(name)
    assert [each.name for each in choice.others] == list(others)
    for each in choice.others:
        assert others[each.name] in each.why


def test_a_service_of_its_own_containers_has_no_runtime() -> None:
    given = service({"containers": [{"name": "kserve-container", "image": "example.com/s:1"}]})
    assert runtime_choice(given, Settings(), Recorded(RUNTIMES)) is None


def test_what_is_missing_is_told_at_the_field_that_its_author_wrote() -> None:
    choice = runtime_choice(service({"pmml": {}}), Settings(), Recorded(RUNTIMES))
    assert choice is not None
    assert choice.message.startswith("spec.predictor.pmml.modelFormat: no runtime serves")


def test_rendered_lists_the_runtimes_of_the_services_that_have_one() -> None:
    result = run(
        state="rendered",
        services=[service(model()), service(model("xgboost"), "trees"), document()],
        cluster_objects=RUNTIMES,
    )
    assert not result.get("failed"), result["msg"]
    assert [(each["name"], each["runtime"]) for each in result["runtimes"]] == [
        ("iris", "first"),
        ("trees", "trees"),
    ]
    assert set(result["runtimes"][0]) == {
        "namespace",
        "name",
        "kind",
        "runtime",
        "named",
        "others",
        "message",
        "canary",
    }


def test_each_canary_has_a_choice_of_its_own() -> None:
    given = service(model())
    given["spec"]["canary"] = [
        {
            "trafficPercent": 10,
            "predictor": {"name": "next", "xgboost": {"storageUri": "gs://b/n"}},
        },
        {"trafficPercent": 10, "predictor": {"name": "odd", **model("unknown")}},
    ]
    settings = INFERENCE_SERVICE.settings({}, {"kserve": "0.20"})
    found = list(runtime_choices(given, settings, Recorded(RUNTIMES)))
    assert [(each.canary, each.runtime) for each in found] == [
        ("", "first"),
        ("next", "trees"),
        ("odd", ""),
    ]
    assert found[2].message.startswith("spec.canary[1].predictor.model")
    usual = service(model())
    assert [each.canary for each in runtime_choices(usual, settings, Recorded(RUNTIMES))] == [""]
