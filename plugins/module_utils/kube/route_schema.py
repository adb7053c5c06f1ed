# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of an HTTPRoute's spec, as custom resources embed it. Its rules across fields are in route_rules.py.

The order of the fields is that of the Go types, in which messages of controllers show values.
Source: sigs.k8s.io/gateway-api v1.4.2 (types of the standard and the experimental channel), as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

import re
from functools import cache

from . import gvk
from . import route_rules as rules
from .names import SUBDOMAIN_LENGTH
from .route_filters import DURATION, NAMESPACE, SUBDOMAIN, backend_fields, filters
from .schema import Integer, ListOf, Object, Schema, Text
from .schema_faults import show

_HEADER_NAME = r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$"
_HOSTNAME = re.compile(r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
_ROOT_PATH = {"type": "PathPrefix", "value": "/"}
_ROOT_MATCHES = ({"path": _ROOT_PATH},)


def _hostname_fault(text: str) -> str | None:
    if len(text) <= SUBDOMAIN_LENGTH and _HOSTNAME.fullmatch(text):
        return None
    return (
        f'{show(text)} is not a host name: at most {SUBDOMAIN_LENGTH} lower-case letters, digits, "-" and ".", '
        '"*." only in front'
    )


_TIMEOUTS = Object(
    fields={"request": DURATION, "backendRequest": DURATION}, rules=(rules.TIMEOUTS,)
)

_RETRY = Object(
    fields={
        "codes": ListOf(items=Integer(minimum=400, maximum=599)),
        "attempts": Integer(),
        "backoff": DURATION,
    }
)


def _session(newer: bool) -> Object:
    return Object(
        fields={
            "sessionName": Text(max_length=128),
            "absoluteTimeout": DURATION,
            "idleTimeout": DURATION,
            "type": Text(default="Cookie", enum=("Cookie", "Header")),
            "cookieConfig": Object(
                fields={"lifetimeType": Text(default="Session", enum=("Permanent", "Session"))}
            ),
        },
        rules=(rules.PERMANENT_COOKIE, *((rules.COOKIE_CONFIG,) if newer else ())),
    )


def _values(longest: int, *, templates: bool = False) -> ListOf:
    """Return the schema of what headers or query parameters have to be. longest: of a value, in characters."""
    pattern = "" if templates else _HEADER_NAME
    item = Object(
        fields={
            "type": Text(default="Exact", enum=("Exact", "RegularExpression")),
            "name": Text(min_length=1, max_length=256, pattern=pattern),
            "value": Text(min_length=1, max_length=longest),
        },
        required=("name", "value"),
    )
    return ListOf(items=item, keys=("name",), title="name", max_items=16)


def _path(strict: bool) -> Object:
    return Object(
        fields={
            "type": Text(default="PathPrefix", enum=("Exact", "PathPrefix", "RegularExpression")),
            "value": Text(default="/", max_length=1024),
        },
        default=_ROOT_PATH,
        rules=rules.PATHS if strict else (),
    )


def _match(strict: bool, header_templates: bool) -> Object:
    methods = ("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH")
    return Object(
        fields={
            "path": _path(strict),
            "headers": _values(4096, templates=header_templates),
            "queryParams": _values(1024),
            "method": Text(enum=methods),
        }
    )


def _backend(newer: bool) -> Object:
    return Object(
        fields={
            **backend_fields(),
            "weight": Integer(default=1, minimum=0, maximum=1000000),
            "filters": filters(strict=True, newer=newer),
        },
        required=("name",),
        rules=(rules.SERVICE_PORT,),
    )


def _rule(strict: bool, header_templates: bool, newer: bool) -> Object:
    match = _match(strict, header_templates)
    return Object(
        fields={
            "name": SUBDOMAIN,
            "matches": ListOf(items=match, max_items=64, default=_ROOT_MATCHES),
            "filters": filters(strict=strict, newer=newer),
            "backendRefs": ListOf(items=_backend(newer), max_items=16),
            "timeouts": _TIMEOUTS,
            "retry": _RETRY,
            "sessionPersistence": _session(newer),
        },
        rules=rules.RULES_OF_A_RULE,
    )


def _parent(strict: bool) -> Object:
    group_and_kind = backend_fields(group=gvk.GATEWAY_GROUP, kind="Gateway")
    namespace = NAMESPACE if strict else Text(min_length=1, max_length=63)
    fields: dict[str, Schema] = {
        "group": group_and_kind["group"],
        "kind": group_and_kind["kind"],
        "namespace": namespace,
        "name": Text(min_length=1, max_length=253),
        "sectionName": SUBDOMAIN,
        "port": Integer(minimum=1, maximum=65535),
    }
    return Object(fields=fields, required=("name",))


@cache
def http_route_spec(
    *, strict: bool = True, header_templates: bool = False, newer: bool = False
) -> Object:
    """Return the schema. Where it is not strict, texts that hold templates pass: namespaces, paths and rewritten paths.

    header_templates: names of headers do, too. newer: with what Gateway API 1.5 brought.
    """
    return Object(
        description="The HTTPRoute that is created for the service.",
        fields={
            "parentRefs": ListOf(items=_parent(strict), max_items=32),
            "useDefaultGateways": Text(enum=("All", "None")),
            "hostnames": ListOf(
                items=Text(
                    min_length=1,
                    max_length=253,
                    pattern=_HOSTNAME.pattern,
                    form=_hostname_fault,
                ),
                max_items=16,
            ),
            "rules": ListOf(
                items=_rule(strict, header_templates, newer),
                min_items=1 if newer else 0,
                max_items=16,
                default=({"matches": list(_ROOT_MATCHES)},),
                rules=(rules.MATCHES_OF_ALL_RULES,),
            ),
        },
    )
