# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods and containers with parts that the API or a node will not take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .places import Json, Place, Spoilt, put
from .registry import Service, mistake

_GPU = "nvidia.com/gpu"


def _list(service: Service, place: Place, name: str, item: Any) -> tuple[Json, str]:
    """Return a document in which a list of a container or pod has one more item, and where it is."""
    there = list(place.value.get(name) or ())
    document = put(service.document, (*place.steps, name), [*there, item])
    return document, f"{place.path}.{name}[{len(there)}]"


def _envs(service: Service) -> Iterator[tuple[Place, str]]:
    """Yield what may hold variables, with the field for it."""
    for place in service.containers():
        yield place, "env"
    for place in service.places:
        engine = place.path == "spec.engine" or place.path.endswith(".model")
        if engine and "env" in getattr(place.schema, "fields", {}):
            yield place, "env"


def _variable(service: Service, item: Json, *below: str) -> Iterator[Spoilt]:
    for place, field in _envs(service):
        document, where = _list(service, place, field, item)
        yield Spoilt(document, (where, *(f"{where}.{each}" for each in below)))


@mistake
def variable_without_quotes(service: Service) -> Iterator[Spoilt]:
    yield from _variable(service, {"name": "DEBUG", "value": 1}, "value")


@mistake
def variable_with_blank_in_name(service: Service) -> Iterator[Spoilt]:
    yield from _variable(service, {"name": "A=B", "value": "1"}, "name")


@mistake
def variable_said_twice(service: Service) -> Iterator[Spoilt]:
    source = {"secretKeyRef": {"name": "s", "key": "k"}}
    yield from _variable(service, {"name": "X", "value": "1", "valueFrom": source}, "valueFrom")


@mistake
def variable_from_nowhere(service: Service) -> Iterator[Spoilt]:
    yield from _variable(
        service, {"name": "X", "valueFrom": {"secretRef": {"name": "s"}}}, "valueFrom"
    )


@mistake
def variables_as_map(service: Service) -> Iterator[Spoilt]:
    for place, field in _envs(service):
        document = put(service.document, (*place.steps, field), {"DEBUG": "1"})
        yield Spoilt(document, (f"{place.path}.{field}",))


@mistake
def mount_without_volume(service: Service) -> Iterator[Spoilt]:
    for place in service.containers():
        document, where = _list(
            service, place, "volumeMounts", {"name": "nowhere", "mountPath": "/nowhere"}
        )
        yield Spoilt(document, (where,))


@mistake
def mount_path_twice(service: Service) -> Iterator[Spoilt]:
    for place in service.containers():
        for mount in list(place.value.get("volumeMounts") or ())[:1]:
            document, where = _list(service, place, "volumeMounts", mount)
            yield Spoilt(document, (where,))


@mistake
def volume_twice(service: Service) -> Iterator[Spoilt]:
    for place in service.pods():
        for volume in list(place.value.get("volumes") or ())[:1]:
            document, where = _list(service, place, "volumes", volume)
            yield Spoilt(document, (where,))


@mistake
def volume_of_two_kinds(service: Service) -> Iterator[Spoilt]:
    for place in service.pods():
        volume = {"name": "both", "emptyDir": {}, "secret": {"secretName": "s"}}
        document, where = _list(service, place, "volumes", volume)
        yield Spoilt(document, (where,))


@mistake
def port_out_of_range(service: Service) -> Iterator[Spoilt]:
    for place in service.containers():
        document, where = _list(service, place, "ports", {"containerPort": 80800})
        yield Spoilt(document, (f"{where}.containerPort",))


@mistake
def port_with_long_name(service: Service) -> Iterator[Spoilt]:
    for place in service.containers():
        port = {"containerPort": 8123, "name": "metrics-and-health"}
        document, where = _list(service, place, "ports", port)
        yield Spoilt(document, (f"{where}.name",))


def _resources(service: Service) -> Iterator[Place]:
    for place in service.fields("resources"):
        if isinstance(place.value, dict):
            yield place


@mistake
def request_above_limit(service: Service) -> Iterator[Spoilt]:
    for place in _resources(service):
        value = {**place.value, "limits": {"cpu": "1"}, "requests": {"cpu": "2"}}
        document = put(service.document, place.steps, value)
        yield Spoilt(document, (place.path, f"{place.path}.requests.cpu"))


def _amounts(service: Service, field: str, **amounts: dict[str, str]) -> Iterator[Spoilt]:
    """Yield the service with these amounts in the place of each container's. field: below them, where that is told."""
    for place in _resources(service):
        document = put(service.document, place.steps, amounts)
        yield Spoilt(document, (place.path, f"{place.path}.{field}"))


@mistake
def devices_asked_for_unequally(service: Service) -> Iterator[Spoilt]:
    return _amounts(service, f'requests["{_GPU}"]', limits={_GPU: "2"}, requests={_GPU: "1"})


