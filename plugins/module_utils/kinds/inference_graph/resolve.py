# SPDX-License-Identifier: GPL-3.0-or-later
"""From a graph as it was loaded to what it means in its cluster: which router, whom each step asks, who scales.

Source: KServe pkg/controller/v1alpha1/inferencegraph/{controller,raw_ig,knative_reconciler}.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...kube import gvk
from ...kube.manifest import Json, value_at
from ...kube.problem import Complaint, InputError, Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.schema_faults import show
from ..kserve.autoscaler_class import (
    AUTOSCALER_ANNOTATION,
    AUTOSCALER_HPA,
    AUTOSCALER_KEDA,
    AUTOSCALER_NONE,
    CLASSES,
    AutoscalerClass,
)
from ..kserve.host_name import HostError, host_name
from ..kserve.knative.scaling import NoAutoscaler, without_invalid_initial_scale
from ..kserve.modes import KNATIVE, MODE_ANNOTATION, MODES, STANDARD, canonical_mode
from ..kserve.predictor_endpoint import NoEndpoint, predictor_endpoint
from ..kserve.read_system_config import read_system_config
from ..kserve.system_config import CONFIG_MAP, Misconfigured, SystemConfig
from ..peers import NOBODY, Peers
from . import labels
from .resolved import Resolved
from .settings import Settings
from .spec import InferenceGraph, Step, all_steps

_LLM = "LLMInferenceService"
_MODE = f'metadata.annotations["{MODE_ANNOTATION}"]'
_CLASS = f'metadata.annotations["{AUTOSCALER_ANNOTATION}"]'


def resolve(
    graph: InferenceGraph, settings: Settings, reader: Reader, peers: Peers = NOBODY
) -> Resolved:
    """Return a graph with the cluster's configuration applied. Raises InputError with all that forbids to run it."""
    if graph.stopped:
        return Resolved(graph, settings)
    try:
        config = read_system_config(settings.kserve_namespace, reader)
        config.need("router")
    except Misconfigured as error:
        raise InputError([Complaint(graph.subject, error.problems)]) from error
    mode = _mode(graph, config, reader)
    problems = [*_mode_problems(graph, mode)]
    annotations, url = graph.annotations, ""
    try:
        if mode == KNATIVE:
            annotations = without_invalid_initial_scale(annotations, reader)
        else:
            problems += _scaling_problems(graph)
            url = f"http://{_host(graph, config)}"
    except NoAutoscaler as error:
        problems.append(Problem("", f"{error}; {error.advice}", rule="knative"))
    except HostError as error:
        advice = f"the name comes from `domainTemplate` in {CONFIG_MAP}: shorten the graph's name, or change the template"
        problems.append(Problem("metadata.name", f"{error}; {advice}", rule="host"))
    services = _services(graph, reader, peers)
    urls: dict[tuple[str, int], str] = {}
    for step in all_steps(graph.spec):
        try:
            urls[step.node, step.number] = _url(graph, step, services, config, settings, reader)
        except NoEndpoint as error:
            problems.append(_unasked(graph, step, str(error), peers))
    if problems:
        raise InputError([Complaint(graph.subject, tuple(problems))])
    return Resolved(
        graph,
        settings,
        mode=mode,
        annotations=annotations,
        router=config.router,
        deploy=config.deploy,
        spec=_with_urls(graph.spec, urls),
        services={name: found for name, found in services.items() if found is not None},
        autoscaler=_autoscaler(graph) if mode == STANDARD else AUTOSCALER_NONE,
        url=url,
        headless=config.service_cluster_ip_none,
    )


def _mode(graph: InferenceGraph, config: SystemConfig, reader: Reader) -> str:
    """Return the mode of a graph: that of its status, of its annotation, of the configuration."""
    running = value_at(reader.get(graph.reference) or {}, ("status", "deploymentMode")) or ""
    wanted = canonical_mode(graph.annotations.get(MODE_ANNOTATION, ""))
    return canonical_mode(running) or (wanted if wanted in MODES else config.deploy.default_mode)


def _mode_problems(graph: InferenceGraph, mode: str) -> Iterator[Problem]:
    """Yield why a graph is run neither by a Deployment nor by Knative."""
    written = graph.annotations.get(MODE_ANNOTATION, "")
    ways = f"write {STANDARD} or {KNATIVE}"
    if written and canonical_mode(written) not in MODES:
        message = f"{show(written)} is no mode in which KServe runs a graph; {ways}"
        yield Problem(_MODE, message, rule="mode")
    elif mode not in (STANDARD, KNATIVE):
        who = f"{show(written)}" if written else f"{mode or 'nothing'}, the default of {CONFIG_MAP}"
        yield Problem(_MODE, f"{who}: KServe would run the graph by Knative; {ways}", rule="mode")


