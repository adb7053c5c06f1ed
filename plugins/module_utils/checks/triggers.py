# SPDX-License-Identifier: GPL-3.0-or-later
"""Triggers of KEDA: a type that it has, and the parameters without which it builds none of an autoscaler's triggers.

Source: KEDA pkg/scaling/scalers_builder.go, pkg/scalers/prometheus_scaler.go, pkg/scalers/cpu_memory_scaler.go@v2.17.0; its documentation,
Scalers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView
from ..kube import gvk
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.quantity import is_quantity
from ..kube.redact import redact_text
from ..kube.reference import Reference
from ..kube.schema_check import child_path

#: The types of triggers. New ones come with each release of KEDA, so only what is nearly one of these is told.
_TYPES = (
    *("activemq", "apache-kafka", "arangodb", "artemis-queue", "aws-cloudwatch", "aws-dynamodb"),
    *("aws-dynamodb-streams", "aws-kinesis-stream", "aws-sqs-queue", "azure-app-insights"),
    *("azure-blob", "azure-data-explorer", "azure-eventhub", "azure-log-analytics"),
    *("azure-monitor", "azure-pipelines", "azure-queue", "azure-servicebus", "beanstalkd"),
    *("cassandra", "couchdb", "cpu", "cron", "datadog", "dynatrace", "elasticsearch", "etcd"),
    *("external", "external-push", "gcp-cloudtasks", "gcp-pubsub", "gcp-stackdriver"),
    *("gcp-storage", "github-runner", "graphite", "huawei-cloudeye", "ibmmq", "influxdb", "kafka"),
    *("kubernetes-workload", "liiklus", "loki", "memory", "metrics-api", "mongodb", "mssql"),
    *("mysql", "nats-jetstream", "new-relic", "nsq", "openstack-metric", "openstack-swift"),
    *("postgresql", "predictkube", "prometheus", "pulsar", "rabbitmq", "redis", "redis-cluster"),
    *("redis-cluster-streams", "redis-sentinel", "redis-sentinel-streams", "redis-streams"),
    *("selenium-grid", "solace-event-queue", "solr", "splunk", "temporal"),
)
_LIKENESS = 0.8
#: Types that measure containers, and how their measurement may be compared.
_OF_PODS = ("cpu", "memory")
_SHARE, _PER_POD, _WHOLE = "Utilization", "AverageValue", "Value"


class _Parameters(NamedTuple):
    """Parameters of a type. numbers: those of the required ones and of others that are numbers. by_formula: needless beside a formula."""

    required: tuple[str, ...]
    others: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    by_formula: tuple[str, ...] = ()


_THRESHOLD, _ACTIVE = "threshold", "activationThreshold"
_PARAMETERS: Mapping[str, _Parameters] = {
    "prometheus": _Parameters(
        ("serverAddress", "query", _THRESHOLD),
        (_ACTIVE, "namespace", "customHeaders", "ignoreNullValues", "queryParameters", "unsafeSsl", "authModes", "timeout"),
        (_THRESHOLD, _ACTIVE),
        (_THRESHOLD,),
    ),
    "graphite": _Parameters(
        ("serverAddress", "query", "queryTime", _THRESHOLD),
        (_ACTIVE, "authMode"),
        (_THRESHOLD, _ACTIVE),
        (_THRESHOLD,),
    ),
    "loki": _Parameters(
        ("serverAddress", "query", _THRESHOLD),
        (_ACTIVE, "tenantName", "ignoreNullValues", "unsafeSsl", "authModes"),
        (_THRESHOLD, _ACTIVE),
        (_THRESHOLD,),
    ),
    "cron": _Parameters(
        ("timezone", "start", "end", "desiredReplicas"), numbers=("desiredReplicas",)
    ),
    "cpu": _Parameters(("value",), ("type", "containerName")),
    "memory": _Parameters(("value",), ("type", "containerName")),
}  # fmt: skip
_FLOAT, _AMOUNT, _PERCENT = "a number", "an amount such as 500m or 4Gi", "a number of percent"
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

TYPE = Check(
    "trigger-type",
    WARNING,
    finds="KEDA has no trigger {type}: it does not scale",
    fix="write {near}",
)
MISSING = Check(
    "trigger-parameter",
    WARNING,
    finds="the trigger {type} needs {name}, without which KEDA does not scale",
    fix="{way}",
)
UNREAD = Check(
    "trigger-parameter",
    WARNING,
    finds="the trigger {type} reads no {name}",
    fix="write {near}",
)
NUMBER = Check(
    "trigger-parameter",
    WARNING,
    finds='{name} of the trigger {type} is "{value}", which is not {wanted}: KEDA does not scale',
    fix="write {wanted}",
)
METRIC_TYPE = Check(
    "trigger-metric-type",
    WARNING,
    finds="the trigger {type} has {found}, and KEDA takes {known}: it does not scale",
    fix="write metricType: {meant}",
)


@check(TYPE, costly=True)
def trigger_type(view: ServiceView) -> Iterator[Problem]:
    """Yield triggers of a type that is nearly one of KEDA's."""
    for each in triggers_of(view):
        near = nearest(each.type, _TYPES, _LIKENESS)
        if near and each.type not in _TYPES:
            yield TYPE.at(each.at("type"), type=each.type, near=near)


