# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that only an InferenceGraph can have: nodes and steps that do not do what they say.

KServe takes such graphs, and requests show it. Source: KServe v0.17.0, cmd/router/main.go, pkg/controller/v1alpha1/inferencegraph.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.did_you_mean import nearest
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.schema_faults import show
from ..check import WARNING, Check, check
from ..kserve.autoscaler_class import AUTOSCALER_ANNOTATION, AUTOSCALER_HPA, AUTOSCALER_NONE
from ..kserve.modes import KNATIVE
from ..kserve.system_config import CONFIG_MAP
from ..view import ServiceView
from .condition_path import path_fault
from .knative_mode import features, knative_limits, scaled_by_nobody
from .resolved import Resolved
from .spec import ENSEMBLE, SEQUENCE, SPLITTER, SWITCH, Step, all_steps, node_path, steps_of
from .step_targets import itself, nobody, stopped, url
from .switch_checks import shadowed
from .walk import always_taken, cycles, reached

#: What a step sends on in place of the request.
_RESPONSE = "$response"
_REQUEST = "$request"
#: Seconds in which the router has to write its answer, where a graph does not say.
_SERVER_WRITE = 60
#: What the router reads of a step, by the types of node in which it does.
_READ_IN = {
    "weight": (SPLITTER,),
    "condition": (SWITCH, SEQUENCE),
    "data": (SEQUENCE,),
    "mapPredictionsToInstances": (SEQUENCE,),
    "dependency": (SEQUENCE, ENSEMBLE),
}

NO_NODE = Check(
    "graph-node",
    WARNING,
    finds="the graph has no node {node}, so every request that takes this step gets 500",
    fix="{way}",
)
CYCLE = Check(
    "graph-cycle",
    WARNING,
    finds="this step closes a loop, {circle}: {effect}",
    fix="point it to a service, or to a node from which nothing leads back",
)
UNREACHED = Check(
    "graph-unreached",
    WARNING,
    finds="no step leads from root to the node {node}, so it gets no requests",
    fix="add a step with nodeName: {node}, or take the node out",
)
EMPTY = Check(
    "graph-empty",
    WARNING,
    finds="the node {node} has no steps, so {effect}",
    fix="add a step, or take the node out",
)
NEVER = Check(
    "graph-weight",
    WARNING,
    finds="a weight of {weight} never gets a request{more}",
    fix="give it a share above 0, or take the step out",
)
NO_CONDITION = Check(
    "graph-condition",
    WARNING,
    finds="a step of a Switch without a condition is never taken",
    fix="write a gjson path that such requests have",
)
WRONG_PATH = Check(
    "graph-condition",
    WARNING,
    finds="{condition} {fault}",
    fix='write a gjson path: a field such as kind, or a query of a list such as instances.#(kind=="cat")',
)
TOO_EARLY = Check(
    "graph-condition",
    WARNING,
    finds="the first step of a Sequence has a condition, but there is no response to read yet: every request gets 500",
    fix="take the condition out, or put a Switch in front",
)
UNUSED_ANSWER = Check(
    "graph-answer",
    WARNING,
    finds="nothing reads the response of this step: the next step gets the request again",
    fix="give the next step data: $response, or take this step out",
)
TOO_SHORT = Check(
    "graph-timeout",
    WARNING,
    finds="a step may take {step} seconds, but after {write} seconds the router stops writing the response: the client's connection breaks off",
    fix="write a longer routerTimeouts.serverWrite, or a shorter serviceClient",
)
WITHOUT_EFFECT = Check("no-effect", WARNING, finds="{value} has no effect: {why}", fix="{way}")
NO_CONFIG = Check(
    "system-config",
    WARNING,
    finds="ConfigMap {place} {what}: KServe's defaults apply, with mode Standard and its own router image",
    fix="install KServe's ConfigMap, or give it in cluster_objects",
)


@check(NO_NODE)
def no_node(view: ServiceView) -> Iterator[Problem]:
    """Yield steps to nodes that the graph does not have."""
    spec = _spec(view)
    for step in all_steps(spec):
        node = step.value.get("nodeName")
        if node and node not in spec["nodes"]:
            near = nearest(node, spec["nodes"])
            way = f"did you mean {near}?" if near else f"name one of {', '.join(spec['nodes'])}"
            yield NO_NODE.at(f"{step.path}.nodeName", node=node, way=way)


