# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that come to nothing, found by trying: the service is compiled without each, and with other values in its place.

A line has an effect where that changes a child, the status or the address, or where it is refused; a line that repeats a default has one,
since another value would change something. Most lines are seen to have one at once: each gets a value that nothing else has, and
where that value turns up in a child the line is none of those that have to be tried by themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..kinds.check import WARNING, Check, check
from ..kinds.idle import reason_for
from ..kinds.metadata_names import family_of, is_read_on, known, meant
from ..kinds.view import templates_of
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import NotAllowed
from ..kube.schema import Text
from ..kube.schema_check import related
from ..kube.schema_faults import show
from .authored import Leaf, Steps, changed, leaves, mark, other_values, without
from .trials import Outcome, Trials

NO_EFFECT = Check(
    "no-effect",
    WARNING,
    finds="{value} has no effect: {why}",
    fix="{way}",
)
#: Fewer lines are tried one by one.
_FEW = 2
#: Numbers by which lines are known again.
_FIRST = 20000
_NUMBER = re.compile(r"2[0-9]{4}")


@check(NO_EFFECT, tries=True)
def no_effect(trials: Trials) -> Iterator[Problem]:
    """Yield lines that change nothing, whatever they say. Where all lines below a field are such, the field is named once."""
    if trials.before.intent is None or trials.before.intent.nothing:
        return
    written = list(leaves(trials.document, trials.schema))
    found = [leaf for leaf in written if _may_be_idle(leaf, trials)]
    moving = _carried(found, trials)
    idle = [leaf for leaf in found if leaf.steps not in moving and not _has_effect(leaf, trials)]
    told = {*trials.told, *(problem.path for problem in trials.before.problems)}
    idle = [leaf for leaf in idle if not related(leaf.path, told)]
    for path, value in _summed_up(idle, written, trials):
        yield _problem(path, value, trials)


def _may_be_idle(leaf: Leaf, trials: Trials) -> bool:
    """Tell whether a leaf is looked at: of labels and annotations those whose reader is known."""
    if leaf.name and family_of(leaf.name) is None:
        return False
    return not re.fullmatch(trials.kind.unseen, leaf.path)


def _carried(found: Sequence[Leaf], trials: Trials) -> set[Steps]:
    """Return the leaves whose values stand in what is made."""
    numbers: dict[Any, int] = {}
    marks: dict[Leaf, tuple[str, Any]] = {}
    for leaf in found:
        number = _FIRST + numbers.setdefault(_same_thing(leaf), len(numbers))
        value = mark(leaf, number)
        if value is not None:
            marks[leaf] = (str(number), value)
    seen: set[Steps] = set()
    _try_marks(marks, trials, seen)
    return seen


def _same_thing(leaf: Leaf) -> Any:
    """Return what leaves that have to stay equal have in common: names and amounts; others are by themselves."""
    last = leaf.steps[-1]
    if isinstance(leaf.value, str) and (last == "name" or not isinstance(leaf.schema, Text)):
        return last, leaf.value
    return leaf.steps


def _try_marks(marks: Mapping[Leaf, tuple[str, Any]], trials: Trials, seen: set[Steps]) -> None:
    """Add the leaves whose marks turn up. Where a service with all of them cannot be, those that it complains of are left out."""
    values = {leaf.steps: value for leaf, (dummy, value) in marks.items()}
    outcome = trials.outcome(changed(trials.document, values))
    if outcome.intent is not None:
        there = set(_NUMBER.findall(json.dumps(outcome.children, default=str)))
        seen |= {leaf.steps for leaf, (number, dummy) in marks.items() if number in there}
        return
    paths = [problem.path for problem in outcome.problems]
    rest = {leaf: each for leaf, each in marks.items() if not related(leaf.path, paths)}
    parts = [rest] if len(rest) < len(marks) else _halves(marks)
    for part in parts:
        if len(part) >= _FEW:
            _try_marks(part, trials, seen)


def _halves(marks: Mapping[Leaf, tuple[str, Any]]) -> Sequence[Mapping[Leaf, tuple[str, Any]]]:
    items = list(marks.items())
    middle = len(items) // 2
    return dict(items[:middle]), dict(items[middle:])


def _has_effect(leaf: Leaf, trials: Trials) -> bool:
    """Tell whether a leaf changes something; in doubt, and where something may not be read, that it does."""
    try:
        return _changes_something(leaf, trials)
    except NotAllowed:
        return True


def _changes_something(leaf: Leaf, trials: Trials) -> bool:
    name = known(leaf.name)
    legal = 0
    for other in other_values(leaf, name.values if name else ()):
        outcome = trials.outcome(changed(trials.document, {leaf.steps: other}))
        if not outcome.legal:
            continue
        legal += 1
        if _differs(leaf, outcome, trials):
            return True
    if not legal:
        return True
    gone = trials.outcome_looked_up(without(trials.document, leaf.steps))
    if gone.legal:
        return _differs(leaf, gone, trials)
    # It has to be there. Of a number other values say enough; of a text there may be one that nobody thought of.
    return isinstance(leaf.value, str) and _holder_has_effect(leaf, trials)


def _holder_has_effect(leaf: Leaf, trials: Trials) -> bool:
    """Tell whether the smallest part that may be left out together with a leaf changes something."""
    for length in range(len(leaf.steps) - 1, 1, -1):
        gone = trials.outcome_looked_up(without(trials.document, leaf.steps[:length]))
        if gone.legal:
            return _differs(leaf, gone, trials)
    return True


