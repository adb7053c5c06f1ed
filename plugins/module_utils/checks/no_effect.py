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
from ..kinds.idle import Idle, reason_for
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
#: One of the parts of metadata, in words.
_ONE = {"labels": "a label", "annotations": "an annotation"}
#: Fewer lines are tried one by one.
_FEW = 2
#: Numbers by which lines are known again.
_FIRST = 20000
_NUMBER = re.compile(r"2[0-9]{4}")


@check(NO_EFFECT, tries=True)
def no_effect(trials: Trials) -> Iterator[Problem]:
    """Yield lines that have no effect, whatever their value. Where all lines below a field are such, the field is named once."""
    if trials.before.intent is None or trials.before.intent.nothing:
        return
    written = list(leaves(trials.document, trials.schema))
    found = [leaf for leaf in written if _may_be_idle(leaf, trials)]
    moving = _carried(found, trials)
    idle = [leaf for leaf in found if leaf.steps not in moving and not _has_effect(leaf, trials)]
    told = {*trials.told, *(problem.path for problem in trials.before.problems)}
    idle = [leaf for leaf in idle if not related(leaf.path, told)]
    for path, value in _summed_up(idle, written, trials):
        row = reason_for(path, trials.kind.idle, trials.before.intent.basis)
        if row is None or row.fault:
            yield _problem(path, value, row, trials)


def _may_be_idle(leaf: Leaf, trials: Trials) -> bool:
    """Tell whether a leaf is looked at: of labels and annotations those whose reader is known, but for one that names a Secret."""
    if leaf.name and family_of(leaf.name) is None:
        return False
    if leaf.steps == ("metadata", "annotations", trials.view.secret_annotation):
        # The Secret may come later.
        return False
    return not re.fullmatch(trials.kind.unseen, leaf.path)


def _carried(found: Sequence[Leaf], trials: Trials) -> set[Steps]:
    """Return the leaves whose values are in what is made."""
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
    if name is not None and name.values and leaf.value not in name.values:
        # A word that its reader does not know: what is left of it is what changes without it, copies aside.
        gone = trials.outcome_looked_up(without(trials.document, leaf.steps))
        return not gone.legal or _differs(leaf, gone, trials, copies=False)
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


def _differs(leaf: Leaf, outcome: Outcome, trials: Trials, *, copies: bool = True) -> bool:
    if outcome.intent is None:
        return True
    before, after = trials.before.children, outcome.children
    if _compared(leaf, after, copies=copies) != _compared(leaf, before, copies=copies):
        return True
    return trials.said_before != trials.said(outcome)


def _compared(leaf: Leaf, children: Sequence[Json], *, copies: bool) -> Sequence[Json]:
    """Return children as they are compared: without copies of a label or annotation, those that somebody reads apart if `copies`."""
    if not leaf.name:
        return children
    label = leaf.is_label
    return [
        child
        if copies and is_read_on(leaf.name, child, label=label)
        else _without_copies(child, leaf)
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


def _problem(path: str, value: Any, row: Idle | None, trials: Trials) -> Problem:
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
        return f"spec.{part} sets it, too, and overrides this", "keep one of them"
    near = meant(name)
    later = known(near) or own
    if own is not None and own.since > _kserve_release(trials, own.since):
        return f"KServe reads it from {own.since} on, and not in {{release}}", "leave it out"
    if own is None and near and later:
        since = f", which KServe reads from {later.since} on" if later.since else ""
        return f"{who} knows no {name}", f'did you mean "{near}"{since}?'
    other = "annotations" if part == "labels" else "labels"
    as_other = f"{who} reads it as {_ONE[other]}", f"write it under {other}"
    if own is not None and _works_as(other, part, name, trials):
        return as_other
    if own is not None and own.label and part == "annotations":
        return as_other
    if own is not None and _other_word_works(path, part, name, trials):
        return f"{who} knows {' and '.join(own.values)} there", "write one of these"
    if family is not None and family.objects:
        what = f"{who} reads it on its own objects, and this service has none of them"
        own_name = (
            f"write {family.instead}" if family.instead else "say it with fields of the service"
        )
        return what, f"leave it out, or {own_name}"
    if family is not None and family.copies:
        what = f"{who} reads it on pods, and this place does not travel to the pods"
        return what, trials.kind.pod_metadata[part]
    if own is None and family is not None and family.names:
        return f"{who} knows no {name}", f"known are {', '.join(sorted(family.names))}"
    return f"nothing reads it on this {trials.kind.kind}", "leave it out"


def _works_as(other: str, part: str, name: str, trials: Trials) -> bool:
    """Tell whether a label of the service does something as an annotation, or the other way round."""
    metadata = trials.document.get("metadata") or {}
    texts = metadata.get(part) or {}
    if name not in texts:
        return False
    moved = {**(metadata.get(other) or {}), name: texts[name]}
    rest = {key: value for key, value in texts.items() if key != name}
    bare = {**trials.document, "metadata": {**metadata, part: rest}}
    gone = trials.outcome_looked_up(bare)
    outcome = trials.outcome_looked_up({**bare, "metadata": {**bare["metadata"], other: moved}})
    if not (gone.legal and outcome.legal) or gone.intent is None or outcome.intent is None:
        return False
    leaf = Leaf(("metadata", other, name), "", texts[name], None, name)
    before, after = (_compared(leaf, each.children, copies=False) for each in (gone, outcome))
    return before != after or trials.said(gone) != trials.said(outcome)


def _other_word_works(path: str, part: str, name: str, trials: Trials) -> bool:
    """Tell whether a label or annotation has a word that its reader does not know, and one that it knows does something."""
    steps = (*path.split(f".{part}", maxsplit=1)[0].split("."), part, name)
    own, leaf = known(name), Leaf(steps, path, "", None, name)
    if own is None or _value(trials.document, steps) in own.values:
        return False
    outcomes = (trials.outcome(changed(trials.document, {steps: word})) for word in own.values)
    return any(each.legal and _differs(leaf, each, trials) for each in outcomes)


def _kserve_release(trials: Trials, since: Any) -> Any:
    """Return the release of KServe, or that in which something came where the service is none of KServe's."""
    release = trials.settings.release
    return release if isinstance(release, type(since)) else since
