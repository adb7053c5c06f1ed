# SPDX-License-Identifier: GPL-3.0-or-later
"""What went wrong in a case, told so that it can be understood and done again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .judge import seen
from .rounds import Case


def mistakes(cases: Iterable[Case]) -> list[Case]:
    """Return the cases that were decided wrongly."""
    return [case for case in cases if case.judged.verdict in ("unsound", "needless")]


def text_of(case: Case) -> str:
    """Return a line on what was tried, and one for each field that the server would have changed."""
    after = case.judged.after
    place = f"{case.subject}, {case.deed}, {case.intent}; seed {case.seed} case {case.number}"
    lines = [f"{case.judged.verdict}: {place}: {case.judged.reason or 'proved'}"]
    if not isinstance(after, str):
        lines += [f"  {line}" for line in _differences(seen(case.live), seen(after), "")]
    return "\n".join(lines)


def _differences(one: Any, other: Any, path: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            yield from _differences(one.get(name), other.get(name), f"{path}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differences(left, right, f"{path}[{place}]")
    elif one != other:
        yield f"{path}: {one!r} would be {other!r}"