@check(MISSING, costly=True)
def missing_parameter(view: ServiceView) -> Iterator[Problem]:
    """Yield triggers without a parameter that they need."""
    for each in triggers_of(view):
        row = _PARAMETERS.get(each.type)
        needless = row.by_formula if row and each.has_formula else ()
        for name in row.required if row else ():
            if not each.metadata.get(name) and name not in needless and not each.misspells(name):
                way = view.ways.get(f"{MISSING.rule} {name}", "add it to the trigger's metadata")
                yield MISSING.at(each.at("metadata"), type=each.type, name=name, way=way)


@check(UNREAD, costly=True)
def unread_parameter(view: ServiceView) -> Iterator[Problem]:
    """Yield parameters that are nearly those that a trigger reads."""
    for each in triggers_of(view):
        for name, near in each.misspelt.items():
            place = each.at(child_path("metadata", name))
            yield UNREAD.at(place, type=each.type, name=name, near=near)


@check(NUMBER, costly=True)
def parameter_number(view: ServiceView) -> Iterator[Problem]:
    """Yield parameters that have to be numbers, and are none."""
    for each in triggers_of(view):
        for name, wanted in _numbers(each):
            value = str(each.metadata.get(name) or "")
            if value and not (
                is_quantity(value) if wanted == _AMOUNT else _NUMBER.fullmatch(value)
            ):
                place = each.at(child_path("metadata", name))
                shown = redact_text(value)
                yield NUMBER.at(place, type=each.type, name=name, value=shown, wanted=wanted)


@check(METRIC_TYPE, costly=True)
def metric_type(view: ServiceView) -> Iterator[Problem]:
    """Yield triggers whose measurement KEDA cannot compare as they say."""
    for each in triggers_of(view):
        known = (_SHARE, _PER_POD) if each.type in _OF_PODS else (_PER_POD, _WHOLE)
        given = each.metric_type
        if each.type in _OF_PODS and not given:
            # Where older releases of KEDA read it.
            given = str(each.metadata.get("type") or "")
        if given not in known and (given or each.type in _OF_PODS):
            yield METRIC_TYPE.at(
                each.at("metricType"),
                type=each.type,
                found=f"metricType {given}" if given else "no metricType",
                known=" or ".join(known),
                meant=nearest(given, known) or known[0],
            )


class _Trigger(NamedTuple):
    """A trigger of a ScaledObject. path: where it is there. has_formula: whether a formula compares what is measured."""

    view: ServiceView
    reference: Reference
    path: str
    body: Json
    has_formula: bool

    @property
    def type(self) -> str:
        """Its type."""
        return str(self.body.get("type") or "")

    @property
    def metadata(self) -> Json:
        """Its parameters."""
        return self.body.get("metadata") or {}

    @property
    def metric_type(self) -> str:
        """How its measurement is compared; empty where nothing is said."""
        return str(self.body.get("metricType") or "")

    @property
    def misspelt(self) -> Mapping[str, str]:
        """Its parameters that nobody reads and that are nearly others: what is written and what is meant."""
        row = _PARAMETERS.get(self.type)
        known = (*row.required, *row.others) if row else ()
        free = [name for name in known if name not in self.metadata]
        found = {name: nearest(name, free) for name in self.metadata if name not in known}
        return {name: near for name, near in found.items() if near}

    def misspells(self, name: str) -> bool:
        """Tell whether a parameter is there under a wrong name."""
        return name in self.misspelt.values()

    def at(self, path: str) -> Place:
        """Return where a part of it is written."""
        return self.view.field_map.at(self.reference, f"{self.path}.{path}")


def triggers_of(view: ServiceView) -> Iterator[_Trigger]:
    """Yield the triggers of the autoscalers that a service makes."""
    for manifest in view.made_of(gvk.KEDA, "ScaledObject"):
        reference = Reference.of(manifest)
        formula = value_at(manifest, ("spec", "advanced", "scalingModifiers", "formula"))
        for number, body in enumerate(value_at(manifest, ("spec", "triggers")) or ()):
            path = f"spec.triggers[{number}]"
            yield _Trigger(view, reference, path, body, bool(formula))


def _numbers(trigger: _Trigger) -> Iterator[tuple[str, str]]:
    """Yield the parameters that are numbers, and what kind of number."""
    row = _PARAMETERS.get(trigger.type)
    yield from ((name, _FLOAT) for name in (row.numbers if row else ()))
    if trigger.type in _OF_PODS:
        how = trigger.metric_type or trigger.metadata.get("type")
        yield "value", _AMOUNT if how == _PER_POD else _PERCENT
