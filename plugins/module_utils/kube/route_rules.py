# SPDX-License-Identifier: GPL-3.0-or-later
"""What the fields of an HTTPRoute have to be together: the CEL rules of the Gateway API, as code.

Source: sigs.k8s.io/gateway-api v1.4.2. Rules about parentRefs are not among them: KServe's
CRD lacks them, so that the API server refuses only the HTTPRoute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .schema import FieldRule

Broken = Callable[[Any], bool]

#: Each type of filter and the field that belongs to it.
FILTER_FIELDS = {
    "RequestHeaderModifier": "requestHeaderModifier",
    "ResponseHeaderModifier": "responseHeaderModifier",
    "RequestMirror": "requestMirror",
    "RequestRedirect": "requestRedirect",
    "URLRewrite": "urlRewrite",
    "ExtensionRef": "extensionRef",
}
#: With what Gateway API 1.5 brought into its standard channel.
NEWER_FILTER_FIELDS = {**FILTER_FIELDS, "CORS": "cors"}
_ONCE = ("RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite")

_DURATION_PART = re.compile(r"([0-9]+)(h|ms|m|s)")
_MILLISECONDS = {"h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_PATH = re.compile(r"(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+", re.ASCII)

#: All matches of one route.
MOST_MATCHES = 128


def milliseconds(duration: str) -> int:
    """Return a duration of the Gateway API, for example `1m30s`, in milliseconds."""
    return sum(
        int(amount) * _MILLISECONDS[unit] for amount, unit in _DURATION_PART.findall(duration)
    )


def _rule(name: str, message: str, broken: Broken) -> FieldRule:
    return FieldRule(name=name, message=message, broken=broken)


def _timeouts(value: Mapping[str, Any]) -> bool:
    request, backend = value.get("request"), value.get("backendRequest")
    if not request or not backend or not milliseconds(request):
        return False
    return milliseconds(backend) > milliseconds(request)


TIMEOUTS = _rule(
    "route-timeouts", "backendRequest timeout cannot be longer than request timeout", _timeouts
)


def _cookie_without_end(value: Mapping[str, Any]) -> bool:
    lifetime = (value.get("cookieConfig") or {}).get("lifetimeType")
    return lifetime == "Permanent" and "absoluteTimeout" not in value


COOKIE_CONFIG = _rule(
    "route-session",
    "cookieConfig is only for type Cookie",
    lambda value: "cookieConfig" in value and value.get("type") != "Cookie",
)
PERMANENT_COOKIE = _rule(
    "route-session", "a Permanent cookie needs an absoluteTimeout", _cookie_without_end
)

SERVICE_PORT = _rule(
    "route-backend-port",
    "a Service needs a port",
    lambda value: not value["group"] and value["kind"] == "Service" and "port" not in value,
)

MIRRORED_PART = _rule(
    "route-mirror",
    "give percent or fraction, not both",
    lambda value: "percent" in value and "fraction" in value,
)
FRACTION = _rule(
    "route-mirror",
    "numerator is more than denominator",
    lambda value: value["numerator"] > value["denominator"],
)
ONE_WILDCARD = _rule(
    "route-cors",
    '"*" already includes all others; remove them',
    lambda value: "*" in value and len(value) > 1,
)

REDIRECT_CODE = _rule(
    "route-redirect",
    "a redirect answers with 301, 302, 303, 307 or 308",
    lambda value: value.get("statusCode", 302) not in (301, 302, 303, 307, 308),
)


def _pair(name: str, kind: str, field: str, kind_field: str = "type") -> tuple[FieldRule, ...]:
    """Return the two rules of a field that belongs to one type: there with it, not there without it."""
    return (
        _rule(
            name,
            f"{field} must be specified when {kind_field} is {kind}",
            lambda value: value[kind_field] == kind and field not in value,
        ),
        _rule(
            name,
            f"{kind_field} must be {kind} when {field} is set",
            lambda value: value[kind_field] != kind and field in value,
        ),
    )


def filter_types(fields: Mapping[str, str]) -> tuple[FieldRule, ...]:
    """Return that a filter has the field of its type, and of no other. fields: of each type."""
    return tuple(
        rule for kind, field in fields.items() for rule in _pair("route-filter", kind, field)
    )


REPLACED_PATHS = (
    *_pair("route-replaced-path", "ReplaceFullPath", "replaceFullPath"),
    *_pair("route-replaced-path", "ReplacePrefixMatch", "replacePrefixMatch"),
)
AUTH_PROTOCOLS = (
    *_pair("route-auth", "GRPC", "grpc", "protocol"),
    *_pair("route-auth", "HTTP", "http", "protocol"),
)


def _count(kind: str, filters: Sequence[Mapping[str, Any]]) -> int:
    return sum(one["type"] == kind for one in filters)


def _repeated(kind: str) -> FieldRule:
    return _rule(
        "route-filters", f"{kind} cannot be repeated", lambda value: _count(kind, value) > 1
    )


FILTERS_TOGETHER = (
    _rule(
        "route-filters",
        "RequestRedirect and URLRewrite cannot be combined",
        lambda value: bool(_count("RequestRedirect", value) and _count("URLRewrite", value)),
    ),
    *(_repeated(kind) for kind in (*_ONCE, "CORS")),
)


def _bad_path(message: str, broken: Callable[[str], bool]) -> FieldRule:
    return _rule(
        "route-path",
        f"{message} when type is Exact or PathPrefix",
        lambda value: value["type"] != "RegularExpression" and broken(value["value"]),
    )


def _without(part: str) -> FieldRule:
    return _bad_path(f'value must not contain "{part}"', lambda path: part in path)


def _not_at_end(part: str) -> FieldRule:
    return _bad_path(f'value must not end with "{part}"', lambda path: path.endswith(part))


PATHS = (
    _bad_path('value must begin with "/"', lambda path: not path.startswith("/")),
    *(_without(part) for part in ("//", "/./", "/../", "%2f", "%2F", "#")),
    *(_not_at_end(part) for part in ("/..", "/.")),
    _bad_path(
        "value may hold letters, digits, -/._~!$&'()*+,;=:@ and %XX only",
        lambda path: not _PATH.fullmatch(path),
    ),
)


def _redirects(filters: Sequence[Mapping[str, Any]]) -> bool:
    return any("requestRedirect" in one for one in filters)


def _replaces_prefix(field: str, filters: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether exactly one filter replaces a prefix; the Gateway API looks at no more."""
    paths = [(one.get(field) or {}).get("path") or {} for one in filters]
    found = [
        path
        for path in paths
        if path.get("type") == "ReplacePrefixMatch" and "replacePrefixMatch" in path
    ]
    return len(found) == 1


