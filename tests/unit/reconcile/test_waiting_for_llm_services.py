# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen while LLMInferenceServices are waited for. Source: KServe pkg/controller/v1alpha2/llmisvc/{pod_watch_test,lifecycle_crud_test}.go@v0.17.0."""

from __future__ import annotations

from typing import Any, cast

import pytest

from module_utils.engine.policy import Policy
from module_utils.fleet.cluster_reader import ClusterReader
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects
from module_utils.kube.reference import Reference
from module_utils.reconcile.compiled_service import CompiledService, compiled_service
from module_utils.reconcile.controller_mode import DIRECT
from module_utils.reconcile.readiness_wait import ReadinessWait
from module_utils.reconcile.run import Run
from tests.unit.kinds.llm_inference_service.build import document

from ..modules.task import loaded

PART_OF = {"app.kubernetes.io/part-of": "llminferenceservice"}
CRASHING = {"waiting": {"reason": "CrashLoopBackOff", "message": "no such bucket"}}
RUNNING, ENDED = {"running": {}}, {"terminated": {"exitCode": 0}}


class _Nowhere:
    """A cluster that has nothing."""

    def get(self, *_asked: Any, **_options: Any) -> None:
        return None


class _Waited:
    """A wait for two services, `chat` and `code`, of one namespace. known: objects as the run left them."""

    def __init__(self, *known: Json, router: Json | None = None) -> None:
        self.lines: list[str] = []
        self.asked: list[str] = []
        spec = {"router": router} if router else {}
        services, dummy = loaded(document("chat", **spec), document("code", **spec))
        targets = [
            compiled_service(each, each.compile(GivenObjects()), "default", DIRECT)
            for each in services
        ]
        run = Run(
            cast("Any", _Nowhere()),
            Policy(),
            releases=cast("Any", None),
            reconciler=DIRECT,
            skip_invalid=False,
            fit="ignore",
            wait_for="ready",
            progress=self.lines.append,
        )
        self.wait = ReadinessWait(
            run,
            targets,
            {Reference.of(each): each for each in known},
            others=ClusterReader(run.cluster),
            looked_at={},
            another=self._another,
        )

    def _another(self, target: CompiledService) -> CompiledService:
        self.asked.append(target.reference.name)
        return target

    def see(self, *objects: Json) -> None:
        """Show objects."""
        for each in objects:
            self.wait.see(Reference.of(each), each)
        self.wait.content()

    def lose(self, gone: Json) -> None:
        """Show that an object is gone."""
        self.wait.see(Reference.of(gone), None)
        self.wait.content()

    @property
    def faults(self) -> dict[str, list[str]]:
        """The reasons of each service's faults of pods."""
        found = {}
        for service in self.wait.services:
            faults = service.observation.faults if service.observation else ()
            found[service.target.reference.name] = [each.reason for each in faults]
        return found


def deployment(service: str) -> Json:
    """Return a Deployment whose pods are not there yet."""
    template = {"metadata": {"labels": {**PART_OF, "app.kubernetes.io/name": service}}}
    selector = {"matchLabels": template["metadata"]["labels"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"{service}-kserve", "namespace": "team-a", "generation": 1},
        "spec": {"replicas": 1, "selector": selector, "template": template},
        "status": {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1},
    }


