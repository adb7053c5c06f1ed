# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses about environment variables. Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ..manifest import Json
from ..names import check_data_key, check_dns_subdomain, check_label_key
from ..problem import Problem
from ..quantity import canonical_quantity
from ..schema_faults import show
from .forms import variable_fault

_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
_SUBSCRIPT = re.compile(r"metadata\.(?P<map>labels|annotations)\['(?P<key>.*)'\]")

_FIELD_PATHS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
#: The old spelling of spec.nodeName, still understood.
_NODE_NAME, _OLD_NODE_NAME = "spec.nodeName", "spec.host"
_RESOURCE_FIELDS = tuple(
    f"{side}.{name}"
    for side in ("limits", "requests")
    for name in ("cpu", "memory", "ephemeral-storage")
)
#: Units in which a variable may count; 0 is no unit.
_CPU_UNITS = ("0", "1", "1m")
_BYTE_UNITS = (
    "0",
    *["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"],
)


def env_problems(env: Sequence[Json], path: str, volumes: Collection[str]) -> Iterator[Problem]:
    """Yield what is wrong with environment variables, one by one. Duplicates are not looked at.

    volumes: the emptyDir volumes of the pod, which alone may hold files with variables.
    """
    for number, variable in enumerate(env):
        where = f"{path}[{number}]"
        name = variable["name"]
        fault = variable_fault(name)
        if fault:
            yield Problem(f"{where}.name", fault, rule="env-name")
        if "valueFrom" in variable:
            yield from _source_problems(variable, f"{where}.valueFrom", volumes)


def _source_problems(variable: Json, path: str, volumes: Collection[str]) -> Iterator[Problem]:
    name, source = variable["name"], variable["valueFrom"]
    if len(source) != 1:
        kinds = "fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef"
        yield Problem(path, f"{name}: give exactly one of {kinds}", rule="env-source")
    if variable.get("value"):
        yield Problem(path, f"{name}: give either value or valueFrom, not both", rule="env-source")
    for kind, body in source.items():
        where = f"{path}.{kind}"
        for field, message in _SOURCES[kind](body):
            yield Problem(f"{where}.{field}", f"{name}: {message}", rule="env-source")
        if kind == "fileKeyRef" and body["volumeName"] not in volumes:
            message = f"{name}: {show(body['volumeName'])} is not one of the emptyDir volumes {', '.join(volumes)}"
            yield Problem(f"{where}.volumeName", message, rule="env-source")


def field_faults(body: Json, fields: Sequence[str] = _FIELD_PATHS) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a reference to a field of the pod, each with where. fields: those that can be had."""
    if (body.get("apiVersion") or "v1") != "v1":
        yield "apiVersion", f"{show(body['apiVersion'])} is not v1"
    wanted = body["fieldPath"]
    subscript = _SUBSCRIPT.fullmatch(wanted)
    if subscript:
        # Keys of annotations are compared in lower case.
        key = subscript["key"].lower() if subscript["map"] == "annotations" else subscript["key"]
        fault = check_label_key(key)
        if fault:
            yield "fieldPath", fault
    elif (_NODE_NAME if wanted == _OLD_NODE_NAME else wanted) not in fields:
        known = ", ".join((*fields, "metadata.labels['…']", "metadata.annotations['…']"))
        yield "fieldPath", f"{show(wanted)} is none of {known}"


def resource_faults(body: Json) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a reference to a request or limit, each with where."""
    wanted = body["resource"]
    if wanted not in _RESOURCE_FIELDS and not wanted.startswith(_HUGE_PAGES):
        yield "resource", f"{show(wanted)} is none of {', '.join(_RESOURCE_FIELDS)}"
    units = _CPU_UNITS if wanted.endswith(".cpu") else _BYTE_UNITS
    if canonical_quantity(body.get("divisor", "0")) not in units:
        yield "divisor", f"{show(body['divisor'])} is not one of {', '.join(units[1:])}"


def _key_faults(body: Json) -> Iterator[tuple[str, str]]:
    fault = check_dns_subdomain(body.get("name", ""))
    if fault:
        yield "name", fault
    key = body["key"]
    if check_data_key(key):
        yield (
            "key",
            f'{show(key)} is not a key: letters, digits, "-", "_" and "." are allowed, 1 to 253 of them',
        )


def _file_faults(body: Json) -> Iterator[tuple[str, str]]:
    if variable_fault(body["key"]):
        yield "key", f"{show(body['key'])} is not a variable"
    if not body["path"] or ".." in body["path"].split("/"):
        yield "path", f'{show(body["path"])} must not be empty nor hold ".."'


_SOURCES = {
    "fieldRef": field_faults,
    "resourceFieldRef": resource_faults,
    "configMapKeyRef": _key_faults,
    "secretKeyRef": _key_faults,
    "fileKeyRef": _file_faults,
}
