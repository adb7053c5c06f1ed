# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is in the cluster and whatever happens meanwhile, only what is ours, unwanted and still the same object is deleted.

A few hundred cases each time; a hundred thousand with `make unit LONG=1 ARGS='-k prune_properties'`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from module_utils.cluster.errors import ClusterError, Conflict
from module_utils.cluster.results import Applied
from module_utils.engine.apply import Execution
from module_utils.engine.desired import Desired
from module_utils.engine.owner_object import custom_resource
from module_utils.engine.policy import Policy
from module_utils.engine.service_plan import plan_service, removals
from module_utils.engine.snapshot import Snapshot
from module_utils.engine.write import Writer
from module_utils.kube.intent import Stage
from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference
from tests.long import often

from .wanted import SERVICE, UID, child, live, wanted

OTHER = Reference(SERVICE.api_version, SERVICE.kind, SERVICE.namespace, "other")
PARENT = custom_resource({**SERVICE.to_manifest(), "spec": {}}, "default")
KINDS = {
    "ConfigMap": ("v1", Stage.CONFIG),
    "Service": ("v1", Stage.SERVICE),
    "Deployment": ("apps/v1", Stage.WORKLOAD),
}
#: Whose an object is: ours and wanted, as it is or changed by somebody; ours and not wanted any more, perhaps going already; a copy
#: of ours that somebody made; an object with our label alone; one of another service; nobody's: it is wanted and not there.
WHOSE = ("ours", "drifted", "unwanted", "going", "copy", "label", "other", "missing")
#: What happens to it between the look and the write: nothing; it is deleted; it is made anew; its status changes; the write fails.
MEANWHILE = ("nothing", "gone", "anew", "busy", "failing")
DELETABLE = "unwanted"


@dataclass(frozen=True)
class Thing:
    """One object of a generated cluster."""

    number: int
    kind: str
    whose: str
    meanwhile: str

    @property
    def desired(self) -> Desired:
        api_version, stage = KINDS[self.kind]
        made = child(self.kind, f"thing-{self.number}", api_version=api_version, stage=stage)
        return wanted(made, service=OTHER if self.whose == "other" else SERVICE)

    @property
    def is_wanted(self) -> bool:
        return self.whose in ("ours", "drifted", "missing")

    @property
    def live(self) -> Json | None:
        if self.whose == "missing":
            return None
        there = live(
            self.desired, manager="kubectl" if self.whose == "copy" else "modelops.inference"
        )
        if self.whose == "label":
            del there["metadata"]["annotations"]
        if self.whose == "going":
            there["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        if self.whose == "drifted":
            there["metadata"]["labels"]["app"] = "other"
        return there


THINGS = st.lists(
    st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from(WHOSE), st.sampled_from(MEANWHILE)),
    max_size=12,
).map(lambda drawn: [Thing(number, *each) for number, each in enumerate(drawn)])


class Store:
    """An API server's memory: uids, resourceVersions, preconditions. No network, nothing else."""

    concurrency = 1

    def __init__(self, things: Sequence[Thing]) -> None:
        self.objects = {each.desired.reference: each.live for each in things if each.live}
        self.failing = {each.desired.reference for each in things if each.meanwhile == "failing"}

    def happen(self, things: Sequence[Thing]) -> None:
        """Let others do what they do between the look and the write."""
        for each in things:
            there = deepcopy(self.objects.get(each.desired.reference))
            if there is None:
                continue
            if each.meanwhile == "gone":
                del self.objects[each.desired.reference]
                continue
            if each.meanwhile == "anew":
                there["metadata"]["uid"] = "another"
            if each.meanwhile in ("anew", "busy"):
                there["metadata"]["resourceVersion"] = "2"
            self.objects[each.desired.reference] = there

    def parallel(self, calls: Sequence[Callable[[], Any]], *dummy: Any) -> list[Any]:
        return [call() for call in calls]

    def get(self, reference: Reference, **_options: Any) -> Json | None:
        return self.objects.get(reference)

    def apply(self, manifest: Json, **_options: Any) -> Applied:
        reference = Reference.of(manifest)
        if reference in self.failing:
            raise ClusterError("refused")
        created = reference not in self.objects
        self.objects[reference] = {
            **manifest,
            "metadata": {**manifest["metadata"], "uid": "new", "resourceVersion": "3"},
        }
        return Applied(self.objects[reference], created)

    def delete(self, reference: Reference, *, uid: str, resource_version: str, **_: Any) -> bool:
        there = self.objects.get(reference)
        if there is None:
            return False
        if reference in self.failing:
            raise ClusterError("refused")
        meta = there["metadata"]
        if (meta["uid"], meta["resourceVersion"]) != (uid, resource_version):
            raise Conflict(status=409, reason="Conflict", message="", verb="delete", subject="")
        del self.objects[reference]
        return True


CASES = settings(
    max_examples=often(300, long=100_000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@CASES
@given(things=THINGS)
def test_only_what_is_ours_and_unwanted_is_ever_deleted(things: list[Thing]) -> None:
    parent = live(PARENT)
    parent["metadata"]["uid"] = UID
    store = Store(things)
    snapshot = Snapshot({PARENT.reference: parent, **store.objects})
    plan = plan_service(
        PARENT, [each.desired for each in things if each.is_wanted], snapshot, Policy()
    )
    deletions = removals(snapshot, plan)
    store.happen(things)
    before = dict(store.objects)
    cluster: Any = store
    execution = Execution(cluster, Writer(cluster, Policy(), frozenset(), lambda dummy: None))
    execution.apply([plan])
    failed = any(outcome.action == "failed" for outcome in execution.outcomes)
    execution.delete(deletions)

    nothing_rendered = not any(each.is_wanted for each in things)
    for each in things:
        reference = each.desired.reference
        if reference in store.objects or reference not in before:
            continue
        assert each.whose == DELETABLE, f"{each} was deleted"
        assert each.meanwhile in ("nothing", "busy"), f"{each} was deleted"
        assert not nothing_rendered, f"{each} was deleted although nothing was rendered"
        assert not failed, f"{each} was deleted after a failure"
    if not failed and not nothing_rendered:
        # And what has to go does go, unless something of a later stage could not.
        refused = any(each.whose == DELETABLE and each.meanwhile == "failing" for each in things)
        left = [
            each
            for each in things
            if each.whose == DELETABLE
            and each.meanwhile in ("nothing", "busy")
            and each.desired.reference in store.objects
        ]
        assert not left or refused, left