def pod(
    state: Json, service: str = "chat", namespace: str = "team-a", part: str = "init", **meta: Any
) -> Json:
    """Return a pod of a service with a container in some state."""
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": f"{service}-kserve-a",
        "controller": True,
    }
    labels = {**PART_OF, "app.kubernetes.io/name": service, "pod-template-hash": "a"}
    field = "initContainerStatuses" if part == "init" else "containerStatuses"
    metadata = {
        "name": f"{service}-kserve-a-x",
        "namespace": namespace,
        "labels": labels,
        "ownerReferences": [owner],
        **meta,
    }
    status = {"phase": "Pending", field: [{"name": part, "state": state}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "status": status}


@pytest.fixture
def waited() -> _Waited:
    found = _Waited()
    found.see(deployment("chat"), deployment("code"))
    return found


NOTHING: dict[str, list[str]] = {"chat": [], "code": []}
TOLD = {"chat": ["CrashLoopBackOff"], "code": []}

#: Objects that are seen, and the faults that are told of both services.
SEEN: dict[str, tuple[list[Json], dict[str, list[str]]]] = {
    "a pod speaks for its service": ([pod(CRASHING)], TOLD),
    "a pod speaks in its own namespace alone": ([pod(CRASHING, namespace="team-b")], NOTHING),
    "a pod without an owner speaks for nobody": ([pod(CRASHING, ownerReferences=[])], NOTHING),
    "a pod without labels speaks for nobody": ([pod(CRASHING, labels={})], NOTHING),
    "what is no pod speaks for nobody": ([{**pod(CRASHING), "kind": "ConfigMap"}], NOTHING),
    "an init container that begins to wait is told of": ([pod({}), pod(CRASHING)], TOLD),
    "an init container that ended is told of no more": ([pod(CRASHING), pod(ENDED)], NOTHING),
    "an init container that runs is told of no more": ([pod(CRASHING), pod(RUNNING)], NOTHING),
    "another container is told of as well": ([pod(CRASHING, part="main")], TOLD),
    "a pod of an empty name speaks for nobody": (
        [pod(CRASHING, labels={**PART_OF, "app.kubernetes.io/name": "", "pod-template-hash": "a"})],
        NOTHING,
    ),
    "a pod that is made says nothing yet": ([pod({})], NOTHING),
    "of two services the pod's own is told of": (
        [pod(CRASHING, "code")],
        {"chat": [], "code": ["CrashLoopBackOff"]},
    ),
    "a pod of somebody else speaks for nobody": ([pod(CRASHING, "other")], NOTHING),
}


@pytest.mark.parametrize("row", SEEN)
def test_a_pod_speaks_for_its_service(row: str, waited: _Waited) -> None:
    objects, told = SEEN[row]
    waited.see(*objects)
    assert waited.faults == told


def test_a_pod_that_is_gone_says_nothing_any_more(waited: _Waited) -> None:
    waited.see(pod(CRASHING))
    waited.lose(pod(CRASHING))
    assert waited.faults == NOTHING


def test_the_same_word_is_told_once(waited: _Waited) -> None:
    waited.see(pod(CRASHING))
    before = list(waited.lines)
    waited.see(pod(CRASHING))
    assert waited.lines == before


def test_pods_that_belong_to_no_service_are_not_asked_for(waited: _Waited) -> None:
    (pods,) = [each for each in waited.wait._watched() if each.kind == "Pod"]
    assert pods.selector == "app.kubernetes.io/part-of=llminferenceservice"


# What a gateway answers.


def route(version: str, service: str = "chat", **status: Any) -> Json:
    metadata = {
        "name": f"{service}-kserve-route",
        "namespace": "team-a",
        "resourceVersion": version,
    }
    kind = {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute"}
    return {**kind, "metadata": metadata, "spec": {}, "status": status}


@pytest.mark.parametrize(
    ("seen", "asked"),
    [
        ([route("1")], []),
        ([route("2", parents=[])], ["chat"]),
        ([route("1", "other")], []),
        ([deployment("chat")], []),
    ],
    ids=[
        "a route as we left it is no answer",
        "a route that was answered makes its service compile again",
        "a route of somebody else does not concern us",
        "what compile does not read is no answer",
    ],
)
def test_an_answer_to_a_route_makes_its_service_compile_again(
    seen: list[Json], asked: list[str]
) -> None:
    waited = _Waited(route("1"), router={"route": {}, "scheduler": {}})
    waited.see(*seen)
    assert waited.asked == asked
    assert [each.reference.name for each in waited.wait.turned] == asked