@mistake
def part_of_a_device(service: Service) -> Iterator[Spoilt]:
    return _amounts(service, f'limits["{_GPU}"]', limits={_GPU: "500m"}, requests={_GPU: "500m"})


@mistake
def devices_without_domain(service: Service) -> Iterator[Spoilt]:
    return _amounts(service, "limits.gpu", limits={"gpu": "1"})


@mistake
def image_with_blank(service: Service) -> Iterator[Spoilt]:
    for place in service.fields("image"):
        document = put(service.document, place.steps, f"{place.value} latest")
        yield Spoilt(document, (place.path,))


@mistake
def image_in_upper_case(service: Service) -> Iterator[Spoilt]:
    for place in service.fields("image"):
        document = put(service.document, place.steps, "registry.example.com/Acme/Server:1")
        yield Spoilt(document, (place.path,))


@mistake
def pull_policy_misspelt(service: Service) -> Iterator[Spoilt]:
    for place in service.containers():
        document = put(service.document, (*place.steps, "imagePullPolicy"), "IfNotpresent")
        yield Spoilt(document, (f"{place.path}.imagePullPolicy",))


@mistake
def probe_of_two_ways(service: Service) -> Iterator[Spoilt]:
    for place in service.containers():
        probe = {"exec": {"command": ["true"]}, "httpGet": {"path": "/", "port": 8080}}
        document = put(service.document, (*place.steps, "livenessProbe"), probe)
        yield Spoilt(document, (f"{place.path}.livenessProbe",))


@mistake
def toleration_of_every_value(service: Service) -> Iterator[Spoilt]:
    for place in service.pods():
        item = {"key": "k", "operator": "Exists", "value": "v"}
        document, where = _list(service, place, "tolerations", item)
        yield Spoilt(document, (where, f"{where}.value"))


@mistake
def node_label_without_quotes(service: Service) -> Iterator[Spoilt]:
    for place in service.pods():
        document = put(service.document, (*place.steps, "nodeSelector"), {"gpu": True})
        yield Spoilt(document, (f"{place.path}.nodeSelector.gpu",))


@mistake
def node_label_that_cannot_be(service: Service) -> Iterator[Spoilt]:
    for place in service.pods():
        document = put(service.document, (*place.steps, "nodeSelector"), {"gpu": "H100 80GB"})
        yield Spoilt(document, (f"{place.path}.nodeSelector.gpu",))


@mistake
def account_that_cannot_be(service: Service) -> Iterator[Spoilt]:
    for place in service.pods():
        document = put(service.document, (*place.steps, "serviceAccountName"), "Model_Reader")
        yield Spoilt(document, (f"{place.path}.serviceAccountName",))


@mistake
def pod_a_level_too_deep(service: Service) -> Iterator[Spoilt]:
    for place in service.pods():
        document = put(service.document, place.steps, {"spec": place.value})
        yield Spoilt(document, (f"{place.path}.spec",))


@mistake
def password_in_plain_text(service: Service) -> Iterator[Spoilt]:
    yield from _variable(service, {"name": "DB_PASSWORD", "value": "hunter2hunter2"}, "value")


@mistake
def memory_in_bytes(service: Service) -> Iterator[Spoilt]:
    yield from _amount(service, "memory", "16")


@mistake
def memory_in_thousandths(service: Service) -> Iterator[Spoilt]:
    yield from _amount(service, "memory", "512m")


@mistake
def processors_in_gibibytes(service: Service) -> Iterator[Spoilt]:
    yield from _amount(service, "cpu", "4Gi")


def _amount(service: Service, name: str, amount: str) -> Iterator[Spoilt]:
    """Yield containers that get an amount of a resource, as request and as limit."""
    for place in service.fields("resources"):
        if isinstance(place.value, dict):
            both = {
                part: {**(place.value.get(part) or {}), name: amount}
                for part in ("requests", "limits")
            }
            fields = tuple(f"{place.path}.{part}.{name}" for part in both)
            yield Spoilt(put(service.document, place.steps, {**place.value, **both}), fields)


@mistake
def label_of_no_node(service: Service) -> Iterator[Spoilt]:
    for place in service.pods():
        document = put(
            service.document, (*place.steps, "nodeSelector"), {"nvidia.com/gpu.present": "yes"}
        )
        yield Spoilt(document, (f"{place.path}.nodeSelector",))


@mistake
def longer_farewell_than_time(service: Service) -> Iterator[Spoilt]:
    for place in service.containers():
        farewell = {"preStop": {"exec": {"command": ["sleep", "7200"]}}}
        document = put(service.document, (*place.steps, "lifecycle"), farewell)
        pod = place.path.rpartition(".")[0]
        yield Spoilt(document, (f"{place.path}.lifecycle", f"{pod}.terminationGracePeriodSeconds"))
