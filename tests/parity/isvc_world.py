# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in which recorded steps happen and our children stand: who reports what, and what we then say and want."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.observe import observe
from module_utils.kinds.inference_service.spec import InferenceService
from module_utils.kinds.kind import Observation
from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference

from .recorded_inference_services import RECORDINGS, SETTINGS, recorded_cluster
from .recorded_llm_services import Recorded
from .world import merged

#: The engine repeats its rounds this often at most.
_ROUNDS = 4
_KNATIVE = "serving.knative.dev/v1"
#: A sequence in whose cluster the runtime stands that another one creates.
_WITH_RUNTIMES = RECORDINGS / "SEQ-disable-auto-update"
_AVAILABLE = ["True", "MinimumReplicasAvailable", "Deployment has minimum availability."]


def service_of(document: Json) -> InferenceService:
    """Return a custom resource as we read it."""
    loaded = load(document, SETTINGS)
    assert loaded.service is not None, loaded.problems
    return loaded.service


@dataclass
class World:
    """One service in a recorded cluster. live: our children with what others reported on them. pods: the oldest first."""

    document: Json
    others: dict[Reference, Json]
    status: Json = field(default_factory=dict)
    generation: int = 1
    live: dict[Reference, Json] = field(default_factory=dict)
    pods: dict[str, Json] = field(default_factory=dict)
    revisions: dict[Reference, int] = field(default_factory=dict)
    seen: Observation | None = None

    @classmethod
    def of(cls, folder: Path, document: Json) -> World:
        """Return the recorded cluster of a case with a service that is yet to be created."""
        objects = recorded_cluster(folder).objects()
        return cls(document, {Reference.of(one): one for one in objects})

    @property
    def name(self) -> str:
        """The service's name."""
        name: str = self.document["metadata"]["name"]
        return name

    def run(self) -> None:
        """Do what a run does: make the children, look at them, write the status; again while that changes what is wanted."""
        for dummy in range(_ROUNDS):
            before = (self.live, self.status)
            intent = compile_service(service_of(self.document), SETTINGS, self._reader())
            self._apply(child.manifest.to_dict() for child in intent.children)
            self.seen = observe(intent.basis, self._reader(), list(self.pods.values()))
            self.status = self.seen.status
            if (self.live, self.status) == before:
                return

    def act(self, action: Json) -> None:
        """Do what was done in a step; edits of our children are undone by the next run."""
        for what, how in action.items():
            if what in _ACTIONS:
                _ACTIONS[what](self, how)

    def drive(self) -> None:
        """Let everybody report that all is well, for as long as new objects appear."""
        for dummy in range(_ROUNDS):
            for reference in list(self.live):
                self._report_well(reference)
            self.run()

    def add_ready_pods(self, names: Iterable[str] | None = None) -> None:
        """Start one ready pod of each workload, or of the predictor under given names."""
        for reference, one in list(self.live.items()):
            is_workload = reference.kind == "Deployment" or reference.api_version == _KNATIVE
            if names is not None and reference.name != f"{self.name}-predictor":
                continue
            if is_workload:
                labels = dict(one["spec"]["template"]["metadata"]["labels"])
                if reference.api_version == _KNATIVE:
                    labels["serving.knative.dev/revision"] = self._revision(reference)
                for name in names or [f"{reference.name}-pod"]:
                    ready = {"type": "Ready", "status": "True"}
                    self._pod(name, labels, {"phase": "Running", "conditions": [ready]})

    def _reader(self) -> Recorded:
        parent = merged(self.document, {"metadata": {"generation": self.generation}})
        known = [*self.others.values(), *self.live.values()]
        if self.status:
            known.append({**parent, "status": self.status})
        return Recorded(known)

    def _apply(self, manifests: Iterable[Json]) -> None:
        applied = {}
        for manifest in manifests:
            reference = Reference.of(manifest)
            applied[reference] = self._applied(reference, manifest)
        self.live = applied

    def _applied(self, reference: Reference, manifest: Json) -> Json:
        old = self.live.get(reference)
        if old is None:
            self.revisions[reference] = 1
            return merged(manifest, {"metadata": {"generation": 1}})
        generation = old["metadata"]["generation"]
        if manifest.get("spec") != old.get("spec"):
            generation += 1
            template = (manifest.get("spec") or {}).get("template")
            self.revisions[reference] += template != (old.get("spec") or {}).get("template")
        new = merged(manifest, {"metadata": {"generation": generation}})
        return {**new, **({"status": old["status"]} if "status" in old else {})}

    def _report(self, reference: Reference, status: Json) -> None:
        if reference in self.live:
            self.live = {**self.live, reference: {**self.live[reference], "status": status}}

    def _report_well(self, reference: Reference) -> None:
        if reference.kind == "Deployment":
            self._deployment(reference, {})
        elif reference.kind == "HTTPRoute":
            conditions = [["Accepted", "True", "Accepted", "ok"]]
            self._route(reference, {"conditions": conditions})
        elif reference.api_version == _KNATIVE:
            self._knative(reference, {})

    def _deployment(self, reference: Reference, said: Json) -> None:
        name, one = reference.name, self.live[reference]
        complete = f'ReplicaSet "{name}-1" has successfully progressed.'
        parts = {
            "Available": said.get("avail", _AVAILABLE),
            "Progressing": said.get("prog", ["True", "NewReplicaSetAvailable", complete]),
            "ReplicaFailure": said.get("fail"),
        }
        replicas = one["spec"].get("replicas", 1)
        counted = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
        status: Json = dict.fromkeys(counted, replicas)
        self._report(
            reference,
            {
                **status,
                "observedGeneration": one["metadata"]["generation"],
                "conditions": _conditions(parts),
            },
        )

    def _route(self, reference: Reference, said: Json) -> None:
        if said.get("parents") == []:
            self._report(reference, {"parents": []})
            return
        conditions = [
            {"type": kind, "status": truth, "reason": reason, "message": message}
            for kind, truth, reason, message in said["conditions"]
        ]
        parent = self.live[reference]["spec"]["parentRefs"][0]
        self._report(reference, {"parents": [{"parentRef": parent, "conditions": conditions}]})

    def _revision(self, reference: Reference) -> str:
        return f"{reference.name}-{self.revisions[reference]:05}"

    def _knative(self, reference: Reference, said: Json) -> None:
        one, newest = self.live[reference], self._revision(reference)
        why = [said.get("reason", ""), said.get("msg", "")]
        parts = {
            kind: [truth, *(why if truth != "True" else ["", ""])]
            for kind, truth in (
                ("ConfigurationsReady", said.get("conf", "True")),
                ("RoutesReady", said.get("route", "True")),
                ("Ready", said.get("ready", "True")),
            )
        }
        serving = said.get("readyrev", newest if parts["Ready"][0] == "True" else None)
        host = self._host(reference)
        local = f"http://{reference.name}.{reference.namespace}.svc.cluster.local"
        status: Json = {
            "observedGeneration": one["metadata"]["generation"],
            "latestCreatedRevisionName": newest,
            "conditions": _conditions(parts),
            "url": f"http://{host}",
            "address": {"url": local},
        }
        if serving:
            status["latestReadyRevisionName"] = serving
            status["traffic"] = [_traffic(part, serving, host) for part in one["spec"]["traffic"]]
        self._report(reference, status)

    def _host(self, reference: Reference) -> str:
        labels = self.live[reference]["metadata"].get("labels") or {}
        is_local = labels.get("networking.knative.dev/visibility") == "cluster-local"
        domain = "svc.cluster.local" if is_local else "example.com"
        return f"{reference.name}.{reference.namespace}.{domain}"

    def _pod(self, name: str, labels: Json, status: Json) -> None:
        old = self.pods.get(name)
        born = (
            old["metadata"]["creationTimestamp"]
            if old
            else f"2026-01-01T00:{len(self.pods):02}:00Z"
        )
        metadata = {
            "name": name,
            "namespace": self.document["metadata"]["namespace"],
            "labels": labels,
            "creationTimestamp": born,
        }
        self.pods[name] = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "status": status,
        }

    def _named(self, said: Json, api_version: str, kind: str) -> Reference:
        name = said["name"].replace("<isvc>", self.name)
        return Reference(api_version, kind, self.document["metadata"]["namespace"], name)

    def _patch(self, patch: Json) -> None:
        document = merged(self.document, patch)
        self.generation += document["spec"] != self.document["spec"]
        self.document = document

    def _delete(self, what: str) -> None:
        kind, dummy, name = what.partition("/")
        self.live = {
            key: one for key, one in self.live.items() if (key.kind, key.name) != (kind, name)
        }

    def _pod_status(self, said: Json) -> None:
        name = said["name"].replace("<isvc>", self.name)
        status = {key: value for key, value in said.items() if key != "name"}
        self._pod(name, {"app": f"isvc.{self.name}-predictor"}, status)

    def _runtime(self, name: str) -> None:
        """Create a runtime; of the one that sequences name, another sequence has the text."""
        (found,) = [
            one
            for one in recorded_cluster(_WITH_RUNTIMES).objects()
            if one["metadata"]["name"] == name
        ]
        self.others[Reference.of(found)] = found

    def _set_status(self, patch: Json) -> None:
        self.status = merged(self.status, patch)


def _conditions(parts: dict[str, Any]) -> list[Json]:
    return [
        {"type": kind, "status": said[0], "reason": said[1], "message": said[2]}
        for kind, said in parts.items()
        if said is not None
    ]


def _traffic(part: Json, serving: str, host: str) -> Json:
    latest = part.get("latestRevision")
    found = {**part, "revisionName": serving if latest else part["revisionName"]}
    return {**found, "url": f"http://{part['tag']}-{host}"} if part.get("tag") else found


_ACTIONS: dict[str, Callable[[World, Any], None]] = {
    "drive": lambda world, _: world.drive(),
    "patchInferenceService": World._patch,
    "patchStatus": World._set_status,
    "deploymentStatus": lambda world, said: world._deployment(
        world._named(said, "apps/v1", "Deployment"), said
    ),
    "httpRouteStatus": lambda world, said: world._route(
        world._named(said, "gateway.networking.k8s.io/v1", "HTTPRoute"), said
    ),
    "knativeServiceStatus": lambda world, said: world._knative(
        world._named(said, _KNATIVE, "Service"), said
    ),
    "createReadyPods": World.add_ready_pods,
    "podStatus": World._pod_status,
    "delete": World._delete,
    "createClusterServingRuntime": World._runtime,
}
