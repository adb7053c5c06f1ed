# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods of the router, which passes requests along the graph.

Source: KServe pkg/controller/v1alpha1/inferencegraph/{raw_ig,knative_reconciler}.go, pkg/constants/constants.go@v0.17.0.
"""

from __future__ import annotations

from ....kube.fields import filled
from ....kube.manifest import Json
from ...kserve.standard_pod import DEFAULT_PORT
from ..resolved import Resolved
from ..router_json import router_json

#: The router takes these patterns from here, joined by commas.
_HEADERS = "PROPAGATE_HEADERS"
_PROBE: Json = {
    "httpGet": {"path": "/readyz", "port": DEFAULT_PORT, "scheme": "HTTP"},
    "initialDelaySeconds": 5,
    "timeoutSeconds": 2,
    "periodSeconds": 5,
    "successThreshold": 1,
    "failureThreshold": 3,
}
_SECURITY: Json = {
    "privileged": False,
    "runAsNonRoot": True,
    "readOnlyRootFilesystem": True,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
}


def router_pod(resolved: Resolved, *, name: str = "") -> Json:
    """Return the spec of the pods. name: of the container; Knative gives one whose name is empty its own."""
    spec = resolved.graph.spec
    return {
        "containers": [{"name": name, **_container(resolved)}],
        **{
            field: spec[field]
            for field in (
                "affinity",
                "tolerations",
                "nodeSelector",
                "nodeName",
                "serviceAccountName",
            )
            if spec.get(field)
        },
        **filled({"imagePullSecrets": [{"name": each} for each in resolved.router.pull_secrets]}),
        # The router asks services, never the API server.
        "automountServiceAccountToken": False,
    }


def _container(resolved: Resolved) -> Json:
    router = resolved.router
    env = None
    if router.propagated is not None:
        env = [filled({"name": _HEADERS, "value": ",".join(router.propagated)})]
    return filled(
        {
            "image": router.image,
            "imagePullPolicy": router.pull_policy,
            "args": ["--graph-json", router_json(resolved.spec)],
            "env": env,
            "resources": _resources(resolved),
            "readinessProbe": _PROBE,
            "securityContext": _SECURITY,
        }
    )


def _resources(resolved: Resolved) -> Json:
    """Return the resources of the router: its author's as a whole, where they say anything, else those of the configuration."""
    own = resolved.graph.spec.get("resources") or {}
    if not any(own.values()):
        return resolved.router.resources
    return filled({part: own.get(part) for part in ("limits", "requests")})
