# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server and KServe's webhooks accept and refuse, we accept and refuse, at the same field."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.admission import config, service
from module_utils.kinds.llm_inference_service.conversion import to_v1alpha2
from module_utils.kinds.llm_inference_service.errors import Unbuildable
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.presets.admission_sample import template_refusal
from module_utils.kinds.llm_inference_service.schema import spec_schema
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json
from module_utils.kube.schema_check import check

RECORDINGS = Path(__file__).parent / "recordings" / "llm_inference_service" / "cases-invalid"
CASES = sorted(path.name for path in RECORDINGS.iterdir())
#: The API takes names that no child can have: docs/differences.md, L42.
REFUSED_ON_PURPOSE = {"svc-name-253": "metadata.name", "svc-name-long-64": "metadata.name"}


def read(case: str, file: str) -> Json:
    path = RECORDINGS / case / file
    found: Json = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


RESULTS = {case: read(case, "result.yaml") for case in CASES}


def fields(case: str) -> set[str]:
    """Return the fields at which the request was refused."""
    causes = RESULTS[case].get("causes") or ()
    return {cause["field"] for cause in causes} - {"<nil>"}


def refused(case: str) -> set[str]:
    """Return the fields at which we refuse the same request."""
    document = read(case, "input.yaml") or read(case, "previous.yaml")
    if document["kind"].endswith("Config"):
        return config_errors(document)
    loaded = load(document, Settings())
    found = {problem.path for problem in loaded.problems if problem.severity == "error"}
    if RESULTS[case]["operation"] == "update":
        old = to_v1alpha2(read(case, "previous.yaml"))["spec"]
        found |= {
            error.field for error in service.update_errors(old, to_v1alpha2(document)["spec"])
        }
    return found


def config_errors(document: Json) -> set[str]:
    version = document["apiVersion"].partition("/")[2]
    schema = spec_schema(version, KServe.V0_17, strict=version == "v1alpha1")
    checked = check(schema, document["spec"], "spec", keep_empty=True)
    found = {problem.path for problem in checked.problems}
    return found | {error.field for error in config.create_errors(checked.value)}


TEMPLATES = [case for case in CASES if RESULTS[case].get("reason") == "Forbidden"]
REFUSED = [case for case in CASES if not RESULTS[case]["accepted"] and case not in TEMPLATES]
ACCEPTED = [case for case in CASES if RESULTS[case]["accepted"] and case not in REFUSED_ON_PURPOSE]


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_api_refuses_is_refused_at_the_same_field(case: str) -> None:
    assert refused(case) == fields(case)


def templates_refused(case: str) -> Unbuildable | None:
    """Return why the templates of a config are refused."""
    document = to_v1alpha2(read(case, "input.yaml") or read(case, "previous.yaml"))
    return template_refusal("bad", document["spec"], Settings())


@pytest.mark.parametrize("case", TEMPLATES)
def test_a_template_that_cannot_be_filled_in_is_refused(case: str) -> None:
    refusal = templates_refused(case)
    assert refusal is not None
    assert refusal.problem.rule == "template"
    assert not refused(case)


@pytest.mark.parametrize(
    "case", [case for case in CASES if "cfg" in case and RESULTS[case]["accepted"]]
)
def test_templates_that_can_be_filled_in_are_taken(case: str) -> None:
    assert templates_refused(case) is None


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_the_api_accepts_is_accepted(case: str) -> None:
    assert not refused(case)


@pytest.mark.parametrize("case", REFUSED_ON_PURPOSE)
def test_a_name_that_no_child_can_have_is_refused(case: str) -> None:
    assert refused(case) == {REFUSED_ON_PURPOSE[case]}


# The warnings about configs are not ours: we write no configs.
WARNED = [case for case in CASES if RESULTS[case].get("warnings") and "cfg" not in case]


@pytest.mark.parametrize("case", WARNED)
def test_what_the_api_warns_of_we_warn_of(case: str) -> None:
    problems = load(read(case, "input.yaml"), Settings()).problems
    assert [str(p.message) for p in problems if p.severity == "warning"] == RESULTS[case][
        "warnings"
    ]


def test_every_recorded_request_is_looked_at() -> None:
    looked_at = {*REFUSED, *ACCEPTED, *TEMPLATES, *REFUSED_ON_PURPOSE}
    assert looked_at == set(CASES)
    assert len(CASES) == 75