@check(CYCLE)
def cycle(view: ServiceView) -> Iterator[Problem]:
    """Yield steps that lead requests back to an earlier node."""
    spec = _spec(view)
    for way in cycles(spec):
        endless = all(always_taken(spec, step) for step in way)
        effect = (
            "no request ever ends"
            if endless
            else "a request ends only where a weight or a condition leads out of it"
        )
        nodes = [way[0].node, *(step.value["nodeName"] for step in way)]
        yield CYCLE.at(f"{way[-1].path}.nodeName", circle=" → ".join(nodes), effect=effect)


@check(UNREACHED)
def unreached(view: ServiceView) -> Iterator[Problem]:
    """Yield nodes that no request reaches."""
    spec = _spec(view)
    seen = reached(spec)
    for node in spec["nodes"]:
        if node not in seen:
            yield UNREACHED.at(node_path(node), node=node)


@check(EMPTY)
def empty(view: ServiceView) -> Iterator[Problem]:
    """Yield nodes without steps."""
    spec = _spec(view)
    effects = {
        SWITCH: "every request to it ends with 404",
        ENSEMBLE: "it answers {{}} to every request",
    }
    for node, value in spec["nodes"].items():
        if not value.get("steps"):
            effect = effects.get(value["routerType"], "the router breaks off every request to it")
            yield EMPTY.at(node_path(node), node=node, effect=effect.replace("{{}}", "{}"))


@check(NEVER)
def never(view: ServiceView) -> Iterator[Problem]:
    """Yield steps of a Splitter that get no requests, or take those of others."""
    for step in _in(view, SPLITTER):
        weight = step.value["weight"]
        if weight <= 0:
            more = ", and takes as much from the step after it" if weight < 0 else ""
            yield NEVER.at(f"{step.path}.weight", weight=weight, more=more)


@check(NO_CONDITION)
def no_condition(view: ServiceView) -> Iterator[Problem]:
    """Yield steps of a Switch that no request takes."""
    for step in _in(view, SWITCH):
        if not step.value.get("condition"):
            yield NO_CONDITION.at(step.path)


@check(WRONG_PATH, costly=True)
def wrong_path(view: ServiceView) -> Iterator[Problem]:
    """Yield conditions that every request meets, or none."""
    for step in (*_in(view, SWITCH), *_in(view, SEQUENCE)):
        condition = str(step.value.get("condition") or "")
        fault = path_fault(condition)
        if fault:
            yield WRONG_PATH.at(f"{step.path}.condition", condition=show(condition), fault=fault)


@check(TOO_EARLY)
def too_early(view: ServiceView) -> Iterator[Problem]:
    """Yield conditions that are evaluated before there is a response."""
    for step in _in(view, SEQUENCE):
        if step.number == 0 and step.value.get("condition"):
            yield TOO_EARLY.at(f"{step.path}.condition")


@check(UNUSED_ANSWER)
def unused_answer(view: ServiceView) -> Iterator[Problem]:
    """Yield steps of a Sequence whose response nothing reads."""
    for step in _in(view, SEQUENCE):
        following = next(_after(view, step), None)
        if following is None or step.value.get("dependency") == "Hard":
            continue
        if following.value.get("data") != _RESPONSE and not following.value.get("condition"):
            yield UNUSED_ANSWER.at(step.path)


@check(TOO_SHORT)
def too_short(view: ServiceView) -> Iterator[Problem]:
    """Yield time limits of steps beyond the router's own limit for a response."""
    timeouts = _spec(view).get("routerTimeouts") or {}
    step, write = timeouts.get("serviceClient") or 0, timeouts.get("serverWrite", _SERVER_WRITE)
    if 0 < write < step:
        field = "serverWrite" if "serverWrite" in timeouts else "serviceClient"
        yield TOO_SHORT.at(f"spec.routerTimeouts.{field}", step=step, write=write)


@check(WITHOUT_EFFECT)
def unread(view: ServiceView) -> Iterator[Problem]:
    """Yield fields of steps that the router does not read."""
    spec = _spec(view)
    for step in all_steps(spec):
        kind = spec["nodes"][step.node]["routerType"]
        for field, kinds in _READ_IN.items():
            value = step.value.get(field)
            if not value or value == _REQUEST:
                continue
            if kind not in kinds:
                why = f"the router reads it in nodes of type {' and '.join(kinds)}, and this one is a {kind}"
            elif field == "data" and value != _RESPONSE:
                why = f"the router knows {_RESPONSE}, and sends the request for everything else"
            elif field == "data" and step.number == 0:
                why = "before the first step there is no answer, and it gets the request"
            else:
                continue
            yield WITHOUT_EFFECT.at(
                f"{step.path}.{field}", value=show(value), why=why, way="leave it out"
            )


