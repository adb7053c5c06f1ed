# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What docs/public_surface.yml promises is there, and what takes a promise away is seen."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.tools.public_surface import HEAD, SURFACE, gone, recorded, surface, text

BEFORE: dict[str, Any] = {
    "modules": {
        "a": {
            "options": {
                "state": {"type": "str", "default": "present", "choices": ["present", "absent"]}
            },
            "returns": {"changed": {"type": "bool"}},
        }
    },
    "playbooks": {"p": {"variables": ["one", "two"]}},
}


def test_nothing_that_was_promised_is_gone() -> None:
    """A major release may take something away: `python -m tests.tools.public_surface --remove`."""
    assert gone(recorded(), surface()) == []


def test_file_is_as_the_tool_writes_it() -> None:
    assert SURFACE.read_text("utf-8") == text(recorded())
    assert text({}).startswith(HEAD)


def test_surface_has_every_kind_of_thing() -> None:
    found = surface()
    assert {"llmisvc_reconcile", "applyset"} <= found["modules"].keys()
    options = found["modules"]["llmisvc_reconcile"]["options"]
    assert options["state"]["choices"]
    # From a fragment.
    assert options["kubeconfig"]["type"] == "raw"
    assert found["modules"]["llmisvc_reconcile"]["returns"]["services"]["contains"]
    assert found["roles"]["model_services"]["main"]["model_services_src"]["type"] == "list"
    assert "modelops_hosts" in found["playbooks"]["reconcile"]["variables"]
    assert found["event_sources"]["services"]["options"]["fleet"]
    assert found["filters"]["to_v1alpha2"]["returns"]


def state(after: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = after["modules"]["a"]["options"]["state"]
    return found


def taken_away(what: str) -> dict[str, Any]:
    after = copy.deepcopy(BEFORE)
    match what:
        case "modules.a":
            del after["modules"]["a"]
        case "modules.a.options.state.type":
            state(after)["type"] = "raw"
        case "modules.a.options.state.default":
            state(after)["default"] = "absent"
        case "modules.a.options.state.choices: absent":
            state(after)["choices"].remove("absent")
        case "modules.a.returns.changed":
            del after["modules"]["a"]["returns"]["changed"]
        case "playbooks.p.variables: two":
            after["playbooks"]["p"]["variables"].remove("two")
    return after


@pytest.mark.parametrize(
    "what",
    [
        "modules.a",
        "modules.a.options.state.type",
        "modules.a.options.state.default",
        "modules.a.options.state.choices: absent",
        "modules.a.returns.changed",
        "playbooks.p.variables: two",
    ],
)
def test_what_is_taken_away_is_named(what: str) -> None:
    assert gone(BEFORE, taken_away(what)) == [what]


def test_what_is_new_takes_nothing_away() -> None:
    after = copy.deepcopy(BEFORE)
    state(after)["choices"].append("rendered")
    after["modules"]["a"]["options"]["wait"] = {"type": "bool"}
    after["modules"]["b"] = {"options": {}}
    after["playbooks"]["p"]["variables"].append("three")
    assert gone(BEFORE, after) == []
