# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task returns: the same keys on every path, small enough for a job controller to keep."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..cluster.errors import ClusterError
from ..engine.outcome import Outcome
from ..kinds.answered import Answered
from ..kinds.kind import Observation
from ..kinds.request import Request
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.redact import redact, redact_text, secrets_of
from ..kube.reference import Reference
from ..kube.release import ChosenRelease
from ..kube.text import counted, few

#: Up to so many changed children are listed one by one; a job controller drops results above 700 kB.
LISTED_CHILDREN = 1500
#: What is listed also where more changed: what somebody has to look at.
ALWAYS_LISTED = frozenset({"failed", "skipped", "deleted", "recreated", "adopted"})
#: How many services a warning names.
SHOWN_SUBJECTS = 3


@dataclass(slots=True)
class ServiceResult:
    """One service in a result.

    release: which one of its controller is reproduced, None where nothing is compiled.
    unchanged: children that are as wanted; they are counted, and listed only on request. request: how it is called.
    answer: what came back from it, None where it was not asked.
    """

    reference: Reference
    reconciler: str
    problems: list[Problem] = field(default_factory=list)
    release: ChosenRelease | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    unchanged: list[Reference] = field(default_factory=list)
    observation: Observation | None = None
    request: Request = field(default_factory=Request)
    answer: Answered | None = None

    @property
    def failures(self) -> list[Outcome]:
        """The objects that could not be made so."""
        return [outcome for outcome in self.outcomes if outcome.action == "failed"]

    def to_dict(self, *, verbose: bool) -> Json:
        """Return the entry of `services`."""
        status = self.observation.status if self.observation else {}
        children = [
            _child(outcome.reference, outcome.action, outcome.reason)
            for outcome in self.outcomes
            if verbose or outcome.action != "unchanged"
        ]
        if verbose:
            children += [_child(reference, "unchanged", "") for reference in self.unchanged]
        return {
            "kind": self.reference.kind,
            "namespace": self.reference.namespace,
            "name": self.reference.name,
            "phase": status.get("phase", ""),
            "ready": bool(self.observation and self.observation.ready),
            "conditions": list(status.get("conditions") or []),
            "url": (self.observation.url if self.observation else "") or self.request.url,
            "request": self.request.to_dict(),
            "answer": self.answer.to_dict() if self.answer else {},
            "replicas": _replicas(self.observation),
            "reconciler": self.reconciler,
            "release": self.release.to_dict() if self.release else {},
            "children": children,
            "unchanged": len(self.unchanged)
            + sum(outcome.action == "unchanged" for outcome in self.outcomes),
            "problems": [asdict(problem) for problem in (*self.problems, *self.request.problems())],
        }


def _replicas(observation: Observation | None) -> Json:
    ready, desired = (observation and observation.replicas) or (None, None)
    return {"ready": ready, "desired": desired}


def _child(reference: Reference, action: str, reason: str) -> Json:
    return {
        "kind": reference.kind,
        "namespace": reference.namespace,
        "name": reference.name,
        "action": action,
        "reason": reason,
    }


class Clock:
    """Measures a task; the only place that asks for the time."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    @staticmethod
    def monotonic() -> float:
        """Return seconds that never go backwards."""
        return time.monotonic()

    @staticmethod
    def now() -> str:
        """Return the time of day as Kubernetes writes it."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    @property
    def elapsed(self) -> float:
        """Seconds since the task began."""
        return round(time.monotonic() - self._started, 3)


def stats(counted: Any, clock: Clock, *, skipped: int = 0, rounds: int = 0) -> Json:
    """Return the counters of a task. counted: the connection's own, None where no connection was made."""
    return {
        "requests": counted.requests if counted else 0,
        "reads": counted.reads if counted else 0,
        "writes": counted.writes if counted else 0,
        "lease_requests": counted.lease_requests if counted else 0,
        "skipped": skipped,
        "rounds": rounds,
        "elapsed_s": clock.elapsed,
    }


def diffs(outcomes: Sequence[Outcome]) -> list[Json]:
    """Return what changed as Ansible shows it: the fields that we send, before and after, secrets masked."""
    return [
        {
            "before_header": str(outcome.reference),
            "after_header": f"{outcome.reference} ({outcome.action})",
            "before": _text(outcome.reference, outcome.difference.before),
            "after": _text(outcome.reference, outcome.difference.after),
        }
        for outcome in outcomes
        if outcome.changed and outcome.difference
    ]


