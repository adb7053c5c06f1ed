# SPDX-License-Identifier: GPL-3.0-or-later
"""The defaults that KServe writes into the pods of Deployments.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/deployment/deployment_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from ...kube.manifest import Json

_POD: Json = {
    "dnsPolicy": "ClusterFirst",
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "securityContext": {},
    "schedulerName": "default-scheduler",
}
_CONTAINER: Json = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "imagePullPolicy": "IfNotPresent",
}
#: Containers that take requests, so that somebody has to know when they do.
_SERVING = frozenset({"kserve-container", "transformer-container"})
#: Where a container listens that names no port.
DEFAULT_PORT = 8080


def standard_pod(pod: Json) -> Json:
    """Return a pod spec with the defaults of Standard mode. Init containers get none."""
    containers = [_container(one) for one in pod.get("containers") or ()]
    # Nothing is unset, and so is an empty text; 0 seconds are an answer.
    defaults = {field: value for field, value in _POD.items() if pod.get(field) in (None, "")}
    return {**pod, **defaults, "containers": containers}


def _container(container: Json) -> Json:
    found = {**{k: v for k, v in _CONTAINER.items() if not container.get(k)}, **container}
    if container.get("name") in _SERVING and container.get("readinessProbe") is None:
        found["readinessProbe"] = _listens(container)
    return found


def _listens(container: Json) -> Json:
    ports = container.get("ports") or ()
    port = (ports[0].get("containerPort") or DEFAULT_PORT) if ports else DEFAULT_PORT
    return {
        "tcpSocket": {"port": port},
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
