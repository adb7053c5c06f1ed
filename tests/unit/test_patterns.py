# SPDX-License-Identifier: GPL-3.0-or-later
"""The pattern with the job templates keeps to the rules of patterns, version 1.0, and to what the collection has."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.tools import pages
from tests.tools.tree import CHECKOUT

PATTERNS = sorted((CHECKOUT / "extensions" / "patterns").iterdir())
QUESTION_TYPES = {
    "text",
    "textarea",
    "password",
    "integer",
    "float",
    "multiplechoice",
    "multiselect",
}
QUESTION = {"type", "question_name", "question_description", "variable", "required"}
ASKED = {"ask_credential_on_launch", "ask_inventory_on_launch", "ask_verbosity_on_launch"}
TEMPLATE = {
    "name",
    "description",
    "playbook",
    "primary",
    "execution_environment",
    "labels",
    "survey",
    *ASKED,
}


def meta(name: str) -> Json:
    found: Json = json.loads(
        (CHECKOUT / "extensions" / "patterns" / name / "meta" / "pattern.json").read_text()
    )
    return found


def templates(name: str) -> list[Json]:
    found: list[Json] = meta(name)["aap_resources"]["controller_job_templates"]
    return found


@pytest.mark.parametrize("name", [path.name for path in PATTERNS])
def test_pattern_keeps_to_the_rules(name: str) -> None:
    pattern = meta(name)
    assert set(pattern) >= {"schema_version", "title", "description", "short_description"}
    assert pattern["name"] == name
    assert re.fullmatch("[a-z0-9_]{1,64}", name)
    assert len(pattern["title"]) <= 64
    assert not pattern["short_description"].endswith(".")
    resources = pattern["aap_resources"]
    assert set(resources["controller_project"]) == {"name", "description"}
    environment = resources["controller_execution_environment"]
    assert set(environment) == {"name", "description", "image_name", "pull"}
    assert (CHECKOUT / "extensions" / "patterns" / name / "README.md").is_file()
    for template in templates(name):
        assert set(template) <= TEMPLATE
        assert {"name", "description", "playbook"} <= set(template)
        assert template["execution_environment"] == environment["name"]
        assert set(template["labels"]) <= set(resources["controller_labels"])
    assert [template["primary"] for template in templates(name)].count(True) == 1


@pytest.mark.parametrize("name", [path.name for path in PATTERNS])
def test_questions_keep_to_the_rules(name: str) -> None:
    for template in templates(name):
        survey = template["survey"]
        assert set(survey) == {"name", "description", "spec"}
        for question in survey["spec"]:
            assert set(question) <= QUESTION | {"choices", "default"}
            assert set(question) >= QUESTION
            assert question["type"] in QUESTION_TYPES
            assert re.fullmatch("[a-z0-9_]{1,64}", question["variable"])
            assert isinstance(question["default"], str)
            chosen = question["type"] in ("multiplechoice", "multiselect")
            assert bool(question.get("choices")) == chosen
            if chosen and question["default"]:
                assert question["default"] in question["choices"]


@pytest.mark.parametrize("name", [path.name for path in PATTERNS])
def test_every_playbook_is_one_of_the_collection(name: str) -> None:
    folder = CHECKOUT / "extensions" / "patterns" / name / "playbooks"
    assert {path.name for path in folder.iterdir()} == {
        each["playbook"] for each in templates(name)
    }
    for path in folder.iterdir():
        (play,) = yaml.safe_load(path.read_text())
        called = play["ansible.builtin.import_playbook"].removeprefix("modelops.inference.")
        assert (CHECKOUT / "playbooks" / f"{called}.yml").is_file()


@pytest.mark.parametrize("name", [path.name for path in PATTERNS])
def test_every_answer_is_an_option(name: str) -> None:
    known = {"modelops_hosts", "modelops_serial"}
    for specs in (CHECKOUT / "roles").glob("*/meta/argument_specs.yml"):
        for entry in yaml.safe_load(specs.read_text())["argument_specs"].values():
            known |= set(entry["options"])
    asked = {
        each["variable"] for template in templates(name) for each in template["survey"]["spec"]
    }
    assert asked <= known


def test_guide_makes_job_templates_of_what_the_pattern_has() -> None:
    """The task needs a job controller, so that only what it refers to is looked at."""
    (play,) = yaml.safe_load(pages.blocks("docs/awx.md", "yaml")[-1])
    (task,) = play["tasks"]
    used = set(re.findall(r"item\.(\w+)", json.dumps(task)))
    assert used == {"name", "description", "playbook", "execution_environment", "survey"}
    (place,) = re.findall(r"'(extensions/[^']+)'", play["vars"]["pattern"])
    pattern = json.loads((CHECKOUT / place).read_text())
    for template in pattern["aap_resources"]["controller_job_templates"]:
        assert used <= set(template)
