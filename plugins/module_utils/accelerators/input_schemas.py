# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of what is read about a cluster, as far as it is read. What a user gives in place of one is checked by them.

Source: k8s.io/api v0.36, kueue.x-k8s.io/v1beta2.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..kube import gvk
from ..kube.input_schemas import COMMON, InputSchemas, part, parts
from ..kube.schema import (
    Boolean,
    Integer,
    ListOf,
    MapOf,
    QuantityValue,
    Schema,
    Text,
)
from ..kube.workload_schemas import POD
from .kueue import API_VERSIONS, OLD_COHORTS
from .resource_slices import DEVICE_API
from .runtime_classes import API_VERSION as RUNTIME_CLASS_API
from .runtime_classes import KIND as RUNTIME_CLASS

_TEXT, _FLAG = Text(), Boolean()
_COUNT = Integer(minimum=0)
_AMOUNT = QuantityValue()
_AMOUNTS = MapOf(values=_AMOUNT)

_NODE: Mapping[str, Schema] = {
    "spec": part(
        unschedulable=_FLAG, taints=parts("key", "effect", key=_TEXT, value=_TEXT, effect=_TEXT)
    ),
    "status": part(
        allocatable=_AMOUNTS,
        capacity=_AMOUNTS,
        conditions=parts("type", "status", type=_TEXT, status=_TEXT),
    ),
}
_QUOTA: Mapping[str, Schema] = {
    "spec": part(
        hard=_AMOUNTS,
        scopes=ListOf(items=_TEXT),
        scopeSelector=part(
            matchExpressions=parts(
                "scopeName",
                "operator",
                scopeName=_TEXT,
                operator=_TEXT,
                values=ListOf(items=_TEXT),
            )
        ),
    ),
    "status": part(hard=_AMOUNTS, used=_AMOUNTS),
}
_RANGE: Mapping[str, Schema] = {
    "spec": part(
        limits=parts(
            "type",
            type=_TEXT,
            default=_AMOUNTS,
            defaultRequest=_AMOUNTS,
            min=_AMOUNTS,
            max=_AMOUNTS,
        )
    )
}
_RUNTIME_CLASS: Mapping[str, Schema] = {
    "overhead": part(podFixed=_AMOUNTS),
    "scheduling": part(
        nodeSelector=MapOf(values=_TEXT),
        tolerations=parts(key=_TEXT, operator=_TEXT, value=_TEXT, effect=_TEXT),
    ),
}
_AUTOSCALER: Mapping[str, Schema] = {
    "spec": part(
        "maxReplicas",
        scaleTargetRef=part("kind", "name", kind=_TEXT, name=_TEXT),
        maxReplicas=_COUNT,
    )
}
_SELECTOR = part(
    matchLabels=MapOf(values=_TEXT),
    matchExpressions=parts(
        "key", "operator", key=_TEXT, operator=_TEXT, values=ListOf(items=_TEXT)
    ),
)
_STOP = {"stopPolicy": _TEXT}
_CONDITIONS = parts(type=_TEXT, status=_TEXT, reason=_TEXT, message=_TEXT)
_LOCAL_QUEUE: Mapping[str, Schema] = {
    "spec": part(clusterQueue=_TEXT, **_STOP),
    "status": part(conditions=_CONDITIONS),
}
_TAINT: Mapping[str, Schema] = {"key": _TEXT, "value": _TEXT, "effect": _TEXT}
_FLAVOR: Mapping[str, Schema] = {
    "spec": part(
        nodeLabels=MapOf(values=_TEXT),
        nodeTaints=parts("key", "effect", **_TAINT),
        tolerations=parts(operator=_TEXT, **_TAINT),
    )
}
_RESOURCE_GROUPS = parts(
    coveredResources=ListOf(items=_TEXT),
    flavors=parts(
        "name",
        name=_TEXT,
        resources=parts(
            "name",
            name=_TEXT,
            nominalQuota=_AMOUNT,
            borrowingLimit=_AMOUNT,
            lendingLimit=_AMOUNT,
        ),
    ),
)
_COHORT: Mapping[str, Schema] = {
    "spec": part(parent=_TEXT, parentName=_TEXT, resourceGroups=_RESOURCE_GROUPS)
}
_CLUSTER_QUEUE: Mapping[str, Schema] = {
    "spec": part(
        **_STOP,
        namespaceSelector=_SELECTOR,
        cohort=_TEXT,
        cohortName=_TEXT,
        admissionChecks=ListOf(items=_TEXT),
        admissionChecksStrategy=part(admissionChecks=parts("name", name=_TEXT)),
        resourceGroups=_RESOURCE_GROUPS,
    ),
    "status": part(
        conditions=_CONDITIONS,
        flavorsUsage=parts("name", name=_TEXT, resources=parts("name", name=_TEXT, total=_AMOUNT)),
    ),
}

# Devices of drivers (DRA).

_CLASS: Mapping[str, Schema] = {
    "spec": part(selectors=parts(cel=part(expression=_TEXT)), extendedResourceName=_TEXT)
}
_ATTRIBUTE = part(string=_TEXT, int=Integer(bits=64), bool=_FLAG, version=_TEXT)
_SLICE: Mapping[str, Schema] = {
    "spec": part(
        "driver",
        "pool",
        driver=_TEXT,
        nodeName=_TEXT,
        pool=part(
            "name",
            "generation",
            "resourceSliceCount",
            name=_TEXT,
            generation=Integer(bits=64),
            resourceSliceCount=Integer(bits=64),
        ),
        devices=parts(
            "name",
            name=_TEXT,
            attributes=MapOf(values=_ATTRIBUTE),
            taints=parts("effect", effect=_TEXT),
        ),
    )
}
_CLAIM: Mapping[str, Schema] = {
    "status": part(
        allocation=part(
            devices=part(
                results=parts(
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
_EXACTLY = part(
    "deviceClassName", deviceClassName=_TEXT, count=Integer(bits=64), allocationMode=_TEXT
)
_CLAIM_TEMPLATE: Mapping[str, Schema] = {
    "spec": part("spec", spec=part(devices=part(requests=parts(exactly=_EXACTLY))))
}

#: What stands in for a cluster.
INPUT_SCHEMAS: InputSchemas = {
    **COMMON,
    ("v1", "Node"): _NODE,
    ("v1", "Pod"): POD,
    ("v1", "ResourceQuota"): _QUOTA,
    ("v1", "LimitRange"): _RANGE,
    (RUNTIME_CLASS_API, RUNTIME_CLASS): _RUNTIME_CLASS,
    (gvk.AUTOSCALING, "HorizontalPodAutoscaler"): _AUTOSCALER,
    **{(version, "LocalQueue"): _LOCAL_QUEUE for version in API_VERSIONS},
    **{(version, "ResourceFlavor"): _FLAVOR for version in API_VERSIONS},
    **{(version, "ClusterQueue"): _CLUSTER_QUEUE for version in API_VERSIONS},
    **{(version, "Cohort"): _COHORT for version in (*API_VERSIONS, OLD_COHORTS)},
    (DEVICE_API, "DeviceClass"): _CLASS,
    (DEVICE_API, "ResourceSlice"): _SLICE,
    (DEVICE_API, "ResourceClaim"): {**COMMON[DEVICE_API, "ResourceClaim"], **_CLAIM},
    (DEVICE_API, "ResourceClaimTemplate"): _CLAIM_TEMPLATE,
}
