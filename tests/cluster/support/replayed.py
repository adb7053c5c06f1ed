# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded sequence done again on a cluster, with our reconciler in the operator's place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference
from tests.lab.client import Client
from tests.objects import thing
from tests.parity.compare import Key, by_key, differences, key_of, reduced, shortfalls
from tests.parity.recorded_services import options_of
from tests.parity.replay import ApplyService, Create, Delete, Patch, SetCrd, Step
from tests.parity.world import REPLACED, World, _children

from .cluster import FLEET, OWNER
from .entries import Entries
from .masked import original
from .moved import Move
from .pull_secrets import create_pull_secrets
from .services import CHILDREN

PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}


def unchangeable(name: str, present: bool) -> None:
    """Refuse: kinds come and go on a control plane of their own."""
    raise AssertionError(f"{name} is not {'installed' if present else 'removed'} here")


@dataclass
class Replay:
    """One sequence in its place. here: where it runs. elsewhere: where nothing is, for what a server makes of the recorded objects.

    set_kind: installs or removes a CRD by its name. services: those that we took.
    touched: children that somebody else wrote, so that foreign fields may be left in them.
    """

    client: Client
    entries: Entries
    here: Move
    elsewhere: Move
    set_kind: Callable[[str, bool], None] = unchangeable
    steps: list[Step] = field(default_factory=list)
    services: dict[Reference, Json] = field(default_factory=dict)
    touched: set[Key] = field(default_factory=set)

    @property
    def world(self) -> World:
        """What the operator has brought about so far."""
        return World.after(self.steps)

    def act(self, recorded: Step) -> Json | None:
        """Do what was done in a step, then reconcile. Return the result, None where there was nothing to reconcile."""
        step = self.here.there(recorded)
        self.steps.append(step)
        given: dict[Reference, Json] = {}
        gone: list[Reference] = []
        for operation in step.operations:
            match operation:
                case ApplyService(document):
                    create_pull_secrets(self.client, document)
                    given[Reference.of(document)] = document
                case Create(manifest):
                    self.touched.add(key_of(manifest))
                    self.client.create(manifest)
                case Patch(target) if target.kind == "ModelService":
                    given[target] = self.world.services[target]
                case Patch(target, patch, kind):
                    self._patch(target, patch, kind)
                case Delete(target, propagation):
                    self.client.delete(_manifest(target), policy=propagation)
                    if target.kind == "ModelService":
                        gone.append(target)
                        self.services.pop(target, None)
                case SetCrd(name, present):
                    self.set_kind(name, present)
                case _:
                    pass  # status comes from the lab's controllers; nobody waits; no operator runs
        result = self._absent(gone) if gone else None
        wanted = given or {
            reference: document
            for reference, document in self.world.services.items()
            if reference not in gone
        }
        return self._reconcile(wanted) if wanted else result

    def _patch(self, target: Reference, patch: Json, kind: str) -> None:
        self.touched.add((target.api_version, target.kind, target.namespace, target.name))
        path = self.client.path(target.api_version, target.kind, target.namespace, target.name)
        self.client.request("PATCH", path, body=patch, content_type=PATCH_TYPES[kind])

    def _absent(self, gone: Iterable[Reference]) -> Json:
        named = [_manifest(reference) for reference in gone]
        return self.entries.reconcile(*named, state="absent", max_deletions=100)

    def _reconcile(self, wanted: dict[Reference, Json]) -> Json:
        settings, releases = options_of(self.world.settings)
        result = self.entries.run(
            *wanted.values(), settings=settings, releases=releases, max_deletions=100
        )
        if not result.get("failed"):
            self.services |= wanted
        return result

    def live(self) -> dict[Key, Json]:
        """Return our children in the cluster, reduced to what counts."""
        found = []
        for api_version, kind in dict.fromkeys(
            (version, kind) for version, kind, dummy in CHILDREN
        ):
            for item in self.client.list_all(api_version, kind, labelSelector=FLEET):
                owner = (item["metadata"].get("annotations") or {}).get(OWNER, "")
                if owner.split("/")[1:2] and _in(owner.split("/")[1], self.here.word):
                    found.append(item)
        return by_key(found)

    def ours(self) -> dict[Key, Json]:
        """Return the children that the services which we took want."""
        return _children(list(self.services.values()), self.world.settings)

    def differences(self) -> list[str]:
        """Return where the cluster is not as the operator left it; children that only we have are `not made by the operator`."""
        live, ours, world = self.live(), self.ours(), self.world
        lines = [f"{_shown(key)}: left over" for key in sorted(live.keys() - ours.keys())]
        lines += [f"{_shown(key)}: missing" for key in sorted(ours.keys() - live.keys())]
        for key in sorted(ours.keys() & live.keys()):
            if key not in world.sent and key not in world.edited:
                lines.append(f"{_shown(key)}: not made by the operator")
            elif key in world.edited or key not in world.sent:
                # The operator did not see the edit, or let it be; we have put right what is ours.
                lines += [
                    f"{_shown(key)}: {line}"
                    for line in shortfalls(ours[key], aligned(live[key], ours[key]))
                ]
            else:
                lines += self._against_recording(key, ours[key], live[key], *world.sent[key])
        return lines

    def _against_recording(
        self, key: Key, ours: Json, live: Json, sent: Json, updated: bool
    ) -> list[str]:
        recorded = original(sent, ours)
        if key in self.touched or (updated and key[1] not in REPLACED):
            known = _without_random(reduced(recorded))
            if updated:
                known["metadata"].pop("annotations", None)
            return [f"{_shown(key)}: {line}" for line in shortfalls(known, aligned(live, known))]
        stored = self._stored(recorded)
        left, right = _comparable(live), _comparable(stored)
        return differences({key: left}, {key: right})

    def _stored(self, recorded: Json) -> Json:
        """Return what the API server makes of a recorded object: a dry run under a name that is free."""
        manifest = _without_random(reduced(recorded))
        trial = self.here.onwards(manifest, self.elsewhere)
        answer = self.client.create(trial, dryRun="All", fieldManager="model-operator")
        return reduced(self.elsewhere.onwards(answer, self.here))