def _scaling_problems(graph: InferenceGraph) -> Iterator[Problem]:
    written = graph.annotations.get(AUTOSCALER_ANNOTATION, AUTOSCALER_HPA)
    if written == AUTOSCALER_KEDA:
        message = (
            f"{AUTOSCALER_KEDA}: KServe writes a ScaledObject without triggers for a graph, which KEDA refuses; "
            f"write {AUTOSCALER_HPA}, or external and a ScaledObject of your own"
        )
        yield Problem(_CLASS, message, rule="autoscaler")
    elif written not in CLASSES:
        message = f"{show(written)} is not one of {', '.join(each for each in CLASSES if each != AUTOSCALER_KEDA)}"
        yield Problem(_CLASS, message, rule="autoscaler")


def _autoscaler(graph: InferenceGraph) -> AutoscalerClass:
    written = graph.annotations.get(AUTOSCALER_ANNOTATION, AUTOSCALER_HPA)
    return next(known for known in CLASSES if known == written)


def _host(graph: InferenceGraph, config: SystemConfig) -> str:
    """Return the host name of a graph. The template sees the graph's own labels and KServe's. Raises HostError."""
    return host_name(
        graph.name,
        graph.namespace,
        config.ingress,
        labels={**graph.labels, labels.GRAPH: graph.name},
        annotations=graph.annotations,
    )


def leads_to(live: Json) -> Iterator[Reference]:
    """Yield the InferenceServices that the steps of a live graph name."""
    place = live["metadata"].get("namespace") or ""
    for node in (value_at(live, ("spec", "nodes")) or {}).values():
        for step in (node or {}).get("steps") or ():
            if name := step.get("serviceName"):
                yield _reference(place, str(name))


def _reference(namespace: str, name: str) -> Reference:
    return Reference(gvk.KSERVE_V1BETA1, "InferenceService", namespace, name)


def _services(graph: InferenceGraph, reader: Reader, peers: Peers) -> Mapping[str, Json | None]:
    """Return the InferenceServices that steps name, None for those that are not there, or go with this run. Those of the task are as they
    will be."""
    steps = all_steps(graph.spec)
    names = {each.value["serviceName"] for each in steps if each.value.get("serviceName")}
    return {
        name: _service(_reference(graph.namespace, name), reader, peers) for name in sorted(names)
    }


def _service(reference: Reference, reader: Reader, peers: Peers) -> Json | None:
    live, peer = reader.get(reference), peers.named(reference)
    if peer is None:
        return None if live is not None and peers.leaves(live) else live
    return {**peer.document, "status": (live or {}).get("status") or {}}


def _url(
    graph: InferenceGraph,
    step: Step,
    services: Mapping[str, Json | None],
    config: SystemConfig,
    settings: Settings,
    reader: Reader,
) -> str:
    """Return the URL that a step asks, empty for one that leads to a node. Raises NoEndpoint."""
    name = step.value.get("serviceName")
    if not name:
        return str(step.value.get("serviceUrl") or "")
    service = services[name]
    if service is None:
        if reader.get(_reference(graph.namespace, name)) is not None:
            raise NoEndpoint("this run removes it")
        absent = "does not exist" if reader.complete else "is not among the given objects"
        raise NoEndpoint(f"it {absent}")
    return predictor_endpoint(
        service,
        config,
        reader,
        release=settings.release,
        cluster_domain=settings.cluster_domain,
    )


def _unasked(graph: InferenceGraph, step: Step, why: str, peers: Peers) -> Problem:
    name = step.value["serviceName"]
    message = f"InferenceService {name} cannot be asked: {why}; list it with the graph, correct the name, or give a serviceUrl"
    if any((each.namespace, each.name) == (graph.namespace, name) for each in peers.of_kind(_LLM)):
        message = f"InferenceService {name} cannot be asked: {why}; graphs know no LLMInferenceServices: give the URL of that one in serviceUrl"
    return Problem(f"{step.path}.serviceName", message, rule="graph-service")


def _with_urls(spec: Json, urls: Mapping[tuple[str, int], str]) -> Json:
    """Return a spec in which each step that names a service has its URL, too."""
    nodes = {}
    for node, value in spec["nodes"].items():
        nodes[node] = dict(value)
        if value.get("steps"):
            nodes[node]["steps"] = [
                {**step, "serviceUrl": urls[node, number]} if urls[node, number] else step
                for number, step in enumerate(value["steps"])
            ]
    return {**spec, "nodes": nodes}