@check(WITHOUT_EFFECT)
def unscaled(view: ServiceView) -> Iterator[Problem]:
    """Yield fields without effect in Standard mode, and the annotation that Knative does not read."""
    resolved = _resolved(view)
    spec, scaler = _spec(view), resolved.autoscaler
    if resolved.mode == KNATIVE:
        if AUTOSCALER_ANNOTATION in resolved.graph.annotations:
            place = f'metadata.annotations["{AUTOSCALER_ANNOTATION}"]'
            way = "leave it out, or use Standard mode"
            yield WITHOUT_EFFECT.at(place, value="it", why="Knative scales the router", way=way)
        return
    if spec.get("timeout") is not None:
        why = "Knative obeys it, and in Standard mode nothing does"
        yield WITHOUT_EFFECT.at(
            "spec.timeout", value=spec["timeout"], why=why, way="use spec.routerTimeouts"
        )
    fields = ["minReplicas", "maxReplicas", "scaleMetric", "scaleTarget"]
    if scaler == AUTOSCALER_NONE:
        fields.remove("minReplicas")
    for field in fields if scaler != AUTOSCALER_HPA else ():
        if spec.get(field) not in (None, "", 0):
            why = (
                f"the annotation {AUTOSCALER_ANNOTATION} leaves the number of pods to somebody else"
            )
            way = f"leave it out, or write {AUTOSCALER_HPA} in the annotation"
            yield WITHOUT_EFFECT.at(f"spec.{field}", value=show(spec[field]), why=why, way=way)
    least, most = spec.get("minReplicas") or 1, spec.get("maxReplicas") or 0
    if scaler == AUTOSCALER_HPA and 0 < most < least:
        why = f"it is less than spec.minReplicas, so that there are {least} pods at most as well"
        yield WITHOUT_EFFECT.at(
            "spec.maxReplicas", value=most, why=why, way=f"write {least} or more"
        )
    metric = spec.get("scaleMetric")
    if scaler == AUTOSCALER_HPA and (metric in ("concurrency", "rps") or _aimless(spec)):
        why = (
            "no target is given for it, so that pods are added by their CPU"
            if metric == "memory"
            else "it is Knative's, so that pods are added by their CPU"
        )
        yield WITHOUT_EFFECT.at(
            "spec.scaleMetric", value=metric, why=why, way="write cpu, or memory with a scaleTarget"
        )


@check(NO_CONFIG, reads=("ConfigMaps",))
def no_config(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield that KServe's configuration is missing or unreadable."""
    namespace = _resolved(view).settings.kserve_namespace
    if reader.get(Reference("v1", "ConfigMap", namespace, CONFIG_MAP)) is None:
        what = "does not exist" if reader.complete else "is not among the given objects"
        yield NO_CONFIG.at("", place=f"{namespace}/{CONFIG_MAP}", what=what)


CHECKS = (
    no_node,
    cycle,
    unreached,
    empty,
    never,
    no_condition,
    wrong_path,
    too_early,
    unused_answer,
    too_short,
    unread,
    unscaled,
    url,
    itself,
    nobody,
    stopped,
    no_config,
    features,
    knative_limits,
    scaled_by_nobody,
    shadowed,
)


def _resolved(view: ServiceView) -> Resolved:
    resolved: Resolved = view.basis
    return resolved


def _spec(view: ServiceView) -> Json:
    return _resolved(view).graph.spec


def _in(view: ServiceView, kind: str) -> Iterator[Step]:
    """Yield the steps of the nodes of one type."""
    spec = _spec(view)
    for node, value in spec["nodes"].items():
        if value["routerType"] == kind:
            yield from steps_of(spec, node)


def _after(view: ServiceView, step: Step) -> Iterator[Step]:
    """Yield the steps of a node behind one of them."""
    return (each for each in steps_of(_spec(view), step.node) if each.number > step.number)


def _aimless(spec: Json) -> bool:
    return spec.get("scaleMetric") == "memory" and spec.get("scaleTarget") is None
