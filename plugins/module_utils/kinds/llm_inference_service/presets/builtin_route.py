# SPDX-License-Identifier: GPL-3.0-or-later
"""The route of the collection's own presets: by the service's path, and with later releases by the model's name in a header."""

from __future__ import annotations

from typing import Any

from ....kube import gvk
from ....kube.manifest import Json
from .builtin_release import OwnPresets

#: The port of model servers and sidecars alike.
PORT = 8000
#: How requests name the model that do so in a header.
PUBLISHED = "publishers/{{ .Namespace }}/models/{{ .Spec.Model.Name }}"
_HEADER = "{{ .GlobalConfig.ModelBasedRoutingHeaderName }}"


def route(own: OwnPresets) -> Json:
    """Return the spec of the route."""
    pool: Json = {
        "group": gvk.POOL_GROUP,
        "kind": "InferencePool",
        "name": "{{ ChildName .Name `-inference-pool` }}",
    }
    workload: Json = {"kind": "Service", "name": "{{ ChildName .Name `-kserve-workload-svc` }}"}
    gateway = {
        "group": gvk.GATEWAY_GROUP,
        "kind": "Gateway",
        "name": "{{ .GlobalConfig.IngressGatewayName }}",
        "namespace": "{{ .GlobalConfig.IngressGatewayNamespace }}",
    }
    targets = [*((path, pool) for path in own.paths), ("", workload)]
    rules = []
    for path, backend in targets:
        rules.append(_rule(path, backend))
        if own.by_model:
            rules.append(_rule_by_model(path, backend))
    return {"parentRefs": [gateway], "rules": rules}


def _rule(path: str, backend: Json) -> Json:
    """Return a rule that takes the service's own prefix off. Answers may take any time."""
    prefix = f"/{{{{ .Namespace }}}}/{{{{ .Name }}}}{path}"
    rewritten = {"type": "ReplacePrefixMatch", "replacePrefixMatch": path or "/"}
    return {
        "matches": [{"path": {"type": "PathPrefix", "value": prefix}}],
        "filters": [{"type": "URLRewrite", "urlRewrite": {"path": rewritten}}],
        **_answered(backend),
    }


def _rule_by_model(path: str, backend: Json) -> Json:
    """Return a rule for requests that name the model in a header: their path is the API's own. No path: all that are left."""
    headers = [{"type": "Exact", "name": _HEADER, "value": PUBLISHED}]
    paths = [{"type": "Exact", "value": each} for each in (path, f"{path}/") if path]
    matches = [{"path": each, "headers": headers} for each in paths] or [{"headers": headers}]
    return {"matches": matches, **_answered(backend)}


def _answered(backend: Json) -> dict[str, Any]:
    return {
        "backendRefs": [{**backend, "port": PORT, "weight": 1}],
        "timeouts": {"request": "0s", "backendRequest": "0s"},
    }
