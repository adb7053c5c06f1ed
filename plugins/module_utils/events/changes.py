# SPDX-License-Identifier: GPL-3.0-or-later
"""What is worth an event: services that come, go and fail, and objects of ours that somebody else changed. Pure; told what is seen."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..engine import FIELD_MANAGER, OWNER_ANNOTATION
from ..kube import managed_fields
from ..kube.canonical import canonical_json, digest
from ..kube.manifest import Json
from ..kube.reference import Reference

Kind = tuple[str, str]

#: After every time of day.
_LATER = "~"
NEW, DELETION, FAILURE, DRIFT = "new", "deletion", "failure", "drift"


@dataclass(frozen=True, slots=True)
class Notice:
    """One event. service: `Kind/namespace/name`. about: the object that it speaks of, the service itself or one of its children."""

    type: str
    service: str
    about: Reference
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What is remembered of an object."""

    shape: str
    service: str
    ready: str
    failed: bool
    scaled_by_us: bool
    ending: bool


class ChangeTracker:
    """Compares each object with how it was seen last. What is there at the beginning is taken as it is.

    services: the kinds of services; all other objects are children, told by their owner annotation.
    """

    def __init__(self, services: Collection[Kind]) -> None:
        self._services = frozenset(services)
        self._known: dict[Reference, _Known] = {}
        self._seen_now: set[Reference] = set()
        self._begun = False

    def begin(self) -> None:
        """A list of everything begins."""
        self._seen_now = set()

    def listed(self) -> Iterator[Notice]:
        """Everything was listed: what was known and was not seen is gone."""
        for reference in sorted(self._known.keys() - self._seen_now):
            yield from self.see(reference, None)
        self._begun = True

    def see(self, reference: Reference, live: Json | None) -> Iterator[Notice]:
        """Take note of an object, None where it is gone, and yield what is worth an event."""
        before = self._known.pop(reference, None)
        now = None if live is None else self._note(reference, live)
        if now is not None:
            self._known[reference] = now
            self._seen_now.add(reference)
        if not self._begun:
            return
        if self._is_service(reference):
            yield from _of_service(reference, before, now, live)
        else:
            yield from self._of_child(reference, before, now, live)

    def _of_child(
        self, reference: Reference, before: _Known | None, now: _Known | None, live: Json | None
    ) -> Iterator[Notice]:
        if before is None or before.ending or self._goes(before.service):
            return
        if now is None or live is None:
            yield Notice(DRIFT, before.service, reference, "deleted", f"{reference} was deleted")
        elif now.shape != before.shape and not now.ending:
            by = _writer(live, scaled=before.scaled_by_us)
            if by and not by.startswith(FIELD_MANAGER):
                message = f"{reference} was changed by {by}"
                yield Notice(DRIFT, now.service, reference, "changed", message)

    def _goes(self, service: str) -> bool:
        """Tell whether a service is gone or going: its children follow, and that is no drift."""
        found = [
            known
            for reference, known in self._known.items()
            if self._is_service(reference) and known.service == service
        ]
        return not found or found[0].ending

    def _is_service(self, reference: Reference) -> bool:
        return (reference.api_version, reference.kind) in self._services

    def _note(self, reference: Reference, live: Json) -> _Known:
        metadata, status = live["metadata"], live.get("status") or {}
        own = f"{reference.kind}/{reference.namespace}/{reference.name}"
        owner = (metadata.get("annotations") or {}).get(OWNER_ANNOTATION) or own
        entry = managed_fields.apply_entry(live, FIELD_MANAGER) or {}
        return _Known(
            shape=_shape(live),
            service=own if self._is_service(reference) else owner,
            ready=_condition(live, "Ready").get("status") or "",
            failed=status.get("phase") == "Failed",
            scaled_by_us=managed_fields.owns(entry.get("fieldsV1") or {}, ("spec", "replicas")),
            ending=bool(metadata.get("deletionTimestamp")),
        )


def _of_service(
    reference: Reference, before: _Known | None, now: _Known | None, live: Json | None
) -> Iterator[Notice]:
    if now is None or live is None:
        if before is not None:
            message = f"{reference} was deleted"
            yield Notice(DELETION, before.service, reference, "deleted", message)
        return
    if before is None:
        yield Notice(NEW, now.service, reference, "created", f"{reference} is new")
        return
    by = _writer(live, scaled=True)
    if now.shape != before.shape and not now.ending and not by.startswith(FIELD_MANAGER):
        message = f"{reference} was changed by {by or 'an unknown manager'}"
        yield Notice(DRIFT, now.service, reference, "changed", message)
    if (now.failed and not before.failed) or (before.ready == "True" and now.ready == "False"):
        said = _condition(live, "Ready")
        message = f"{reference}: {said.get('message') or 'it is not ready'}"
        yield Notice(FAILURE, now.service, reference, said.get("reason") or "Failed", message)


def _shape(live: Json) -> str:
    """Return what changes when somebody wants something else of an object: its generation, else its content."""
    generation = live["metadata"].get("generation")
    if generation:
        return str(generation)
    content = {key: value for key, value in live.items() if key not in ("metadata", "status")}
    return digest(canonical_json({**content, "labels": live["metadata"].get("labels") or {}}))


def _writer(live: Json, *, scaled: bool) -> str:
    """Return who changed an object last, by what the server recorded; status apart. Of the same second, others win over us.

    A change of the scale is recorded without a time, and its record goes when the field is taken back: it counts as the last.
    scaled: whether a change of the scale counts; where replicas are an autoscaler's it does not.
    """
    kept = ("", "scale") if scaled else ("",)
    entries = [
        (
            str(each.get("time") or _LATER),
            not str(each.get("manager")).startswith(FIELD_MANAGER),
            each,
        )
        for each in live["metadata"].get("managedFields") or ()
        if (each.get("subresource") or "") in kept
    ]
    newest = max(entries, key=lambda each: each[:2], default=None)
    return str(newest[2].get("manager")) if newest else ""


def _condition(live: Json, kind: str) -> Json:
    conditions = (live.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each.get("type") == kind), {})
