# SPDX-License-Identifier: GPL-3.0-or-later
"""What a queue of Kueue lets a workload have. A workload that names no queue is none of Kueue's business.

Source: kueue.x-k8s.io/v1beta1 and v1beta2 (LocalQueue, ClusterQueue).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..kube.manifest import Json, value_at
from ..kube.problem import Problem, Severity
from ..kube.selector import selector_keys, selects
from .demand import Demand, templates_of
from .fit import Answer
from .kueue_quota import Lending, group_problems, idle_limits
from .node_eligibility import untolerated
from .requests import CLASS_PREFIX, PODS, Amounts

#: The label of a workload by which it names its LocalQueue.
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
#: That by which it names its WorkloadPriorityClass.
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
#: That of pods by which they want to be near each other, as a Topology says it.
_TOPOLOGY = "kueue.x-k8s.io/podset-required-topology"
_NAMESPACE_NAME = "kubernetes.io/metadata.name"
API_VERSIONS = ("kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1")
#: Cohorts were served by this version alone before Kueue 0.12.
OLD_COHORTS = "kueue.x-k8s.io/v1alpha1"


@dataclass(frozen=True, slots=True)
class Queues:
    """What a namespace's workloads are admitted by. local: its LocalQueues. flavors: None where they are not known.

    labels: of the namespace, None where they are not known. node_labels: of the nodes. checks: AdmissionChecks, and priorities:
    WorkloadPriorityClasses, None where they are not looked at. cohorts: None where they are not known.
    """

    local: Sequence[Json]
    in_all: Sequence[Json]
    flavors: Sequence[Json] | None
    namespace: str
    labels: Mapping[str, str] | None
    node_labels: Sequence[Mapping[str, str]] = ()
    checks: Sequence[Json] | None = None
    priorities: Sequence[Json] | None = None
    cohorts: Sequence[Json] | None = None


def queue_of(manifest: Json) -> str:
    """Return the LocalQueue that a workload names, empty where it names none. A label of its pods counts where it has none itself."""
    places = (manifest, *(template for dummy, template in templates_of(manifest)))
    labels = (value_at(each, ("metadata", "labels")) or {} for each in places)
    return str(next((each[QUEUE_LABEL] for each in labels if each.get(QUEUE_LABEL)), ""))


def misplaced_queue(manifest: Json) -> Iterator[Problem]:
    """Yield a queue that a workload names where Kueue does not look."""
    annotations = value_at(manifest, ("metadata", "annotations")) or {}
    if QUEUE_LABEL in annotations and not queue_of(manifest):
        text = f"Kueue reads the label {QUEUE_LABEL}, not the annotation, so no queue holds the pods; make it a label"
        yield Problem(f'metadata.annotations["{QUEUE_LABEL}"]', text, "warning", rule="queue")


def topology_problems(manifest: Json, queue: str, queues: Queues) -> Iterator[Problem]:
    """Yield a topology that pods require and that no flavor of their queue has."""
    local = _named(queues.local, queue) or {}
    cluster_queue = _named(queues.in_all, str(value_at(local, ("spec", "clusterQueue")))) or {}
    flavors = [_named(queues.flavors or (), each) for each in _flavor_names(cluster_queue)]
    known = [each for each in flavors if each is not None]
    if not known or any(value_at(each, ("spec", "topologyName")) for each in known):
        return
    for path, template in templates_of(manifest):
        if _TOPOLOGY in (value_at(template, ("metadata", "annotations")) or {}):
            text = f"no flavor of the queue {queue} has a topology, so Kueue does not admit the pods; give a ResourceFlavor a topologyName"
            where = f'{path}.metadata.annotations["{_TOPOLOGY}"]'.lstrip(".")
            yield Problem(where, text, rule="queue")


def priority_problems(manifest: Json, queues: Queues) -> Iterator[Problem]:
    """Yield a WorkloadPriorityClass that a workload names and that does not exist."""
    name = value_at(manifest, ("metadata", "labels", PRIORITY_LABEL))
    if name and queues.priorities is not None and _named(queues.priorities, name) is None:
        text = f"WorkloadPriorityClass {name} does not exist, so Kueue admits no pod that names it; create it, or name one that exists"
        yield Problem(f'metadata.labels["{PRIORITY_LABEL}"]', text, rule="queue")


def admission_checks(cluster_queue: Json) -> Iterator[str]:
    """Yield the AdmissionChecks that a ClusterQueue names."""
    spec = cluster_queue.get("spec") or {}
    yield from spec.get("admissionChecks") or ()
    for each in value_at(spec, ("admissionChecksStrategy", "admissionChecks")) or ():
        yield str(each.get("name"))


def admitted(demand: Demand, queue: str, queues: Queues) -> Demand:
    """Return pods as Kueue starts them: with the tolerations of the flavors that they may get, and the labels of the only one."""
    local = _named(queues.local, queue) or {}
    cluster_queue = _named(queues.in_all, str(value_at(local, ("spec", "clusterQueue")))) or {}
    tolerations: list[Json] = []
    labels: dict[str, str] = {}
    for group in value_at(cluster_queue, ("spec", "resourceGroups")) or ():
        if not demand.requests.keys() & {*(group.get("coveredResources") or ())}:
            continue
        named = [str(each["name"]) for each in group.get("flavors") or ()]
        flavors = [_named(queues.flavors or (), each) or {} for each in named]
        for flavor in flavors:
            tolerations += value_at(flavor, ("spec", "tolerations")) or ()
        if len(flavors) == 1:
            labels.update(value_at(flavors[0], ("spec", "nodeLabels")) or {})
    spec = {
        **demand.spec,
        "tolerations": [*(demand.spec.get("tolerations") or ()), *tolerations],
        "nodeSelector": {**labels, **(demand.spec.get("nodeSelector") or {})},
    }
    return replace(demand, template={**demand.template, "spec": spec})


def queue_problems(answers: Sequence[Answer], queue: str, queues: Queues) -> Iterator[Problem]:
    """Yield why a queue does not admit a workload now. answers: about all of its pods."""
    local = _named(queues.local, queue)
    if local is None:
        yield Problem(
            "",
            f"LocalQueue {queue} does not exist in this namespace, so Kueue keeps the pods back",
            rule="queue",
        )
        return
    name = str(value_at(local, ("spec", "clusterQueue")))
    cluster_queue = _named(queues.in_all, name)
    if cluster_queue is None:
        yield Problem(
            "",
            f"LocalQueue {queue} belongs to ClusterQueue {name}, which does not exist",
            rule="queue",
        )
        return
    yield from _stopped("LocalQueue", queue, local)
    yield from _stopped("ClusterQueue", name, cluster_queue)
    yield from _selected(name, cluster_queue, queues)
    yield from _flavors(name, cluster_queue, queues)
    yield from idle_limits(cluster_queue, queues.cohorts or ())
    for each in admission_checks(cluster_queue):
        if queues.checks is not None and _named(queues.checks, each) is None:
            text = f"ClusterQueue {name} names AdmissionCheck {each}, which does not exist, so Kueue admits nothing; create it"
            yield Problem("", text, rule="queue")
    wanted, lending = _wanted(answers), Lending(queues.in_all, queues.cohorts)
    for group in value_at(cluster_queue, ("spec", "resourceGroups")) or ():
        covered = {
            each: wanted.pop(each) for each in group.get("coveredResources") or () if each in wanted
        }
        if covered:
            unfit = _unfit(group, queues, answers)
            yield from group_problems(cluster_queue, group, covered, unfit, lending)
    wanted.pop(PODS, None)
    for resource in wanted:
        if resource.startswith(CLASS_PREFIX):
            # Which resource a class counts as is set in Kueue's own configuration.
            continue
        yield Problem(
            "",
            f"ClusterQueue {name} has no quota of {resource}, so Kueue does not admit the pods; add it to coveredResources of a group, with a quota",
            rule="queue",
        )


def _stopped(kind: str, name: str, queue: Json) -> Iterator[Problem]:
    """Yield that a queue admits nothing, whatever is asked for."""
    policy = value_at(queue, ("spec", "stopPolicy")) or "None"
    if policy != "None":
        text = f"{kind} {name} is stopped (stopPolicy {policy}), so Kueue admits nothing; set stopPolicy: None"
        yield Problem("", text, rule="queue")
        return
    for condition in value_at(queue, ("status", "conditions")) or ():
        if condition.get("type") == "Active" and condition.get("status") == "False":
            why = condition.get("message") or condition.get("reason") or "no reason is given"
            text = f"{kind} {name} is not active, so Kueue admits nothing: {why}"
            yield Problem("", text, rule="queue")


def _selected(name: str, queue: Json, queues: Queues) -> Iterator[Problem]:
    """Yield that a queue takes no workloads of the namespace."""
    selector = value_at(queue, ("spec", "namespaceSelector"))
    if selector is None:
        text = (
            f"ClusterQueue {name} has no namespaceSelector, which selects no namespace, so Kueue admits nothing; set "
            "namespaceSelector: {} for all"
        )
        yield Problem("", text, rule="queue")
        return
    labels = {_NAMESPACE_NAME: queues.namespace, **(queues.labels or {})}
    if queues.labels is None and selector_keys(selector) - labels.keys():
        return
    if not selects(selector, labels):
        text = (
            f"the namespaceSelector of ClusterQueue {name} does not select namespace {queues.namespace}, so Kueue admits nothing of "
            "it; change the selector, or the labels of the namespace"
        )
        yield Problem("", text, rule="queue")


def _flavors(name: str, queue: Json, queues: Queues) -> Iterator[Problem]:
    """Yield flavors that are not there, and those whose labels no node has."""
    if queues.flavors is None:
        return
    named = _flavor_names(queue)
    for each in named:
        flavor = _named(queues.flavors, each)
        if flavor is None:
            text = f"ClusterQueue {name} names ResourceFlavor {each}, which does not exist, so Kueue admits nothing; create it"
            yield Problem("", text, rule="queue")
            continue
        labels = value_at(flavor, ("spec", "nodeLabels")) or {}
        if queues.node_labels and not any(
            labels.items() <= node.items() for node in queues.node_labels
        ):
            shown_labels = ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))
            text = f"no node has the labels of ResourceFlavor {each} of ClusterQueue {name} ({shown_labels}): pods that get it find no node"
            severity: Severity = "error" if len(named) == 1 else "warning"
            yield Problem("", text, severity, rule="queue")


def _flavor_names(queue: Json) -> list[str]:
    names = (
        str(flavor["name"])
        for group in value_at(queue, ("spec", "resourceGroups")) or ()
        for flavor in group.get("flavors") or ()
    )
    return list(dict.fromkeys(names))


def _named(objects: Sequence[Json], name: str) -> Json | None:
    return next((each for each in objects if each["metadata"].get("name") == name), None)


def _wanted(answers: Sequence[Answer]) -> Amounts:
    total: Amounts = {PODS: 0}
    for answer in answers:
        total[PODS] += answer.wanted
        for resource, amount in answer.demand.requests.items():
            if amount and answer.wanted:
                total[resource] = total.get(resource, 0) + answer.wanted * amount
    return total


def _unfit(group: Json, queues: Queues, answers: Sequence[Answer]) -> Mapping[str, str]:
    """Return the flavors of a group that pods cannot get, and why: their taints, and labels that contradict the node selector."""
    flavors = {
        flavor["name"]: value_at(_named(queues.flavors or (), flavor["name"]) or {}, ("spec",))
        or {}
        for flavor in group.get("flavors") or ()
    }
    # Of a node selector Kueue looks at the labels that flavors have.
    keys = {key for flavor in flavors.values() for key in flavor.get("nodeLabels") or {}}
    unfit: dict[str, str] = {}
    for name, flavor in flavors.items():
        labels = flavor.get("nodeLabels") or {}
        for spec in (answer.demand.spec for answer in answers if answer.wanted):
            tolerations = (*(spec.get("tolerations") or ()), *(flavor.get("tolerations") or ()))
            taint = untolerated(flavor.get("nodeTaints") or (), tolerations)
            selector = spec.get("nodeSelector") or {}
            other = [
                key for key in sorted(selector.keys() & keys) if labels.get(key) != selector[key]
            ]
            if taint is not None:
                shown_taint = f"{taint['key']}={taint.get('value') or ''}:{taint['effect']}"
                unfit[name] = f"the pods do not tolerate its taint {shown_taint}"
            elif other:
                unfit[name] = f"the pods want nodes with {other[0]}={selector[other[0]]}"
    return unfit
