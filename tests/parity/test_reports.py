# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of users, one row each: what they wrote, and what a task has to tell them, or must not.

A row of `reports/*.yaml` changes one of `BASES` by a JSON merge patch (`with`), and says:
`outcome` (`ok` where it is not said), `says` (texts of the message; a list inside is one of these), `quiet` (texts that must not be told),
`silent: true` (nothing is warned about at all). A number has to stand alone. Without `base` a row has the options of a plugin alone.
`own_presets`: the service takes those of the collection.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from .matching import Seen, faults
from .test_trouble_cases import ENTRIES, PRESETS, RUNTIMES, call

Json = dict[str, Any]
REPORTS = Path(__file__).parent / "reports"
BASES: Json = yaml.safe_load((REPORTS / "bases.yaml").read_text())


def _rows() -> dict[str, Json]:
    found: dict[str, Json] = {}
    for path in sorted(REPORTS.glob("*.yaml")):
        if path.stem != "bases":
            for row in yaml.safe_load(path.read_text()):
                assert row["name"] not in found
                found[row["name"]] = row
    return found


ROWS = _rows()
#: What is told of a service that is as it should be: how it is called.
NOTES = (
    "requests need the header",
    "is not among the given objects: KServe's defaults apply",
    "no VirtualService is created: Knative has reported no host name",
    "is fetched over plain HTTP as the operator does",
)


def merged(base: Any, patch: Any) -> Any:
    """Return a base changed by a JSON merge patch."""
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return deepcopy(patch)
    result = deepcopy(base)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def run(row: Json) -> Seen:
    plugin = row.get("plugin", "llmisvc_reconcile")
    arguments: Json = {"state": "rendered", **row.get("args", {})}
    if row.get("own_presets"):
        arguments["settings"] = {"config_prefix": "modelops-"}
    if plugin == "epp_config":
        arguments["config"] = row["config"]
    elif "base" in row:
        arguments.update(_services(row))
        if plugin == "gpu_resources":
            arguments["state"] = "gathered"
    return Seen.of(call(ENTRIES[plugin], REPORTS, arguments))


def _services(row: Json) -> Json:
    given = [merged(BASES[row["base"]], row.get("with", {})), *row.get("also", [])]
    cluster = row.get("cluster", [])
    names = {(each.get("kind"), each.get("metadata", {}).get("name")) for each in cluster}
    kinds = {each.get("kind") for each in given}
    shipped: list[Json] = []
    if "LLMInferenceService" in kinds and not row.get("own_presets"):
        shipped += [
            each for each in PRESETS if (each["kind"], each["metadata"]["name"]) not in names
        ]
    if "InferenceService" in kinds and not row.get("no_runtimes"):
        shipped += RUNTIMES
    return {"services": given, "cluster_objects": [*shipped, *cluster]}


def verdict(row: Json) -> list[str]:
    seen = run(row)
    expected = {
        "outcome": row.get("outcome", "ok"),
        "must_mention": row.get("says", []),
        "must_have": [],
    }
    found = list(faults(expected, seen))
    told = "\n".join([seen.message, *seen.warnings])
    found += [f"told: {text}" for text in row.get("quiet", []) if text in told]
    if row.get("silent"):
        found += [
            f"warned: {line}" for line in seen.warnings if not any(note in line for note in NOTES)
        ]
    return found


@pytest.mark.parametrize("name", sorted(ROWS))
def test_user_is_told(name: str) -> None:
    assert verdict(ROWS[name]) == []