def aligned(live: Any, wanted: Any) -> Any:
    """Return a live value whose named list items are those that are wanted, in that order: what others add may stay."""
    if isinstance(live, dict) and isinstance(wanted, dict):
        return {key: aligned(inner, wanted.get(key)) for key, inner in live.items()}
    if isinstance(live, list) and isinstance(wanted, list):
        named = {item["name"]: item for item in live if isinstance(item, dict) and "name" in item}
        names = [item.get("name") for item in wanted if isinstance(item, dict)]
        if named and names and all(name in named for name in names):
            return [aligned(named[item["name"]], item) for item in wanted]
    return live


def _in(namespace: str, word: str) -> bool:
    return namespace == word or namespace.startswith(f"{word}-")


def _manifest(reference: Reference) -> Json:
    place = {"namespace": reference.namespace} if reference.namespace else {}
    return thing(reference.api_version, reference.kind, reference.name, metadata=place)


def _without_random(value: Any) -> Any:
    """Return a recorded value without what a server gave out: addresses, tokens, uids, times."""
    if isinstance(value, dict):
        kept = {key: _without_random(inner) for key, inner in value.items()}
        return {
            key: inner
            for key, inner in kept.items()
            if not (isinstance(inner, str) and inner in ("<random>", "<time>", "<uid>"))
            and key not in ("clusterIP", "clusterIPs")
        }
    return [_without_random(item) for item in value] if isinstance(value, list) else value


def _comparable(live: Json) -> Json:
    """Return a stored object without what controllers of Kubernetes and its server add to it."""
    meta = {**live["metadata"]}
    annotations = {
        key: value
        for key, value in (meta.pop("annotations", None) or {}).items()
        if not key.startswith("deployment.kubernetes.io/")
        and key != "kubernetes.io/service-account.uid"
    }
    if annotations:
        meta["annotations"] = annotations
    meta.pop("finalizers", None)
    rest = {key: value for key, value in live.items() if key not in ("metadata", "data")}
    if live["kind"] != "Secret" and "data" in live:
        rest["data"] = live["data"]
    if live["kind"] == "Service":
        rest["spec"] = {
            key: value
            for key, value in live["spec"].items()
            if key not in ("clusterIP", "clusterIPs")
        }
    return {**rest, "metadata": meta}


def _shown(key: Key) -> str:
    return str(Reference(*key))