def _text(reference: Reference, part: Json) -> str:
    if not part:
        return ""
    import yaml

    shown = redact({"kind": reference.kind, **part})
    shown.pop("kind")
    return str(yaml.safe_dump(shown, sort_keys=True, default_flow_style=False))


def warnings(found: Iterable[tuple[str, Problem]]) -> list[str]:
    """Return warnings as Ansible shows them. found: subjects with their problems; what many have in common is said once."""
    subjects: dict[str, list[str]] = {}
    for subject, problem in found:
        if problem.severity == "warning":
            subjects.setdefault(str(problem), []).append(subject)
    return [
        f"{few(list(dict.fromkeys(names)), SHOWN_SUBJECTS)}: {text}"
        for text, names in subjects.items()
    ]


def service_warnings(found: Iterable[tuple[str, Problem]]) -> list[str]:
    """Return the warnings of services. A rule that concerns more than a few of them is one warning, which names them.

    found: subjects with their problems, each of which the result of its service keeps in `problems`.
    """
    by_rule: dict[str, list[tuple[str, Problem]]] = {}
    for subject, problem in found:
        if problem.severity == "warning":
            by_rule.setdefault(problem.rule, []).append((subject, problem))
    texts = []
    for rule, pairs in by_rule.items():
        subjects = list(dict.fromkeys(subject for subject, dummy in pairs))
        alike = len({str(problem) for dummy, problem in pairs}) == 1
        if rule and len(subjects) > SHOWN_SUBJECTS and not alike:
            first, problem = pairs[0]
            texts.append(
                f"{rule}: {len(subjects)} services: {few(subjects, SHOWN_SUBJECTS)}. {first} has: {problem}. "
                "The `problems` of each service have the rest"
            )
        else:
            texts += warnings(pairs)
    return texts


def left_out(complaints: Sequence[Complaint]) -> list[str]:
    """Return a warning for each service that `skip_invalid` left out."""
    return [f"left out: {complaint}" for complaint in complaints]


def absent(missing: Iterable[Reference]) -> list[str]:
    """Return a warning for each service that is named and does not exist."""
    return [f"{reference}: there is no such service" for reference in sorted(missing)]


def masks(documents: Sequence[Json]) -> list[str]:
    """Return a warning where a result shows documents with masks: somebody may want to apply them."""
    names = [str(Reference.of(document)) for document in documents if secrets_of(document)]
    if not names:
        return []
    text = (
        "shown with masks in the place of secrets, and cannot be applied like this; state rendered writes whole files to dest, and "
        "what refers to a Secret by valueFrom needs no mask"
    )
    return [f"{few(names, SHOWN_SUBJECTS)}: {text}"]


def summary_of(
    results: Sequence[ServiceResult], subjects: Mapping[Reference, str], *, verbose: bool
) -> Json:
    """Return the services of a result, and what is worth a warning. subjects: how messages call them."""
    texts = service_warnings(
        (subjects.get(result.reference, str(result.reference)), problem)
        for result in results
        for problem in result.problems
    )
    entries = [result.to_dict(verbose=verbose) for result in results]
    children = sum(len(entry["children"]) for entry in entries)
    if children > LISTED_CHILDREN and not verbose:
        for entry in entries:
            entry["children"] = [
                child for child in entry["children"] if child["action"] in ALWAYS_LISTED
            ]
        texts.append(
            f"{children} objects changed, too many to list each; verbose_result: true lists them all"
        )
    return {"services": entries, "warnings": texts}


#: What ends a run after its first write. The result then tells what was done before.
TROUBLES = (InputError, ClusterError, KeyboardInterrupt)


def told(error: BaseException) -> str:
    """Return what ended a run, for people."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted: requests in progress were finished, and no more were sent; run it again to continue"
    return redact_text(str(error))


def failure_of(outcomes: Sequence[Outcome], troubles: Sequence[str]) -> Json:
    """Return `failed` and `msg` where an object could not be made so, or something else went wrong.

    troubles: what ended the run, and services that did not get where they were waited for.
    """
    failed = [
        f"{outcome.reference}: {outcome.reason}"
        for outcome in outcomes
        if outcome.action == "failed"
    ]
    skipped = sum(outcome.action == "skipped" for outcome in outcomes)
    texts = (
        failed
        + (
            [f"skipped, since what they need failed: {counted(skipped, 'object')}"]
            if skipped
            else []
        )
        + list(troubles)
    )
    return {"failed": True, "msg": "\n".join(texts)} if failed or troubles else {}
