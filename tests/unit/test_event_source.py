# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said about the event source is what its entry takes, and the example rulebook uses both."""

from __future__ import annotations

import json
from configparser import ConfigParser

import yaml

from module_utils.events import follower
from module_utils.kube.manifest import Json
from tests.tools import pages
from tests.tools.tree import CHECKOUT

EDA = CHECKOUT / "extensions" / "eda"
SCHEMA: Json = json.loads((EDA / "plugins/event_source/schemas/services.json").read_text())
#: How JSON schemas call the types of options; `raw` is a path here, since a rulebook is text.
TYPES = {
    "str": "string",
    "path": "string",
    "raw": "string",
    "bool": "boolean",
    "float": "number",
    "list": "array",
    "dict": "object",
}


def test_schema_has_every_option_with_its_type() -> None:
    options = follower.ARGUMENT_SPEC
    assert {name: TYPES[option["type"]] for name, option in options.items()} == {
        name: each["type"] for name, each in SCHEMA["properties"].items()
    }
    assert not SCHEMA["additionalProperties"]


def test_secrets_are_secret_in_the_schema() -> None:
    secret = {
        name
        for name, option in follower.ARGUMENT_SPEC.items()
        if option.get("no_log") and option["type"] == "str"
    }
    shown = {
        name for name, each in SCHEMA["properties"].items() if each.get("format") == "password"
    }
    assert secret == shown


def test_rulebook_reconciles_by_a_playbook_that_is_there() -> None:
    (ruleset,) = yaml.safe_load((EDA / "rulebooks" / "reconcile.yml").read_text())
    (source,) = ruleset["sources"]
    assert set(source["modelops.inference.services"]) <= set(SCHEMA["properties"])
    called = [
        rule["action"]["run_playbook"]["name"]
        for rule in ruleset["rules"]
        if "run_playbook" in rule["action"]
    ]
    assert called
    for name in called:
        assert (CHECKOUT / "playbooks" / f"{name.rpartition('.')[2]}.yml").is_file()


def test_place_of_the_source_is_declared() -> None:
    (declared,) = yaml.safe_load((CHECKOUT / "meta" / "extensions.yml").read_text())["extensions"]
    assert (CHECKOUT / "extensions" / declared["args"]["ext_dir"] / "services.py").is_file()


def test_units_for_systemd_start_a_playbook_that_is_there() -> None:
    service, timer = (unit(text) for text in pages.blocks("docs/events.md", "ini"))
    program, playbook, *dummy = service["Service"]["ExecStart"].split()
    assert program.endswith("/ansible-playbook")
    assert (CHECKOUT / "playbooks" / f"{playbook.rpartition('.')[2]}.yml").is_file()
    # The second starts it for the first time, the first again and again.
    assert set(timer["Timer"]) == {"OnUnitInactiveSec", "OnBootSec"}
    assert timer["Install"]["WantedBy"] == "timers.target"


def unit(text: str) -> ConfigParser:
    """Read a unit; its options keep their capitals."""
    found = ConfigParser()
    found.optionxform = str
    found.read_string(text)
    return found
