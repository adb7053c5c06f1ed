# SPDX-License-Identifier: GPL-3.0-or-later
"""epp_config without a cluster: what is given, what is refused, and what comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from module_utils.kube.manifest import Json
from module_utils.modules import epp_config

from .task import result_of

TWO_PROFILES = """
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: prefix-cache-scorer
- type: max-score-picker
- type: single-profile-handler
schedulingProfiles:
- name: default
  plugins: [{pluginRef: queue-scorer, weight: 1}, {pluginRef: max-score-picker}]
- name: long-prompts
  plugins: [{pluginRef: prefix-cache-scorer, weight: 1}, {pluginRef: max-score-picker}]
"""

OLD_AND_NEW = """
plugins:
- type: always-disagg-pd-decider
- type: disagg-profile-handler
  parameters:
    deciderPluginName: always-disagg-pd-decider
    deciders: {prefill: always-disagg-pd-decider}
schedulingProfiles:
- name: decode
"""


def run(**options: Any) -> Json:
    """Run the module as Ansible would, without a cluster."""
    return result_of(epp_config, {"state": "rendered", "target": "llmd:0.9", **options})


def test_a_preset_comes_back_as_text_as_normal_form_and_with_its_hash() -> None:
    result = run(preset="default")
    assert not result.get("failed")
    assert result["verdict"] == "accept"
    assert "pluginRef: queue-scorer" in result["text"]
    assert result["config"]["requestHandler"]["parsers"]
    assert len(result["hash"]) == 64
    assert result["flags"] == []
    assert result["stats"]["requests"] == 0


def test_text_is_kept_as_its_author_wrote_it(tmp_path: Path) -> None:
    file = tmp_path / "picker.yaml"
    file.write_text(f"# ours\n{run(preset='default')['text']}")
    result = run(src=str(file))
    assert result["text"] == file.read_text()
    assert result["hash"] == run(preset="default")["hash"]


@pytest.mark.parametrize(
    ("text", "target", "words"),
    [
        (
            TWO_PROFILES,
            "gaie:1.0",
            ["single-profile-handler", "schedulingProfiles", "default", "long-prompts"],
        ),
        (OLD_AND_NEW, "llmd:0.9", ["deciderPluginName", "deciders", "delete deciderPluginName"]),
        ("plugins: [{type: y}]", "gaie:1.5", ["plugins[0].type", "quote it"]),
    ],
)
def test_an_error_fails_the_task_and_names_place_and_way_out(
    text: str, target: str, words: list[str]
) -> None:
    result = run(config=text, target=target)
    assert result["failed"]
    assert all(word in result["msg"] for word in words), result["msg"]
    assert any(finding["severity"] == "error" for finding in result["findings"])


def test_a_migration_comes_back_with_what_was_changed() -> None:
    old = run(preset="pd", target="llmd:0.5")["text"]
    result = run(config=old, migrate_from="llmd:0.5", target="llmd:0.10")
    assert not result.get("failed"), result["msg"]
    assert "disagg-profile-handler" in result["text"]
    assert result["migration"]["changes"]
    assert result["migration"]["decisions"]


def test_warnings_of_the_configuration_are_warnings_of_the_task() -> None:
    result = run(config={"plugins": [{"type": "max-score-picker"}]})
    assert any("at random" in text for text in result["warnings"])


def test_objects_around_the_picker_are_checked() -> None:
    pool = {"spec": {}}
    parser = {"requestHandler": {"parsers": [{"pluginRef": "vllmgrpc-parser"}]}}
    result = run(preset="default", overrides=parser, pool=pool)
    assert result["failed"]
    assert "appProtocol" in result["msg"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "exactly one of config, src and preset"),
        ({"preset": "default", "config": {}}, "given is config and preset"),
        ({"preset": "turbo"}, "known are default"),
        ({"preset": "default", "target": "llmd:1.0"}, "llmd:0.10"),
        ({"preset": "default", "target": None}, "target"),
        ({"config": {}, "overrides": {"a": 1}}, "overrides belong to a preset"),
        ({"config": 5}, "a map or text, not int"),
        ({"config": "#" * 2**20}, "a ConfigMap holds less"),
        ({"src": "/nowhere/picker.yaml"}, "cannot be read"),
        ({"config": "a: [", "migrate_from": "gaie:1.0"}, "not YAML"),
        ({"config": "- a", "migrate_from": "gaie:1.0"}, "no map"),
        ({"preset": "default", "migrate_from": "llmd:0.10"}, "later releases only"),
        ({"state": "present", "preset": "default"}, "state present needs it"),
        ({"state": "absent"}, "state absent needs it"),
        ({"state": "gathered"}, "state gathered needs it"),
    ],
)
def test_options_that_cannot_be_used_are_refused_before_a_connection_is_made(
    options: Json, said: str
) -> None:
    result = run(**options)
    assert result["failed"]
    assert said in result["msg"]
    assert "Traceback" not in result["msg"]


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "picker.yaml"
    file.write_bytes(bytes(range(256)))
    assert "not YAML" in run(src=str(file))["msg"]


def test_pods_without_the_roles_that_filters_look_for_are_an_error() -> None:
    labels = {"llm-d.ai/role": "decode"}
    pod = {"kind": "Pod", "metadata": {"labels": labels}}
    result = run(preset="pd", workloads=[pod])
    assert result["failed"]
    assert "prefill-filter lets only pods with llm-d.ai/role" in result["msg"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plugins: []\n---\n: [", "only the first YAML document is read"),
        ("---\n---\nplugins: [{type: max-score-picker}]", "the whole configuration is lost"),
    ],
)
def test_what_a_loader_accepts_with_surprise_is_accepted_with_a_warning(
    text: str, said: str
) -> None:
    result = run(config=text)
    assert not result.get("failed"), result.get("msg")
    assert any(said in warning for warning in result["warnings"])


def test_flow_style_is_json_for_the_picker_unless_something_stands_before_it() -> None:
    flow = "{plugins: [{type: max-score-picker}]}"
    assert "start the document with `---` or a comment" in run(config=flow)["msg"]
    assert run(config=f"---\n{flow}")["verdict"] == "accept"


def test_a_bare_y_is_a_boolean_for_the_picker() -> None:
    result = run(config="plugins: [{type: queue-scorer, name: y}]")
    assert "plugins[0].name" in result["msg"]
    assert "quote it" in result["msg"]
    quoted = run(config={"plugins": [{"type": "queue-scorer", "name": "y"}]})
    assert quoted["verdict"] == "accept"


def test_exploding_aliases_are_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    result = run(config="\n".join(lines))
    assert "aliases of aliases make the document explode" in result["msg"]


def test_a_name_that_is_a_word_of_yaml_is_stored_quoted() -> None:
    """The picker would read a bare y as a boolean, so structure must not be written as such."""
    structure = {"plugins": [{"type": "queue-scorer", "name": "y"}]}
    result = run(config=structure)
    assert run(config=result["text"])["verdict"] == "accept", result["text"]


def test_everything_that_is_missing_is_told_at_once() -> None:
    said = run(target=None)["msg"]
    assert "target: state rendered needs it" in said
    assert "exactly one of config, src and preset is needed; given is none of them" in said


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"deployment": {"spec": []}}, "deployment.spec"),
        ({"deployment": {"spec": {"template": {"spec": {"containers": 5}}}}}, "containers"),
        ({"pool": {"spec": {"targetPorts": 8000}}}, "pool.spec.targetPorts"),
        ({"workloads": [{"kind": "Pod", "spec": "no"}]}, "workloads[0].spec"),
    ],
)
def test_a_manifest_of_another_shape_is_told_with_its_field(given: Json, path: str) -> None:
    result = run(preset="pd", **given)
    assert result["failed"]
    assert path in result["msg"]


def test_keys_of_a_map_are_read_as_those_of_its_text() -> None:
    plugin = {"type": "max-score-picker", 1: "odd"}
    by_map = run(config={"plugins": [plugin]})
    by_text = run(config="plugins: [{type: max-score-picker, 1: odd}]")
    assert by_map["msg"] == by_text["msg"]


def test_half_a_character_is_read_as_go_reads_it() -> None:
    text = '{"plugins": [{"type": "max-score-picker", "name": "\\ud800a\\ud83d\\ude00"}]}'
    assert run(config=text)["config"]["plugins"][0]["name"] == "\ufffda\U0001f600"


def test_what_no_text_can_say_is_refused() -> None:
    assert "no text can say" in run(config={"plugins": [{"type": "\ud800"}]})["msg"]


def test_a_release_that_is_none_is_told_with_its_option() -> None:
    assert "migrate_from: 'x' is not a known release" in run(preset="pd", migrate_from="x")["msg"]
    assert "target: 'x' is not a known release" in run(preset="pd", target="x")["msg"]
