# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of the pod itself that are given for something in other pods: collectors of traces, caches, queues, databases.

Source: the registry of port numbers; OpenTelemetry specification, OTLP Exporter Configuration; LMCache docs, Remote storage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import EXPLAINER, TRANSFORMER, ServiceView, Workload, templates_of
from ..kube.command_line import placed_flags
from ..kube.containers import running_in
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.redact import redact_text
from ..kube.reference import Reference
from ..kube.schema_faults import show
from ..kube.url_form import local_port
from .engines import engine_of
from .ports import listens

#: What programs of their own are asked by.
_SCHEMES = (
    *("amqp", "etcd", "kafka", "lm", "memcached", "mongodb", "mysql", "nats", "postgres"),
    *("postgresql", "redis", "rediss", "valkey"),
)
#: Ports of such programs: collectors, caches, queues, databases.
_PORTS = frozenset(
    {
        *(2379, 3306, 4222, 4317, 4318, 5432, 5672, 6333, 6334, 6379, 6831, 8125, 9092, 9200, 9411),
        *(11211, 14250, 14268, 19530, 27017),
    }
)
#: Flags of KServe's servers for the pods of another component.
_OTHER_PODS = ("--predictor-host", "--explainer-host")
#: Names of what a program listens at, or where its own processes find each other.
_OWN = re.compile(
    r"(?i)bind|listen|init|master|rdzv|rendezvous|rpc|dist|nccl|rank|side.?channel|health"
)
#: Names of labels and annotations by which a pod gets containers of somebody else, and values that say no.
_INJECTED = re.compile(r"(?i)inject")
_OFF = ("false", "disabled")

NOBODY = Check(
    "local-address",
    WARNING,
    finds="{name} is {address}, the pod itself, where nothing listens on port {port}",
    fix="write the name of the target's Service",
)


CALLED = Check(
    "local-address",
    WARNING,
    finds="{address} leads back to the pod that calls it, but the target runs in another pod",
    fix="write the name of the target's Service",
)


class _Address(NamedTuple):
    """An address that a container is given. name: of the flag or variable."""

    name: str
    text: str
    place: Place


@check(CALLED, costly=True)
def called(view: ServiceView) -> Iterator[Problem]:
    """Yield addresses of steps, logs and models that lead back to the pod that asks."""
    for said in (*view.calls, *view.models):
        if local_port(said.value):
            yield CALLED.at(said.field, address=show(redact_text(said.value)))


@check(NOBODY, costly=True)
def nobody(view: ServiceView) -> Iterator[Problem]:
    """Yield addresses in the own pod at which nothing answers. A pod that gets more containers later is left out."""
    for workload in view.workloads:
        together = list(running_in(workload.pod))
        if gets_more(view, workload):
            continue
        for container, path in together:
            beside = [each for each, dummy in together if each is not container]
            if any(not each.get("ports") for each in beside):
                continue
            known = {port for each, dummy in together for dummy, port in listens(workload, each)}
            for each in _addresses(workload, container, path):
                port = local_port(each.text)
                own = port in known and not _is_of_another_pod(workload, each)
                if not port or own or not each.place.exact:
                    continue
                if _is_elsewhere(view, workload, container, each):
                    yield NOBODY.at(
                        each.place, name=each.name, address=show(redact_text(each.text)), port=port
                    )


def _addresses(workload: Workload, container: Json, path: str) -> Iterator[_Address]:
    for flag in placed_flags(container):
        if not _OWN.search(flag.name):
            yield _Address(flag.name, flag.value, workload.fields(f"{path}.{flag.place}"))
    for number, variable in enumerate(container.get("env") or ()):
        name = str(variable.get("name"))
        if variable.get("value") and not _OWN.search(name):
            place = workload.fields(f"{path}.env[{number}]")
            yield _Address(name, str(variable["value"]), place)


def _is_of_another_pod(workload: Workload, each: _Address) -> bool:
    """Tell whether a component is told where another one is, which has pods of its own."""
    return each.name in _OTHER_PODS and workload.role in (TRANSFORMER, EXPLAINER)


def _is_elsewhere(view: ServiceView, workload: Workload, container: Json, each: _Address) -> bool:
    """Tell whether a program of its own is meant: by its port or scheme, or since engines and pickers run nothing but themselves."""
    scheme = each.text.partition("://")[0].lower()
    if _is_of_another_pod(workload, each) or scheme in _SCHEMES or local_port(each.text) in _PORTS:
        return True
    picks = view.picker is not None and workload is view.picker.workload
    serves = container is workload.engine_container and engine_of(workload)
    return scheme in ("http", "https") and bool(picks or (serves and container.get("ports")))


def gets_more(view: ServiceView, workload: Workload) -> bool:
    """Tell whether something is asked to add containers to the pods."""
    for manifest in view.made:
        if Reference.of(manifest) != workload.reference:
            continue
        for dummy, template in templates_of(manifest):
            for texts in ("annotations", "labels"):
                given: Json = value_at(template, ("metadata", texts)) or {}
                if any(_INJECTED.search(key) and given[key] not in _OFF for key in given):
                    return True
    return False
