# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What users may rely on, as a file: `python -m tests.tools.public_surface` adds to it what is new.

Modules with options and returned keys, filters, tests, lookups, entries of roles with their variables, playbooks with theirs, the event
source. `--remove` also takes out what is gone, which only a major release may do (docs/support_policy.md). `--check` writes nothing and fails
where the file does not have everything; a release is held against it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from .tree import CHECKOUT

Json = dict[str, Any]
SURFACE = CHECKOUT / "docs" / "public_surface.yml"
HEAD = """---
# What users may rely on: names, types, defaults and choices. Made by `python -m tests.tools.public_surface`.
# docs/support_policy.md says how it may change.
"""
#: What of an option a playbook depends on.
KEPT = ("type", "elements", "default", "required", "choices")
PLUGINS = CHECKOUT / "plugins"
_BLOCK = r'^{name} = r?"""\n(.*?)^"""'
#: A variable in the comment at the head of a playbook, or the prefix of those of a role.
_VARIABLE = re.compile(r"\b((?:modelops|capacity|chart|report)_[a-z_]+)\b")


def surface() -> Json:
    """Return the surface as the code has it."""
    return {
        "modules": {path.stem: _module(path) for path in _files("plugins/modules/*.py")},
        "filters": _sidecars("filter"),
        "tests": _sidecars("test"),
        "lookups": {path.stem: _plugin(path) for path in _files("plugins/lookup/*.py")},
        "event_sources": {
            path.stem: _plugin(path) for path in _files("extensions/eda/plugins/event_source/*.py")
        },
        "roles": {
            path.parents[1].name: _role(path) for path in _files("roles/*/meta/argument_specs.yml")
        },
        "playbooks": {path.stem: _playbook(path) for path in _files("playbooks/*.yml")},
    }


def recorded() -> Json:
    """Return the surface as the file has it."""
    found: Json = yaml.safe_load(SURFACE.read_text("utf-8")) if SURFACE.exists() else {}
    return found


def gone(before: Any, now: Any, path: str = "") -> list[str]:
    """Return what the file promises and the code no longer has, or has otherwise, each by its path."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        return [
            each
            for name, value in before.items()
            for each in (
                gone(value, now[name], f"{path}.{name}".lstrip("."))
                if name in now
                else [f"{path}.{name}".lstrip(".")]
            )
        ]
    if isinstance(before, list) and isinstance(now, list):
        return [f"{path}: {each}" for each in before if each not in now]
    return [] if before == now else [path]


def _files(pattern: str) -> list[Path]:
    return [path for path in sorted(CHECKOUT.glob(pattern)) if not path.name.startswith("_")]


def _block(path: Path, name: str) -> Json:
    match = re.search(_BLOCK.format(name=name), path.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    found: Json = (yaml.safe_load(match.group(1)) or {}) if match else {}
    return found


def _options(options: Any) -> Json:
    found = {}
    for name, option in sorted((options or {}).items()):
        found[name] = {key: option[key] for key in KEPT if key in option}
        if below := _options(option.get("options") or option.get("suboptions")):
            found[name]["options"] = below
    return found


def _returns(returned: Any) -> Json:
    return {
        name: {"type": value.get("type")}
        | ({"contains": below} if (below := _returns(value.get("contains"))) else {})
        for name, value in sorted((returned or {}).items())
    }


def _module(path: Path) -> Json:
    documentation = _block(path, "DOCUMENTATION")
    options = dict(documentation.get("options") or {})
    for fragment in documentation.get("extends_documentation_fragment") or ():
        options |= _fragment(fragment)
    return {"options": _options(options), "returns": _returns(_block(path, "RETURN"))}


def _fragment(name: str) -> Json:
    """Return the options of a documentation fragment of the collection."""
    plain, dummy, part = name.removeprefix("modelops.inference.").partition(".")
    path = PLUGINS / "doc_fragments" / f"{plain}.py"
    text = path.read_text("utf-8")
    match = re.search(
        rf"^    {(part or 'documentation').upper()} = r?\"\"\"\n(.*?)^\"\"\"",
        text,
        re.DOTALL | re.MULTILINE,
    )
    found: Json = (yaml.safe_load(match.group(1)) or {}).get("options", {}) if match else {}
    return found


def _plugin(path: Path) -> Json:
    return {"options": _options(_block(path, "DOCUMENTATION").get("options"))}


def _sidecars(kind: str) -> Json:
    found = {}
    for path in _files(f"plugins/{kind}/*.yml"):
        text = yaml.safe_load(path.read_text("utf-8"))
        found[path.stem] = {
            "options": _options(text["DOCUMENTATION"].get("options")),
            "returns": _returns(text.get("RETURN")),
        }
    return found


def _role(path: Path) -> Json:
    entries = yaml.safe_load(path.read_text("utf-8"))["argument_specs"]
    return {name: _options(entry.get("options")) for name, entry in sorted(entries.items())}


def _playbook(path: Path) -> Json:
    """Return the variables that the head of a playbook names."""
    head = path.read_text("utf-8").partition("\n- ")[0]
    dummy, dummy, told = head.partition("# Variables:")
    return {"variables": sorted(set(_VARIABLE.findall(told)))}


class _Plain(yaml.SafeDumper):
    """Writes equal values out each time, without anchors, and lists deeper than their names, as yamllint wants it."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML gives it
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002 - PyYAML gives it
        super().increase_indent(flow, False)


def text(found: Json) -> str:
    """Return the file."""
    return HEAD + yaml.dump(found, Dumper=_Plain, sort_keys=True, width=140)


def main() -> int:
    """Write the file and return the exit code: 1 where something is gone and `--remove` is not given."""
    now = surface()
    if "--check" in sys.argv[1:]:
        differing = sorted({*gone(recorded(), now), *gone(now, recorded())})
        print("\n".join([f"public surface: {len(differing)} differences", *differing]))
        return int(bool(differing))
    lost = gone(recorded(), now)
    if lost and "--remove" not in sys.argv[1:]:
        print("public surface: this is gone or has changed, and only a major release may do that:")
        print("\n".join(f"  {each}" for each in lost))
        return 1
    SURFACE.write_text(text(now), encoding="utf-8")
    print(f"public surface: {SURFACE.relative_to(CHECKOUT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