def _one_prefix(value: Mapping[str, Any]) -> bool:
    matches = value["matches"]
    return len(matches) == 1 and matches[0]["path"]["type"] == "PathPrefix"


def _prefix_rule(field: str) -> FieldRule:
    def broken(value: Mapping[str, Any]) -> bool:
        return _replaces_prefix(field, value.get("filters") or ()) and not _one_prefix(value)

    message = f"{field} with replacePrefixMatch needs exactly one PathPrefix match"
    return _rule("route-prefix", message, broken)


def _backend_prefix_rule(field: str) -> FieldRule:
    def broken(value: Mapping[str, Any]) -> bool:
        backends = value.get("backendRefs") or ()
        found = [one for one in backends if _replaces_prefix(field, one.get("filters") or ())]
        return len(found) == 1 and not _one_prefix(value)

    message = f"{field} with replacePrefixMatch in backendRefs needs exactly one PathPrefix match"
    return _rule("route-prefix", message, broken)


RULES_OF_A_RULE = (
    _rule(
        "route-redirect",
        "a RequestRedirect filter must not be combined with backendRefs",
        lambda value: bool(value.get("backendRefs")) and _redirects(value.get("filters") or ()),
    ),
    *(_prefix_rule(field) for field in ("requestRedirect", "urlRewrite")),
    *(_backend_prefix_rule(field) for field in ("requestRedirect", "urlRewrite")),
)

MATCHES_OF_ALL_RULES = _rule(
    "route-matches",
    f"all rules together have more than {MOST_MATCHES} matches",
    lambda value: sum(len(rule["matches"]) for rule in value) > MOST_MATCHES,
)
