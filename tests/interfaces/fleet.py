# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as the modules return them, for pages of any size. Texts are those that a foreign program may say."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

#: What a gateway or a pod may say, and what must stay text on the page.
HOSTILE = """<script>document.title = 'taken'</script><img src=x onerror="document.title = 'taken'"> & "quoted" 'text'"""
KINDS = ("ModelService", "LLMInferenceService", "InferenceService")
NEW_POOL = ("InferencePool", "inference.networking.k8s.io")
#: What is between the route and the pods of a kind, with its API group.
POOLS = {
    "ModelService": (NEW_POOL,),
    "LLMInferenceService": (NEW_POOL, ("InferencePool", "inference.networking.x-k8s.io")),
    "InferenceService": (("Service", ""),),
}


def fleet(count: int) -> Json:
    """Return the result of llmisvc_info for so many services; each third is not ready, each fifth has drifted."""
    services = [service(number) for number in range(count)]
    orphans = [{"kind": "Service", "namespace": "team-0", "name": "old", "service": "team-0/gone"}]
    return {
        "changed": False,
        "services": services,
        "orphans": orphans if count else [],
        "stats": {"requests": 22},
    }


def _request(name: str, *, ready: bool) -> Json:
    """Return how a service is called; of some the address is not known yet."""
    curl = f"curl -sS http://192.0.2.1/v1/chat/completions -H 'X-Model: {name}'" if ready else ""
    return {"curl": curl, "note": "" if ready else HOSTILE}


def _answer(number: int) -> Json:
    """Return what came back from a service: of every fourth nothing good."""
    good = {"status": 200, "latency_ms": 45, "served_by": HOSTILE, "fault": ""}
    return {**good, "fault": HOSTILE} if number % 4 == 3 else good


def service(number: int) -> Json:
    """Return one service with everything that a page shows."""
    name, namespace, ready = f"chat-{number}", f"team-{number % 7}", number % 3 != 1
    message = "All 2 replicas are ready" if ready else HOSTILE
    conditions = [
        _said("Ready", "True" if ready else "False", message),
        _said("RouteAccepted", "Unknown", f"No gateway has reported on HTTPRoute {name} yet"),
    ]
    drift = {"action": "update", "kind": "Deployment", "name": name, "reason": HOSTILE}
    return {
        "kind": KINDS[number % 3],
        "namespace": namespace,
        "name": name,
        "phase": "Ready" if ready else "Failed",
        "ready": ready,
        "conditions": conditions,
        "url": f"https://{name}.example.com/v1",
        "request": _request(name, ready=ready),
        "answer": _answer(number),
        "replicas": {"ready": 2 if ready else 0, "desired": 2},
        "reconciler": "direct",
        "drift": [] if number % 5 else [{**drift, "namespace": namespace}],
        "problems": [{"path": "spec.model", "message": HOSTILE, "severity": "warning"}]
        if number % 11 == 0
        else [],
        "topology": _topology(
            KINDS[number % 3], name, namespace, ready=ready, pods=2 + 30 * (number % 50 == 7)
        ),
    }


def _said(kind: str, status: str, message: str) -> Json:
    return {"type": kind, "status": status, "reason": "Why", "message": message}


def _topology(kind: str, name: str, namespace: str, *, ready: bool, pods: int) -> list[Json]:
    state = "ready" if ready else "failed"
    said = "2/2 replicas ready" if ready else HOSTILE
    rows = [
        _row("gateway", "Gateway", "edge", "infra", "missing"),
        _row("route", "HTTPRoute", name, namespace, "waiting"),
        *(
            _row("pool", pool, name, namespace, "unknown", group=group)
            for pool, group in POOLS[kind]
        ),
        _row("picker", "Deployment", f"{name}-epp", namespace, "ready"),
        _row("picker", "Service", f"{name}-epp", namespace, "there"),
        _row("workload", "Deployment", f"{name}-decode", namespace, state, said),
        _row("workload", "Deployment", f"{name}-prefill", namespace, "idle"),
    ]
    for number in range(pods):
        pod = _row("pod", "Pod", f"{name}-decode-{number}", namespace, state)
        rows.append({**pod, "node": f"node-{number}", "of": f"{name}-decode", "written": ""})
    beside = ("ConfigMap", "Role", "RoleBinding", "ServiceAccount")
    return rows + [_row("other", kind, f"{name}-epp", namespace, "there") for kind in beside]


def _row(
    layer: str,
    kind: str,
    name: str,
    namespace: str,
    state: str,
    message: str = "",
    *,
    group: str = "",
) -> Json:
    return {
        "layer": layer,
        "group": group,
        "kind": kind,
        "name": name,
        "namespace": namespace,
        "state": state,
        "message": message,
        "node": "",
        "of": "",
        "written": "2026-01-02T03:04:05Z",
    }


def devices() -> Json:
    """Return the result of gpu_resources for a few pools of nodes."""
    return {
        "changed": False,
        "capacity": [
            _pool("h100", "nvidia.com/gpu", used=18, free=14, unusable=0),
            _pool("mi300x", "amd.com/gpu", used=0, free=8, unusable=0),
            _pool("cordoned", "nvidia.com/gpu", used=0, free=0, unusable=8),
            _pool("broken", "nvidia.com/gpu", used=0, free=0, unusable=0),
        ],
        "waiting": [{"resource": "nvidia.com/gpu", "pods": 2, "devices": 16}],
    }


def _pool(name: str, resource: str, *, used: int, free: int, unusable: int) -> Json:
    return {
        "pool": name,
        "resource": resource,
        "product": "",
        "nodes": 4,
        "devices": used + free + unusable,
        "used": used,
        "free": free,
        "unusable": unusable,
        "unhealthy": 1 if name == "broken" else 0,
        "largest_block": min(free, 8),
    }
