# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of a bundle's objects, as far as changes to a bundle read them: what else is there is for the API server to judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kube.core_schema import string_map
from ..kube.input_schemas import part, parts
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.schema import Anything, ListOf, MapOf, Object, Schema, Text
from ..kube.schema_check import check

_TEXT, _TEXTS = Text(), string_map("")
_SECRETS = MapOf(values=Text(sensitive=True))
_CONTAINERS = parts(
    name=_TEXT,
    image=_TEXT,
    args=ListOf(items=_TEXT),
    env=parts(name=_TEXT),
    resources=Anything(type="object"),
)
_POD = part(
    initContainers=_CONTAINERS,
    containers=_CONTAINERS,
    imagePullSecrets=parts(name=_TEXT),
    tolerations=ListOf(items=Anything(type="object")),
    nodeSelector=_TEXTS,
)
_TEMPLATED = {"spec": part(template=part(spec=_POD))}
_CLIENT = part(service=part(name=_TEXT, namespace=_TEXT))
_WEBHOOKS = {"webhooks": parts(name=_TEXT, clientConfig=_CLIENT)}
_BINDING = {"subjects": parts(kind=_TEXT, name=_TEXT, namespace=_TEXT)}
#: By kind, whatever its API version.
_SHAPES: Mapping[str, Mapping[str, Schema]] = {
    **dict.fromkeys(("Deployment", "DaemonSet", "StatefulSet", "Job"), _TEMPLATED),
    "CronJob": {"spec": part(jobTemplate=part(spec=part(template=part(spec=_POD))))},
    **dict.fromkeys(("RoleBinding", "ClusterRoleBinding"), _BINDING),
    **dict.fromkeys(("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"), _WEBHOOKS),
    "APIService": {"spec": part(service=part(namespace=_TEXT))},
    "Certificate": {"spec": part(commonName=_TEXT, dnsNames=ListOf(items=_TEXT))},
    "ConfigMap": {"data": _TEXTS, "binaryData": _TEXTS},
    "CustomResourceDefinition": {"spec": part(conversion=part(webhook=part(clientConfig=_CLIENT)))},
    "Secret": {"data": _SECRETS, "stringData": _SECRETS},
}


def shape_problems(manifest: Json) -> Iterator[Problem]:
    """Yield what an API server would refuse about the shape of an object. Fields of which nothing is known are passed over."""
    fields = _SHAPES.get(str(manifest.get("kind")))
    if fields:
        yield from check(Object(fields=fields), manifest, "", unknown=False).problems
