# SPDX-License-Identifier: GPL-3.0-or-later
"""A configuration rewritten for a later release, as far as its document tells how."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

from ...kube.manifest import Json
from ...kube.problem import Complaint, InputError, Problem
from ..check import check_document
from ..findings import Finding
from ..releases import PickerRelease
from ..strict_decoding import cleaned, decoding_faults
from .state import MigrationState
from .steps import STEPS, empty_parameters_dropped

#: What every release has, and parameters stand in.
_ALWAYS_READ = ("apiVersion", "kind", "plugins")


@dataclass(frozen=True, slots=True)
class Migration:
    """document: what to give to the target. changes: what differs. decisions: what a person has to look at."""

    document: Json
    changes: list[str]
    decisions: list[str]

    def as_json(self) -> Json:
        """Return what a task returns of it, beside the document."""
        return {"changes": self.changes, "decisions": self.decisions}


def migrate(
    document: Json, source: PickerRelease, target: PickerRelease, *, experimental: bool = False
) -> Migration:
    """Rewrite a document that the source reads for a target that is not older. Raises InputError otherwise.

    What the source cannot decode cannot be migrated either; that is an InputError too.
    """
    if target.generation < source.generation:
        raise InputError.single(
            "epp_config",
            "migrate_from",
            f"{target.target} is older than {source.target}; configurations migrate to later releases only",
        )
    faults = decoding_faults(document, source)
    unreadable = [fault for fault in faults if fault.verdict == "reject"]
    if unreadable:
        problems = [Problem(item.path, f"{item.message}; {item.fix}") for item in unreadable]
        raise InputError([Complaint(f"a configuration of {source.target}", tuple(problems))])
    state = MigrationState(deepcopy(cleaned(document, source.generation)), source, target)
    for generation, step in STEPS:
        if source.generation < generation <= target.generation:
            step(state)
    if target.strict_parameters and not source.strict_parameters:
        _drop_ignored(state)
    empty_parameters_dropped(state.plugins)
    for text in _left_over(state, experimental=experimental):
        state.decide(text)
    return Migration(state.document, state.changes, state.decisions)


def _drop_ignored(state: MigrationState) -> None:
    """Remove parameters that the target does not read: they would stop it. Most were ignored before, others are lost."""
    ignored = _unknown(state, state.source).keys()
    for fault in _unknown(state, state.target).values():
        steps = fault.path.split(".")
        container = _container(state.document, steps[:-1])
        if container is not None and steps[-1] in container:
            del container[steps[-1]]
            state.changed(f"{fault.path} was dropped; {state.target.target} does not read it")
            if fault.path not in ignored:
                state.decide(f"{fault.path} had an effect in {state.source.target}: {fault.fix}")


def _unknown(state: MigrationState, release: PickerRelease) -> dict[str, Finding]:
    """Return the parameters that a release does not read, by path; in any apiVersion."""
    document = {**state.document, "apiVersion": release.api_versions[0]}
    known = {key: value for key, value in document.items() if key in _ALWAYS_READ}
    findings = check_document(known, release).findings
    return {item.path: item for item in findings if item.rule == "parameter-unknown"}


def _container(document: Json, steps: list[str]) -> Json | None:
    value: object = document
    for step in steps:
        key, *indices = step.replace("]", "").split("[")
        value = value.get(key) if isinstance(value, dict) else None
        for index in indices:
            value = value[int(index)] if isinstance(value, list) else None
    return value if isinstance(value, dict) else None


def _left_over(state: MigrationState, *, experimental: bool) -> Iterator[str]:
    """Yield what keeps the target from starting with the document."""
    for error in check_document(state.document, state.target, experimental=experimental).errors:
        yield f"{error.path}: {error.message}; {error.fix}"
