# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service becomes, in words of no kind: the workloads, routes and picker that every check looks at.

Each kind says it in its own `view.py`, from what it compiled. Nothing here is read to render anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from ..kube.command_line import Flag, placed_flags
from ..kube.manifest import Json, value_at
from ..kube.named_objects import Named, named_by_ingress, named_by_pod, named_by_scaler
from ..kube.reader import Reader
from ..kube.reference import Reference
from .field_map import NOWHERE, FieldMap, Place
from .route_view import RouteView

#: Roles of workloads, in every kind: those that answer, those that only read prompts, those that choose a pod, those that count tokens for
#: these, and what is around.
DECODE, PREFILL, PICKER = "decode", "prefill", "picker"
TOKENIZER = "tokenizer"
TRANSFORMER, EXPLAINER, ROUTER = "transformer", "explainer", "router"
#: The roles of pods that run an engine.
SERVING = (DECODE, PREFILL)


@dataclass(frozen=True, slots=True)
class Said:
    """What the custom resource says about something that a flag of the engine may say, too.

    where: the field, or what finds it, since only a finding asks.
    """

    value: str
    where: str | Callable[[], str]

    @property
    def field(self) -> str:
        """The field that says it."""
        return self.where if isinstance(self.where, str) else self.where()


#: Nothing is said.
NOBODY = Said("", "")
_VARIABLE = re.compile(r"(\.env(From)?)\[.*")
#: From a place in a pod, for example `containers[0].args[3]`, to where it comes from.
Fields = Callable[[str], Place]


@dataclass(frozen=True)
class Workload:
    """Pods of one make.

    role: what they are for. reference: of the object that makes them. origin: the author's field that describes them.
    pod, labels: as they will be sent. engine: the container that serves, empty for none. fetcher: the init container that fetches
    the model, empty where none does; it may be missing in `pod`, where a webhook adds it. sidecar: the container that sends the prefill
    part of requests elsewhere, empty for none.
    worker: whether they only help the leaders of their group, to which all requests come.
    replicas: None where somebody else decides. replicas_field: what says how many there are.
    pods_per_replica: how many pods hold one copy of the model.
    said: sizes and names that the custom resource itself gives, by what they are: tensor, pipeline, data, data_local, port, model_name, model;
    server: the program that a known runtime starts.
    usual_engine: the engine that the kind's presets start, as people call it; empty where the kind runs any. usual_release: the earliest
    of its releases that they start.
    """

    role: str
    reference: Reference
    origin: str
    pod: Json
    fields: Fields
    labels: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    fetcher: str = ""
    sidecar: str = ""
    worker: bool = False
    replicas: int | None = None
    replicas_field: str = ""
    pods_per_replica: int = 1
    said: Mapping[str, Said] = field(default_factory=dict)
    usual_engine: str = ""
    usual_release: str = ""

    @cached_property
    def engine_path(self) -> str:
        """Where the engine's container is in the pod, for example `containers[0]`; empty for none."""
        for number, container in enumerate(self.pod.get("containers") or ()):
            if self.engine and container.get("name") == self.engine:
                return f"containers[{number}]"
        return ""

    @cached_property
    def engine_container(self) -> Json:
        """The container that serves, empty where there is none."""
        return next(
            (
                container
                for container in self.pod.get("containers") or ()
                if self.engine and container.get("name") == self.engine
            ),
            {},
        )

    @cached_property
    def flags(self) -> Sequence[Flag]:
        """The flags of the engine's command line, in order."""
        return tuple(placed_flags(self.engine_container)) if self.engine_container else ()

    @cached_property
    def flag_names(self) -> frozenset[str]:
        """The names of these flags."""
        return frozenset(flag.name for flag in self.flags)

    def in_engine(self, path: str) -> Place:
        """Return where a part of the engine's container comes from, for example `args`."""
        place = self._places.get(path)
        if place is None:
            place = self._places[path] = self.fields(f"{self.engine_path}.{path}")
        return place

    @cached_property
    def _places(self) -> dict[str, Place]:
        return {}

    @cached_property
    def known(self) -> dict[str, str]:
        """What checks found out about it, so that they look only once."""
        return {}

    def written(self, *paths: str) -> Place:
        """Return where the first of several parts of the pod comes from that the author wrote; of the first part where a preset has all."""
        places = [self.fields(path) for path in paths]
        return next((place for place in places if not place.object), places[0])


