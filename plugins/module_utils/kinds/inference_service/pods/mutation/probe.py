# SPDX-License-Identifier: GPL-3.0-or-later
"""A readiness probe as the agent reads it: the JSON of Kubernetes' Go type. Source: k8s.io/api v0.36.3, core/v1."""

from __future__ import annotations

from typing import Any

from .....kube.go_json import go_json
from .....kube.manifest import Json

#: The fields in the order of their type, and what the API server fills in.
_FIELDS = (
    "httpGet",
    "tcpSocket",
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
    "terminationGracePeriodSeconds",
)
_ACTIONS = {
    "httpGet": ("path", "port", "host", "scheme", "httpHeaders"),
    "tcpSocket": ("port", "host"),
}
_HEADER = ("name", "value")
_DEFAULTS = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_HTTP_DEFAULTS = {"path": "/", "scheme": "HTTP"}


def probe_text(probe: Json | None) -> str | None:
    """Return a probe as text, None for one that the agent cannot do itself.

    The defaults of the API server are in it, as in the pods that KServe's webhook sees.
    """
    if probe is None or not any(probe.get(action) for action in _ACTIONS):
        return None
    filled = {**_DEFAULTS, **{key: value for key, value in probe.items() if value}}
    return go_json({key: _written(key, filled[key]) for key in _FIELDS if filled.get(key)})


def _written(field: str, value: Any) -> Any:
    order = _ACTIONS.get(field)
    if order is None:
        return value
    given = {key: each for key, each in value.items() if each not in ("", [], None)}
    if "httpHeaders" in given:
        headers = given["httpHeaders"]
        given["httpHeaders"] = [{key: each.get(key, "") for key in _HEADER} for each in headers]
    if field == "httpGet":
        given = {**_HTTP_DEFAULTS, **given}
    return {key: given[key] for key in order if key in given}