def _differs(leaf: Leaf, outcome: Outcome, trials: Trials) -> bool:
    if outcome.intent is None:
        return True
    if _compared(leaf, outcome.children) != _compared(leaf, trials.before.children):
        return True
    return trials.said_before != trials.said(outcome)


def _compared(leaf: Leaf, children: Sequence[Json]) -> Sequence[Json]:
    """Return children as they are compared: without copies of a label or annotation that nobody reads there."""
    if not leaf.name:
        return children
    label = leaf.is_label
    return [
        child if is_read_on(leaf.name, child, label=label) else _without_copies(child, leaf)
        for child in children
    ]


def _without_copies(child: Json, leaf: Leaf) -> Json:
    """Return a child without a label or annotation of its own and of its pods."""
    part = str(leaf.steps[-2])
    copy = changed(child, {("metadata",): _less(child.get("metadata") or {}, part, leaf.name)})
    for path, template in templates_of(child):
        if path:
            metadata = _less(template.get("metadata") or {}, part, leaf.name)
            copy = changed(copy, {(*path.split("."), "metadata"): metadata})
    return copy


def _less(metadata: Json, part: str, name: str) -> Json:
    texts = {key: value for key, value in (metadata.get(part) or {}).items() if key != name}
    rest = {key: value for key, value in metadata.items() if key != part}
    return {**rest, part: texts} if texts else rest


def _summed_up(
    idle: Sequence[Leaf], written: Sequence[Leaf], trials: Trials
) -> Iterator[tuple[str, Any]]:
    """Yield each field that comes to nothing with its value: the highest one of which all leaves do, unless it holds only one."""
    document = trials.document
    silent = {leaf.steps for leaf in idle}
    working = [leaf.steps for leaf in written if leaf.steps not in silent]
    told: set[Steps] = set()
    for leaf in idle:
        top = leaf.steps
        for length in range(len(leaf.steps) - 1, 2 if leaf.name else 1, -1):
            above = leaf.steps[:length]
            if leaf.name or any(steps[:length] == above for steps in working):
                break
            if _says_several(_value(document, above)):
                gone = trials.outcome(without(document, above))
                if not gone.legal:
                    continue
                if _differs(Leaf(above, "", None), gone, trials):
                    break
                top = above
        if top not in told:
            told.add(top)
            yield _path(leaf, top), _value(document, top)


def _says_several(value: Any) -> bool:
    """Tell whether a value holds more than one leaf."""
    while isinstance(value, Mapping | list) and len(value) == 1:
        (value,) = value.values() if isinstance(value, Mapping) else value
    return isinstance(value, Mapping | list)


def _path(leaf: Leaf, top: Steps) -> str:
    """Return how messages write the steps to what holds a leaf."""
    path = leaf.path
    for step in reversed(leaf.steps[len(top) :]):
        path = path.removesuffix(f"[{step}]" if isinstance(step, int) else f".{step}")
        path = path.removesuffix(f'["{step}"]')
    return path


def _value(document: Json, steps: Steps) -> Any:
    value: Any = document
    for step in steps:
        value = value[step]
    return value


def _problem(path: str, value: Any, trials: Trials) -> Problem:
    intent = trials.before.intent
    basis = intent.basis if intent else None
    row = reason_for(path, trials.kind.idle, basis)
    release = trials.settings.release
    product = f"{release.product} {release}"
    if row is not None:
        why, way = row.why, row.fix
    elif path.startswith("metadata.") or ".annotations" in path or ".labels" in path:
        why, way = _of_metadata(path, trials)
    else:
        why = "{release} makes the same of the service without it, with these settings and what is in the cluster"
        way = "leave it out, or look for the field that is meant"
    return NO_EFFECT.at(
        path, value=show(value), why=why.format(release=product), way=way.format(release=product)
    )


def _of_metadata(path: str, trials: Trials) -> tuple[str, str]:
    """Return why a label or annotation comes to nothing, and what to do."""
    name = re.split(r'\["|(?<=annotations)\.|(?<=labels)\.', path, maxsplit=1)[1].rstrip('"]')
    own, family = known(name), family_of(name)
    who = family.who if family else ""
    part = "labels" if "labels" in path else "annotations"
    spec = trials.document.get("spec") or {}
    if path.startswith("metadata.") and name in (spec.get(part) or {}):
        return f"spec.{part} says it, too, and that one is taken", "keep one of them"
    near = meant(name)
    later = known(near) or own
    if own is not None and own.since > _kserve_release(trials, own.since):
        return f"KServe reads it from {own.since} on, and not in {{release}}", "leave it out"
    if own is None and near and later:
        since = f", which KServe reads from {later.since} on" if later.since else ""
        return f"{who} knows no {name}", f'did you mean "{near}"{since}?'
    if own is not None and own.label and part == "annotations":
        return f"{who} reads it as a label", "write it under labels"
    if family is not None and family.objects:
        what = f"{who} reads it on its own objects, and this service has none of them"
        return what, "leave it out, or say it with fields of the service"
    if family is not None and family.copies:
        what = f"{who} reads it on pods, and this place does not travel to the pods"
        return what, trials.kind.pod_metadata[part]
    if own is None and family is not None and family.names:
        return f"{who} knows no {name}", f"known are {', '.join(sorted(family.names))}"
    return f"nothing reads it on this {trials.kind.kind}", "leave it out"


def _kserve_release(trials: Trials, since: Any) -> Any:
    """Return the release of KServe, or that in which something came where the service is none of KServe's."""
    release = trials.settings.release
    return release if isinstance(release, type(since)) else since
