# SPDX-License-Identifier: GPL-3.0-or-later
"""The pod spec as components embed it: Kubernetes' own, with lists that are written as a whole.

Source: serving.kserve.io/v1beta1 of KServe v0.17.0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...kube.pod_schema import POD_SPEC
from ...kube.schema import FieldRule, ListOf, Object, Schema

#: Lists that Kubernetes merges by key and this API does not.
WRITTEN_WHOLE = (
    "volumes",
    "initContainers",
    "containers",
    "ephemeralContainers",
    "imagePullSecrets",
    "hostAliases",
)


def _names_twice(items: Any) -> bool:
    names = [item.get("name") for item in items]
    return len(names) != len(set(names))


_ONCE = FieldRule(
    name="duplicate",
    message="a name is listed twice; use each once",
    broken=_names_twice,
)


def _fields() -> dict[str, Schema]:
    fields = dict(POD_SPEC.fields)
    for name in WRITTEN_WHOLE:
        whole = fields[name]
        if isinstance(whole, ListOf):
            rules = (_ONCE,) if whole.keys == ("name",) else ()
            fields[name] = dataclasses.replace(whole, keys=(), rules=rules)
    return fields


def _without_debuggers(fields: Mapping[str, Schema]) -> Mapping[str, Schema]:
    kept = {name: schema for name, schema in fields.items() if name != "ephemeralContainers"}
    system = kept["os"]
    if isinstance(system, Object):
        kept["os"] = dataclasses.replace(system, required=())
    return kept


#: The whole pod spec, as workers embed it.
WORKER_POD: Mapping[str, Schema] = _fields()
#: Without the containers of debuggers, which components cannot name.
COMPONENT_POD: Mapping[str, Schema] = _without_debuggers(WORKER_POD)