@dataclass(frozen=True, slots=True)
class PickerView:
    """The endpoint picker of a service. config: what its author's configuration became, None for the release's own.

    place: where that is. target: the picker's release. replicas_field: what says how many run. failure: what gateways do without one.
    """

    workload: Workload
    pool: str
    config: str | None
    place: Place
    target: str
    replicas_field: str
    failure: str = ""


def _nobody_else(_uri: str, _reader: Reader) -> bool:
    return False


@dataclass(frozen=True)
class ServiceView:
    """A service as checks see it.

    sender: what sends the prefill part of requests to prefill pods; empty value: nothing does; field: what has to be given for that.
    provider: who makes the gateway work, for example `istio`; empty where nobody says. refers: objects that the service uses and does not make.
    s3_keys: entries of a Secret that are read to fetch a model from S3. credentials: entries by which a Secret's credentials are recognised, by
    what the address of a model begins with. secret_annotation: by this one the service itself names such a Secret; empty for none.
    ways: by rule, what else mends it in this kind.
    made: the manifests of its children. own: what is its own as well and may be made later.
    calls: addresses of others that its pods send something to, as the custom resource says them.
    run: what all services of the run make. models: the addresses of its models. sizes: amounts of memory that no pod shows as they are written.
    fetched_otherwise: whether somebody else than KServe's own
    initializer fetches a model of that address. basis: what the kind made of the service, for the kind's own checks.
    field_map: where the parts of its children are written.
    """

    reference: Reference
    document: Json
    workloads: tuple[Workload, ...]
    made: Sequence[Json] = ()
    own: tuple[Reference, ...] = ()
    run: Collection[Reference] = frozenset()
    models: tuple[Said, ...] = ()
    sizes: tuple[Said, ...] = ()
    calls: tuple[Said, ...] = ()
    fetched_otherwise: Callable[[str, Reader], bool] = _nobody_else
    routes: tuple[RouteView, ...] = ()
    picker: PickerView | None = None
    sender: Said = NOBODY
    provider: str = ""
    refers: tuple[tuple[Reference, Place], ...] = ()
    s3_keys: frozenset[str] = frozenset()
    credentials: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    secret_annotation: str = ""
    ways: Mapping[str, str] = field(default_factory=dict)
    field_map: FieldMap = NOWHERE
    basis: Any = None

    def of(self, *roles: str) -> Iterator[Workload]:
        """Yield the workloads of roles."""
        for workload in self.workloads:
            if workload.role in roles:
                yield workload

    def made_of(self, api_version: str, kind: str) -> Sequence[Json]:
        """Return the manifests of its children of one kind."""
        return self._made.get((api_version, kind), ())

    @cached_property
    def _made(self) -> Mapping[tuple[Any, Any], Sequence[Json]]:
        found: dict[tuple[Any, Any], list[Json]] = {}
        for manifest in self.made:
            key = (manifest.get("apiVersion"), manifest.get("kind"))
            found.setdefault(key, []).append(manifest)
        return found

    @cached_property
    def serving(self) -> tuple[Workload, ...]:
        """The workloads whose engines hold the model."""
        return tuple(each for each in self.workloads if each.engine_container)

    def most_replicas(self, workload: Workload) -> int:
        """Return how many replicas a workload may have, as many as an autoscaler may want where there is one."""
        most = [1 if workload.replicas is None else workload.replicas]
        for manifest in self.made:
            spec = manifest.get("spec") or {}
            if (spec.get("scaleTargetRef") or {}).get("name") == workload.reference.name:
                most.append(int(spec.get("maxReplicas") or spec.get("maxReplicaCount") or 1))
        return max(most)

    @cached_property
    def names(self) -> tuple[tuple[Named, Place], ...]:
        """The objects that its pods, autoscalers and Ingresses name, each with where the author does so."""
        of_pods = [each for workload in self.workloads for each in self.names_of(workload)]
        of_scalers = [
            (named, self._of_scaler(manifest, named))
            for manifest in self.made
            if manifest.get("kind") == "ScaledObject"
            for named in named_by_scaler(manifest)
        ]
        of_ingresses = [
            (named, Place(""))
            for manifest in self.made
            if manifest.get("kind") == "Ingress"
            for named in named_by_ingress(manifest)
        ]
        return (*of_pods, *of_scalers, *of_ingresses)

    def _of_scaler(self, manifest: Json, named: Named) -> Place:
        """Return where an autoscaler names an object: the field, or the workload that it scales."""
        place = self.field_map.at(Reference.of(manifest), named.path)
        if place.exact:
            return place
        target = value_at(manifest, ("spec", "scaleTargetRef", "name"))
        origins = (each.origin for each in self.workloads if each.reference.name == target)
        return Place(next(origins, ""))

    def names_of(self, workload: Workload) -> Iterator[tuple[Named, Place]]:
        """Yield the objects that the pods of one workload name."""
        for named in named_by_pod(workload.pod, workload.reference.namespace):
            # Positions within `env` are not the author's where a preset has variables, too.
            place = workload.fields(_VARIABLE.sub(r"\1", named.path))
            yield named, self.of_model(place, named.name)

    def label(self, workload: Workload, name: str) -> Place | None:
        """Return where the author writes a label of a workload or of its pods, None where nobody wrote it."""
        made = (each for each in self.made if Reference.of(each) == workload.reference)
        for manifest in made:
            for path in ("", *(f"{path}." for path, dummy in templates_of(manifest))):
                place = self.field_map.at(workload.reference, f'{path}metadata.labels["{name}"]')
                if place.exact:
                    return place
        return None

    def beneath(self, workload: Workload, path: str) -> Iterator[tuple[str, Any]]:
        """Yield what presets and runtimes write at a place of the engine's container where it has something else: who does, and what."""
        for manifest in self.made:
            if Reference.of(manifest) == workload.reference:
                for template, pod in templates_of(manifest):
                    if pod.get("spec") == workload.pod:
                        place = f"{template}.spec.{workload.engine_path}.{path}"
                        yield from self.field_map.beneath(workload.reference, place)

    def of_model(self, place: Place, name: str) -> Place:
        """Return the field with the address of a model, where that is what a part of a pod comes from. name: that of its claim or image."""
        if place.exact:
            return place
        addresses = {each.value.partition("://")[2]: each for each in self.models}
        found = (each for rest, each in addresses.items() if name in (rest, rest.split("/")[0]))
        said = next(found, None)
        return Place(said.field) if said is not None else place

    def beside(self, makes: Sequence[Reference]) -> Neighbour:
        """Return what other services have to know of it. makes: its children."""
        return Neighbour(self.reference, makes, self.routes, self.refers)

    @cached_property
    def splits(self) -> bool:
        """Whether some pods read prompts for others."""
        return any(True for dummy in self.of(PREFILL))


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What other services of a run have to know of one: the objects that it makes and uses, and its routes."""

    reference: Reference
    makes: Sequence[Reference]
    routes: Sequence[RouteView]
    refers: Sequence[tuple[Reference, Place]]


def port_said(pod: Json, engine: str, fields: Fields) -> dict[str, Said]:
    """Return the port that an engine's container declares, where it declares one: Services and probes follow it."""
    for number, container in enumerate(pod.get("containers") or ()):
        ports = container.get("ports") or []
        if container.get("name") == engine and len(ports) == 1:
            where = partial(_port_field, engine, number, fields)
            return {"port": Said(str(ports[0].get("containerPort")), where)}
    return {}


def _port_field(engine: str, number: int, fields: Fields) -> str:
    place = fields(f"containers[{number}].ports[0].containerPort")
    return f"{place.object or place.field} (ports of the container {engine})"


def templates_of(manifest: Json) -> Iterator[tuple[str, Json]]:
    """Yield the pod templates of a workload, each with where it is; a Pod is one itself."""
    spec: Json = manifest.get("spec") or {}
    group = spec.get("leaderWorkerTemplate")
    if manifest.get("kind") == "Pod":
        yield "", manifest
    elif group is None:
        yield "spec.template", spec.get("template") or {}
    else:
        for name in ("leaderTemplate", "workerTemplate"):
            if group.get(name):
                yield f"spec.leaderWorkerTemplate.{name}", group[name]


def group_size(manifest: Json) -> int:
    """Return how many pods one replica of a workload has."""
    return int(value_at(manifest, ("spec", "leaderWorkerTemplate", "size")) or 1)
