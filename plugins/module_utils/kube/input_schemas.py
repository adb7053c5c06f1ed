# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of objects that services look at, as far as they are read. What a user gives in place of a cluster is checked by them.

An API server would not have stored a ConfigMap whose data is a list; a file may hold one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from . import gvk
from .core_schema import string_map
from .crds import API_VERSION as CRD_API_VERSION
from .crds import KIND as CRD_KIND
from .manifest import Json
from .named_objects import DEVICE_VERSIONS
from .problem import Problem
from .schema import Anything, Integer, IntOrText, ListOf, MapOf, Object, Schema, Text
from .schema_check import check

#: By apiVersion and kind: what is beside metadata.
InputSchemas = Mapping[tuple[str, str], Mapping[str, Schema]]

_MAP = Anything(type="object")
_TEXTS = string_map("")
_SECRETS = MapOf(values=Text(sensitive=True))
_METADATA = Object(
    fields={
        "name": Text(),
        "namespace": Text(),
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "ownerReferences": ListOf(items=_MAP),
    },
    required=("name",),
)


def part(*required: str, **fields: Schema) -> Object:
    """Return the shape of a map of which these fields are read."""
    return Object(fields=fields, required=required)


def parts(*required: str, **fields: Schema) -> ListOf:
    """Return the shape of a list of such maps."""
    return ListOf(items=part(*required, **fields))


def _named(**fields: Schema) -> ListOf:
    """Return a list of things with a name."""
    return parts("name", name=Text(), **fields)


_REFERENCES = parts(name=Text())
_ADDRESSES = parts(type=Text(), value=Text())
_CONDITIONS = parts(type=Text(), status=Text(), reason=Text(), message=Text())
_PARENTS = parts(parentRef=_MAP, conditions=_CONDITIONS)
_PARENT_REFS = _named(namespace=Text(), kind=Text(), group=Text(), sectionName=Text())
_BACKENDS = _named(namespace=Text(), kind=Text(), group=Text(), port=Integer(), weight=Integer())
_LISTENERS = _named(hostname=Text(), port=Integer(), protocol=Text(), allowedRoutes=_MAP)
_GATEWAY: dict[str, Schema] = {
    "spec": part(gatewayClassName=Text(), listeners=_LISTENERS, addresses=_ADDRESSES),
    "status": part(addresses=_ADDRESSES, conditions=_CONDITIONS, listeners=ListOf(items=_MAP)),
}
_HTTP_ROUTE: dict[str, Schema] = {
    "spec": part(
        hostnames=ListOf(items=Text()),
        parentRefs=_PARENT_REFS,
        rules=parts(
            backendRefs=_BACKENDS,
            matches=ListOf(items=_MAP),
            filters=ListOf(items=_MAP),
            timeouts=_MAP,
        ),
    ),
    "status": part(parents=_PARENTS),
}
_POOL: dict[str, Schema] = {"spec": _MAP, "status": part(parents=_PARENTS)}
_SERVICE: dict[str, Schema] = {
    "spec": part(
        type=Text(),
        clusterIP=Text(),
        clusterIPs=ListOf(items=Text()),
        selector=_TEXTS,
        ports=ListOf(
            items=part(name=Text(), port=Integer(), protocol=Text(), targetPort=IntOrText())
        ),
    )
}
_CLAIM_MAPS = {"spec": part(devices=part(requests=ListOf(items=_MAP)), spec=_MAP)}
_CLAIM_TEMPLATE: dict[str, Schema] = {
    "spec": part(spec=part(devices=part(requests=ListOf(items=_MAP))))
}
_VOLUME_CLAIM: dict[str, Schema] = {
    "spec": part(storageClassName=Text(), volumeName=Text(), accessModes=ListOf(items=Text())),
    "status": part(phase=Text()),
}
_GRANT: dict[str, Schema] = {
    "spec": part(
        **{"from": parts(group=Text(), kind=Text(), namespace=Text())},
        to=parts(group=Text(), kind=Text(), name=Text()),
    )
}
_SCALER: dict[str, Schema] = {"spec": part(scaleTargetRef=part(kind=Text(), name=Text()))}
_CONTAINERS = part(containers=parts(image=Text()))
COMMON: InputSchemas = {
    (gvk.APPS, "Deployment"): {"spec": part(template=part(spec=_CONTAINERS))},
    (CRD_API_VERSION, CRD_KIND): {"spec": part(versions=parts(name=Text(), schema=_MAP))},
    ("v1", "PersistentVolumeClaim"): _VOLUME_CLAIM,
    **{(version, "ResourceClaim"): _CLAIM_MAPS for version in DEVICE_VERSIONS},
    **{(version, "ResourceClaimTemplate"): _CLAIM_TEMPLATE for version in DEVICE_VERSIONS},
    (f"{gvk.GATEWAY_GROUP}/v1beta1", "ReferenceGrant"): _GRANT,
    (gvk.GATEWAY, "GatewayClass"): {"status": part(conditions=_CONDITIONS)},
    (gvk.KEDA, "ScaledObject"): _SCALER,
    (gvk.AUTOSCALING, "HorizontalPodAutoscaler"): _SCALER,
    ("v1", "ConfigMap"): {"data": _TEXTS, "binaryData": _TEXTS},
    ("v1", "Secret"): {"type": Text(), "data": _SECRETS, "stringData": _SECRETS},
    ("v1", "ServiceAccount"): {"secrets": _REFERENCES, "imagePullSecrets": _REFERENCES},
    ("v1", "Service"): _SERVICE,
    (gvk.GATEWAY, "Gateway"): _GATEWAY,
    (gvk.GATEWAY, "HTTPRoute"): _HTTP_ROUTE,
    (gvk.POOL, "InferencePool"): _POOL,
    (gvk.OLD_POOL, "InferencePool"): _POOL,
}


def merged_shapes(shapes: Iterable[InputSchemas]) -> InputSchemas:
    """Return what several readers want of objects, together: a field that two of them read has to be right for both."""
    found: dict[tuple[str, str], dict[str, Schema]] = {}
    for each in shapes:
        for key, fields in each.items():
            known = found.setdefault(key, {})
            for name, schema in fields.items():
                known[name] = _both(known[name], schema) if name in known else schema
    return found


def _both(one: Schema, other: Schema) -> Schema:
    if not isinstance(one, Object) or not isinstance(other, Object):
        return other if isinstance(one, Anything) else one
    fields = dict(one.fields)
    for name, schema in other.fields.items():
        fields[name] = _both(fields[name], schema) if name in fields else schema
    return Object(fields=fields, required=tuple(sorted({*one.required, *other.required})))


def input_problems(manifest: Json, shapes: InputSchemas) -> Iterator[Problem]:
    """Yield what an API server would refuse about the shape of an object. Fields of which nothing is known are passed over."""
    key = (str(manifest.get("apiVersion")), str(manifest.get("kind")))
    fields: dict[str, Schema] = {"metadata": _METADATA, **shapes.get(key, {})}
    # A part of which something has to be there has to be there itself.
    required = tuple(name for name, part in fields.items() if getattr(part, "required", ()))
    schema = Object(fields=fields, required=required)
    yield from check(schema, manifest, "", unknown=False).problems
