# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of what an HTTPRoute does with a request on its way, and of the backends that it names.

Source: sigs.k8s.io/gateway-api v1.4.2, as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

from functools import cache

from . import route_rules as rules
from .schema import Boolean, FieldRule, Integer, ListOf, Object, Schema, Text

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_WORDS = rf"{_LABEL}(\.{_LABEL})*"
_HEADER_NAME = Text(min_length=1, max_length=256, pattern=r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$")
_KIND = r"^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$"
_GROUP = rf"^$|^{_WORDS}$"

NAMESPACE = Text(min_length=1, max_length=63, pattern=rf"^{_LABEL}$")
SUBDOMAIN = Text(min_length=1, max_length=253, pattern=rf"^{_WORDS}$")
DURATION = Text(pattern=r"^([0-9]{1,5}(h|m|s|ms)){1,4}$")


def backend_fields(group: str = "", kind: str = "Service") -> dict[str, Schema]:
    """Return the fields by which an object is named, with the defaults of its group and kind."""
    return {
        "group": Text(default=group, max_length=253, pattern=_GROUP),
        "kind": Text(default=kind, min_length=1, max_length=63, pattern=_KIND),
        "name": Text(min_length=1, max_length=253),
        "namespace": NAMESPACE,
        "port": Integer(minimum=1, maximum=65535),
    }


_BACKEND = Object(fields=backend_fields(), required=("name",), rules=(rules.SERVICE_PORT,))

_HEADERS = ListOf(
    items=Object(
        fields={"name": _HEADER_NAME, "value": Text(min_length=1, max_length=4096)},
        required=("name", "value"),
    ),
    keys=("name",),
    title="name",
    max_items=16,
)

_HEADER_MODIFIER = Object(
    fields={
        "set": _HEADERS,
        "add": _HEADERS,
        "remove": ListOf(items=Text(), unique=True, max_items=16),
    }
)

_MIRROR = Object(
    fields={
        "backendRef": _BACKEND,
        "percent": Integer(minimum=0, maximum=100),
        "fraction": Object(
            fields={
                "numerator": Integer(minimum=0),
                "denominator": Integer(default=100, minimum=1),
            },
            required=("numerator",),
            rules=(rules.FRACTION,),
        ),
    },
    required=("backendRef",),
    rules=(rules.MIRRORED_PART,),
)


def _some(items: Text, most: int, *several: FieldRule) -> ListOf:
    return ListOf(items=items, unique=True, max_items=most, rules=several)


_ORIGIN = r"(^\*$)|(^([a-zA-Z][a-zA-Z0-9+\-.]+):\/\/([^:/?#]+)(:([0-9]{1,5}))?$)"
_CORS_METHODS = (
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "CONNECT",
    "OPTIONS",
    "TRACE",
    "PATCH",
    "*",
)
_NEWER_ORIGIN = (
    r"(^\*$)|(^(http(s)?):\/\/(((\*\.)?([a-zA-Z0-9\-]+\.)*[a-zA-Z0-9-]+|\*)(:([0-9]{1,5}))?)$)"
)
_CODE = Integer(default=302, minimum=301, maximum=302)
_NEWER_CODE = Integer(default=302, minimum=301, maximum=308)


def _cors(newer: bool) -> Object:
    origin = Text(min_length=1, max_length=253, pattern=_NEWER_ORIGIN if newer else _ORIGIN)
    of_headers = (rules.ONE_WILDCARD,) if newer else ()
    return Object(
        fields={
            "allowOrigins": _some(origin, 64, rules.ONE_WILDCARD),
            "allowCredentials": Boolean(),
            "allowMethods": _some(Text(enum=_CORS_METHODS), 9, rules.ONE_WILDCARD),
            "allowHeaders": _some(_HEADER_NAME, 64, *of_headers),
            "exposeHeaders": _some(_HEADER_NAME, 64),
            "maxAge": Integer(default=5, minimum=1),
        }
    )


_EXTENSION = Object(
    fields={
        "group": Text(max_length=253, pattern=_GROUP),
        "kind": Text(min_length=1, max_length=63, pattern=_KIND),
        "name": Text(min_length=1, max_length=253),
    },
    required=("group", "kind", "name"),
)

_AUTH_HEADERS = ListOf(items=Text(), unique=True, max_items=64)
_AUTH_PATH = r"^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$"
_EXTERNAL_AUTH = Object(
    fields={
        "protocol": Text(enum=("HTTP", "GRPC")),
        "backendRef": _BACKEND,
        "grpc": Object(fields={"allowedHeaders": _AUTH_HEADERS}),
        "http": Object(
            fields={
                "path": Text(max_length=1024, pattern=_AUTH_PATH),
                "allowedHeaders": _AUTH_HEADERS,
                "allowedResponseHeaders": _AUTH_HEADERS,
            }
        ),
        "forwardBody": Object(fields={"maxSize": Integer()}),
    },
    required=("backendRef", "protocol"),
    rules=rules.AUTH_PROTOCOLS,
)


def _path_modifier(strict: bool) -> Object:
    return Object(
        fields={
            "type": Text(enum=("ReplaceFullPath", "ReplacePrefixMatch")),
            "replaceFullPath": Text(max_length=1024),
            "replacePrefixMatch": Text(max_length=1024),
        },
        required=("type",),
        rules=rules.REPLACED_PATHS if strict else (),
    )


@cache
def filters(*, strict: bool, newer: bool) -> ListOf:
    """Return the schema of a list of filters. Where it is not strict, a rewritten path may be a template.

    newer: with what Gateway API 1.5 brought.
    """
    kinds = rules.NEWER_FILTER_FIELDS if newer else rules.FILTER_FIELDS
    redirect = Object(
        fields={
            "scheme": Text(enum=("http", "https")),
            "hostname": SUBDOMAIN,
            "path": _path_modifier(strict=True),
            "port": Integer(minimum=1, maximum=65535),
            "statusCode": _NEWER_CODE if newer else _CODE,
        },
        rules=(rules.REDIRECT_CODE,) if newer else (),
    )
    rewrite = Object(fields={"hostname": SUBDOMAIN, "path": _path_modifier(strict)})
    one = Object(
        fields={
            "type": Text(enum=tuple(kinds)),
            "requestHeaderModifier": _HEADER_MODIFIER,
            "responseHeaderModifier": _HEADER_MODIFIER,
            "requestMirror": _MIRROR,
            "requestRedirect": redirect,
            "urlRewrite": rewrite,
            "cors": _cors(newer),
            "externalAuth": _EXTERNAL_AUTH,
            "extensionRef": _EXTENSION,
        },
        required=("type",),
        rules=rules.filter_types(kinds),
    )
    return ListOf(items=one, max_items=16, rules=rules.FILTERS_TOGETHER)
