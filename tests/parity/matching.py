# SPDX-License-Identifier: GPL-3.0-or-later
"""When a result is the outcome that a trouble case calls for. tests/cases/README.md describes the cases."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from module_utils.kube.manifest import Json

CASES = Path(__file__).parents[1] / "cases"
ABSENT = object()


@dataclass(slots=True)
class Seen:
    """What came of a case. manifests: what was rendered. result: what was returned."""

    failed: bool
    message: str = ""
    warnings: Sequence[str] = ()
    result: Any = None
    manifests: Sequence[Json] = field(default_factory=list)

    @classmethod
    def of(cls, result: Json) -> Seen:
        """Return what a task's result shows."""
        return cls(
            failed=bool(result.get("failed")),
            message=result.get("msg", ""),
            warnings=result.get("warnings", ()),
            result=result,
            manifests=result.get("manifests", []),
        )


def cases() -> dict[str, Json]:
    """Return what is expected of each case, by its name."""
    return {file.parent.name: load(file) for file in sorted(CASES.glob("*/expect.yaml"))}


def is_of_kind(name: str, kind: str) -> bool:
    """Tell whether a case is about a service of this kind."""
    given = CASES / name / "input.yaml"
    return given.is_file() and f"kind: {kind}\n" in given.read_text(encoding="utf-8")


def load(path: Path) -> Any:
    """Return a file's single document."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def every(path: Path) -> list[Json]:
    """Return a file's documents."""
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def faults(expected: Json, seen: Seen) -> Iterator[str]:
    """Yield what is not as expected."""
    if seen.failed != (expected["outcome"] == "error"):
        yield f"outcome: {'failed' if seen.failed else 'went well'}: {seen.message}"
    said = _said(seen)
    for wanted in expected.get("must_mention") or ():
        choices = [wanted] if isinstance(wanted, str) else wanted
        if not any(mentions(said, text) for text in choices):
            yield f"not mentioned: {wanted}"
    everything = json.dumps([seen.message, list(seen.warnings), seen.result], default=str)
    for text in expected.get("must_not_mention") or ():
        if text.lower() in everything.lower():
            yield f"mentioned: {text}"
    for check in expected.get("must_have") or ():
        if not _holds(check, seen):
            yield f"does not hold: {check}"


def _said(seen: Seen) -> str:
    services = seen.result.get("services", []) if isinstance(seen.result, dict) else []
    problems = [problem for service in services for problem in service["problems"]]
    texts = [str(value) for problem in problems for value in problem.values()]
    return "\n".join([seen.message, *seen.warnings, *texts]).lower()


def mentions(said: str, text: str) -> bool:
    """Tell whether a text stands there; a number has to stand alone."""
    if text.isdigit():
        return re.search(rf"(?<![\w.]){text}(?!\w|\.\d)", said) is not None
    return text.lower() in said


def _holds(check: Json, seen: Seen) -> bool:
    if "no_text" in check:
        everything = json.dumps([seen.message, seen.result, list(seen.manifests)], default=str)
        return check["no_text"] not in everything
    if check.get("in") == "result":
        value = at(seen.result, check["path"])
    else:
        objects = [each for each in seen.manifests if _is(each, check)]
        if check.get("no_object"):
            return not objects
        value = at(objects[0], check.get("path") or []) if objects else ABSENT
        if not objects and "present" not in check:
            return False
    operation = next(name for name in OPERATIONS if name in check)
    return OPERATIONS[operation](value, check[operation])


def _is(manifest: Json, check: Json) -> bool:
    meta = manifest["metadata"]
    return manifest["kind"] == check["kind"] and all(
        check.get(key) in (None, meta.get(key)) for key in ("name", "namespace")
    )


def at(value: Any, path: Sequence[Any]) -> Any:
    """Follow a path: a text is a key, a number an index, a map the list item that has these fields."""
    for step in path:
        if isinstance(step, dict):
            items = value if isinstance(value, list) else []
            value = next((item for item in items if step.items() <= item.items()), ABSENT)
        elif isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else ABSENT
        else:
            value = value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
        if value is ABSENT:
            return ABSENT
    return value


def _same(found: Any, wanted: Any) -> bool:
    plain = (str, int, float)
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, plain) and isinstance(wanted, plain):
        return str(found) == str(wanted)
    return bool(found == wanted)


def _contains(found: Any, wanted: Any) -> bool:
    if found is ABSENT:
        return False
    if isinstance(wanted, dict):
        return all(_same(found.get(key, ABSENT), value) for key, value in wanted.items())
    return wanted in found


def _in_a_row(found: Any, wanted: list[Any]) -> bool:
    return found is not ABSENT and any(
        found[start : start + len(wanted)] == wanted for start in range(len(found))
    )


OPERATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda found, wanted: found is not ABSENT and _same(found, wanted),
    "contains_seq": _in_a_row,
    "value_in": lambda found, wanted: found is not ABSENT and wanted in found.values(),
    "contains": _contains,
    "present": lambda found, _wanted: found is not ABSENT and found is not None,
    "absent": lambda found, _wanted: found is ABSENT or found is None,
    "absent_or": lambda found, wanted: found in (ABSENT, None) or _same(found, wanted),
    "count": lambda found, wanted: found is not ABSENT and len(found) == wanted,
    "max": lambda found, wanted: found is not ABSENT and float(found) <= wanted,
    "matches": lambda found, wanted: re.fullmatch(wanted.strip("^$"), str(found)) is not None,
}
