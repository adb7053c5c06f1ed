# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of users, one row each: what they wrote, and what a task has to tell them, or must not.

A row of `reports/*.yaml` changes one of `BASES` by a JSON merge patch (`with`), and says:
`outcome` (`ok` where it is not said), `says` (texts of the message; a list inside is one of these), `quiet` (texts that must not be told),
`silent: true` (nothing is warned about at all). A number has to stand alone. Without `base` a row has the options of a plugin alone.
`own_presets`: the service takes those of the collection. `have`: checks of what is rendered, as in tests/cases. `nothing`: texts that appear nowhere.
`shipped`: KServe's own configuration, with these values of its blocks. `text`: the service stands in a file with this text.
`filter`: the filter is applied to each item of `over`; each result matches `each` as a whole.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.modelops.inference.plugins.filter import (
    accelerators,
    charts,
    labels,
    names,
    quantities,
    rights,
    versions,
)

from .matching import Seen, faults
from .recorded_inference_services import RECORDINGS
from .recorded_llm_services import read_all
from .test_trouble_cases import ENTRIES, PRESETS, RUNTIMES, call

Json = dict[str, Any]
FILTERS: Json = {
    name: function
    for family in (accelerators, charts, labels, names, quantities, rights, versions)
    for name, function in family.FilterModule().filters().items()
}
REPORTS = Path(__file__).parent / "reports"
CONFIG: Json = next(iter(read_all(RECORDINGS / "context" / "config-standard-gateway.yaml")))
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


def run(row: Json, folder: Path) -> Seen:
    if "filter" in row:
        return _filtered(row)
    plugin = row.get("plugin", "llmisvc_reconcile")
    arguments: Json = {"state": "rendered", **row.get("args", {})}
    if "text" in row:
        (folder / "one.yaml").write_text(row["text"], encoding="utf-8")
        arguments["src"] = ["one.yaml"]
    if row.get("own_presets"):
        arguments["settings"] = {"config_prefix": "modelops-"}
    if plugin == "epp_config":
        arguments["config"] = row["config"]
    elif plugin == "applyset" and "base" in row:
        objects = [merged(BASES[row["base"]], row.get("with", {})), *row.get("also", [])]
        arguments.update({"name": "kserve", "definition": objects, **row.get("args", {})})
    elif "base" in row:
        arguments.update(_services(row))
        if plugin == "gpu_resources":
            arguments["state"] = "gathered"
    return Seen.of(call(ENTRIES[plugin], folder, arguments))


def _filtered(row: Json) -> Seen:
    apply = FILTERS[row["filter"]]
    try:
        found = [apply(item, *row.get("args", [])) for item in row["over"]]
    except AnsibleFilterError as error:
        return Seen(True, str(error))
    return Seen(False, result=found)


def _services(row: Json) -> Json:
    given = [merged(BASES[row["base"]], row.get("with", {})), *row.get("also", [])]
    cluster = [*row.get("cluster", []), *_config(row.get("shipped"))]
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


def _config(changes: Json | None) -> list[Json]:
    """Return KServe's ConfigMap with other values of some blocks."""
    if changes is None:
        return []
    data = dict(CONFIG["data"])
    for block, fields in changes.items():
        data[block] = json.dumps({**json.loads(data[block]), **fields})
    return [{**CONFIG, "data": data}]


def verdict(row: Json, folder: Path = REPORTS) -> list[str]:
    seen = run(row, folder)
    expected = {
        "outcome": row.get("outcome", "ok"),
        "must_mention": row.get("says", []),
        "must_not_mention": row.get("nothing", []),
        "must_have": row.get("have", []),
    }
    found = list(faults(expected, seen))
    if "each" in row:
        found += [each for each in seen.result if re.fullmatch(row["each"], each) is None]
    if row.get("distinct"):
        found += ["the same"] * (len(set(seen.result)) < len(row["over"]))
    told = "\n".join([seen.message, *seen.warnings])
    found += [f"told: {text}" for text in row.get("quiet", []) if text in told]
    if row.get("silent"):
        found += [
            f"warned: {line}" for line in seen.warnings if not any(note in line for note in NOTES)
        ]
    return found


@pytest.mark.parametrize("name", sorted(ROWS))
def test_user_is_told(name: str, tmp_path: Path) -> None:
    assert verdict(ROWS[name], tmp_path) == []
