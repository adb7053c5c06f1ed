# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of what is read about a cluster, as far as it is read. What a user gives in place of one is checked by them.

Source: k8s.io/api v0.36, kueue.x-k8s.io/v1beta2.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..kube.core_schema import string_map
from ..kube.schema import (
    Anything,
    Boolean,
    Integer,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
)
from ..kube.shapes import COMMON, Shapes
from ..kube.workload_shapes import POD
from .published import DEVICE_API
from .queues import API_VERSIONS

_TEXT, _TEXTS, _FLAG = Text(), string_map(""), Boolean()
_COUNT = Integer(minimum=0)
_AMOUNT = QuantityValue()
_AMOUNTS = MapOf(values=_AMOUNT)
_MAP = Anything(type="object")


def _of(*required: str, **fields: Schema) -> Object:
    return Object(fields=fields, required=required)


def _list(*required: str, **fields: Schema) -> ListOf:
    return ListOf(items=_of(*required, **fields))


_NODE: Mapping[str, Schema] = {
    "spec": _of(
        unschedulable=_FLAG, taints=_list("key", "effect", key=_TEXT, value=_TEXT, effect=_TEXT)
    ),
    "status": _of(
        allocatable=_AMOUNTS,
        capacity=_AMOUNTS,
        conditions=_list("type", "status", type=_TEXT, status=_TEXT),
    ),
}
_QUOTA: Mapping[str, Schema] = {
    "spec": _of(
        hard=_AMOUNTS,
        scopes=ListOf(items=_TEXT),
        scopeSelector=_of(
            matchExpressions=_list(
                "scopeName",
                "operator",
                scopeName=_TEXT,
                operator=_TEXT,
                values=ListOf(items=_TEXT),
            )
        ),
    ),
    "status": _of(hard=_AMOUNTS, used=_AMOUNTS),
}
_RANGE: Mapping[str, Schema] = {
    "spec": _of(
        limits=_list(
            "type",
            type=_TEXT,
            default=_AMOUNTS,
            defaultRequest=_AMOUNTS,
            min=_AMOUNTS,
            max=_AMOUNTS,
        )
    )
}
_AUTOSCALER: Mapping[str, Schema] = {
    "spec": _of(
        "maxReplicas",
        scaleTargetRef=_of("kind", "name", kind=_TEXT, name=_TEXT),
        maxReplicas=_COUNT,
    )
}
_CLUSTER_QUEUE: Mapping[str, Schema] = {
    "spec": _of(
        cohort=_TEXT,
        cohortName=_TEXT,
        resourceGroups=_list(
            coveredResources=ListOf(items=_TEXT),
            flavors=_list(
                "name",
                name=_TEXT,
                resources=_list("name", name=_TEXT, nominalQuota=_AMOUNT),
            ),
        ),
    ),
    "status": _of(
        flavorsUsage=_list("name", name=_TEXT, resources=_list("name", name=_TEXT, total=_AMOUNT))
    ),
}

# Devices of drivers (DRA).

_CLASS: Mapping[str, Schema] = {
    "spec": _of(selectors=_list(cel=_of(expression=_TEXT)), extendedResourceName=_TEXT)
}
_ATTRIBUTE = _of(string=_TEXT, int=Integer(bits=64), bool=_FLAG, version=_TEXT)
_SLICE: Mapping[str, Schema] = {
    "spec": _of(
        "driver",
        "pool",
        driver=_TEXT,
        nodeName=_TEXT,
        pool=_of(
            "name",
            "generation",
            "resourceSliceCount",
            name=_TEXT,
            generation=Integer(bits=64),
            resourceSliceCount=Integer(bits=64),
        ),
        devices=_list(
            "name",
            name=_TEXT,
            attributes=MapOf(values=_ATTRIBUTE),
            taints=_list("effect", effect=_TEXT),
        ),
    )
}
_CLAIM: Mapping[str, Schema] = {
    "status": _of(
        allocation=_of(
            devices=_of(
                results=_list(
                    "driver",
                    "pool",
                    "device",
                    driver=_TEXT,
                    pool=_TEXT,
                    device=_TEXT,
                    adminAccess=_FLAG,
                )
            )
        )
    )
}
_EXACTLY = _of(
    "deviceClassName", deviceClassName=_TEXT, count=Integer(bits=64), allocationMode=_TEXT
)
_CLAIM_TEMPLATE: Mapping[str, Schema] = {
    "spec": _of("spec", spec=_of(devices=_of(requests=_list(exactly=_EXACTLY))))
}

#: What stands in for a cluster.
SHAPES: Shapes = {
    **COMMON,
    ("v1", "Node"): _NODE,
    ("v1", "Pod"): POD,
    ("v1", "ResourceQuota"): _QUOTA,
    ("v1", "LimitRange"): _RANGE,
    ("autoscaling/v2", "HorizontalPodAutoscaler"): _AUTOSCALER,
    **{(version, "LocalQueue"): {"spec": _of(clusterQueue=_TEXT)} for version in API_VERSIONS},
    **{(version, "ClusterQueue"): _CLUSTER_QUEUE for version in API_VERSIONS},
    (DEVICE_API, "DeviceClass"): _CLASS,
    (DEVICE_API, "ResourceSlice"): _SLICE,
    (DEVICE_API, "ResourceClaim"): _CLAIM,
    (DEVICE_API, "ResourceClaimTemplate"): _CLAIM_TEMPLATE,
}
