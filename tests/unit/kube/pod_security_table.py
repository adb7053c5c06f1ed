# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods, and what each level of Pod Security refuses of them. `tests/cluster/test_pod_security.py` asks an API server the same."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from module_utils.kube.manifest import Json

STRICT: Json = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
STRICT_POD: Json = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
CONTEXT = "containers[0].securityContext"


def pod(
    context: Json | None = None,
    of_pod: Json | None = None,
    container: Json | None = None,
    **spec: Any,
) -> Json:
    """Return the spec of a pod that the strictest level takes, but for what is said."""
    main = {
        "name": "main",
        "image": "registry.example.com/engine:1",
        "securityContext": {**STRICT, **(context or {})},
        **(container or {}),
    }
    return deepcopy(
        {"containers": [main], "securityContext": {**STRICT_POD, **(of_pod or {})}, **spec}
    )


def fetching(context: Json | None) -> Json:
    """Return a pod with a container that comes first."""
    first: Json = {"name": "fetch", "image": "registry.example.com/fetch:1"}
    if context is not None:
        first["securityContext"] = context
    return pod(initContainers=[first])


#: By name: a pod, what `baseline` refuses, and what `restricted` refuses.
PODS: dict[str, tuple[Json, list[str], list[str]]] = {
    "strict": (pod(), [], []),
    "nothing said": (
        {"containers": [{"name": "main", "image": "registry.example.com/engine:1"}]},
        [],
        [CONTEXT],
    ),
    "init container without a context": (fetching(None), [], ["initContainers[0].securityContext"]),
    "strict init container": (fetching(STRICT), [], []),
    "container that says what its pod leaves out": (
        pod(STRICT_POD, {"runAsNonRoot": None, "seccompProfile": None}),
        [],
        [],
    ),
    "privilege escalation": (
        pod({"allowPrivilegeEscalation": True}),
        [],
        [CONTEXT],
    ),
    "privileged": (
        pod({"privileged": True, "allowPrivilegeEscalation": None}),
        [f"{CONTEXT}.privileged"],
        [f"{CONTEXT}.privileged", CONTEXT],
    ),
    "capability that binds": (
        pod({"capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}}),
        [],
        [],
    ),
    "capability that baseline takes": (
        pod({"capabilities": {"drop": ["ALL"], "add": ["CHOWN"]}}),
        [],
        [f"{CONTEXT}.capabilities.add"],
    ),
    "capability of GPUs' fabrics": (
        pod({"capabilities": {"drop": ["ALL"], "add": ["IPC_LOCK"]}}),
        [f"{CONTEXT}.capabilities.add"],
        [f"{CONTEXT}.capabilities.add"],
    ),
    "capabilities that are kept": (pod({"capabilities": {"drop": ["KILL"]}}), [], [CONTEXT]),
    "root by number": (pod({"runAsUser": 0}), [], [f"{CONTEXT}.runAsUser"]),
    "pod of root": (pod(of_pod={"runAsUser": 0}), [], ["securityContext.runAsUser"]),
    "root allowed": (pod({"runAsNonRoot": False}), [], [f"{CONTEXT}.runAsNonRoot"]),
    "root of users of its own": (
        pod({"runAsUser": 0}, {"runAsNonRoot": None}, hostUsers=False),
        [],
        [],
    ),
    "no seccomp": (
        pod({"seccompProfile": {"type": "Unconfined"}}),
        [f"{CONTEXT}.seccompProfile.type"],
        [f"{CONTEXT}.seccompProfile.type"],
    ),
    "no seccomp in the whole pod": (
        pod(of_pod={"seccompProfile": {"type": "Unconfined"}}),
        ["securityContext.seccompProfile.type"],
        ["securityContext.seccompProfile.type"],
    ),
    "no AppArmor": (
        pod({"appArmorProfile": {"type": "Unconfined"}}),
        [f"{CONTEXT}.appArmorProfile.type"],
        [f"{CONTEXT}.appArmorProfile.type"],
    ),
    "user of SELinux": (
        pod(of_pod={"seLinuxOptions": {"user": "u"}}),
        ["securityContext.seLinuxOptions.user"],
        ["securityContext.seLinuxOptions.user"],
    ),
    "type of SELinux": (pod({"seLinuxOptions": {"type": "container_t"}}), [], []),
    "network of the node": (pod(hostNetwork=True), ["hostNetwork"], ["hostNetwork"]),
    "shared memory of the node": (pod(hostIPC=True), ["hostIPC"], ["hostIPC"]),
    "port of the node": (
        pod(container={"ports": [{"containerPort": 8000, "hostPort": 8000}]}),
        ["containers[0].ports[0].hostPort"],
        ["containers[0].ports[0].hostPort"],
    ),
    "folder of the node": (
        pod(volumes=[{"name": "models", "hostPath": {"path": "/models"}}]),
        ["volumes[0]"],
        ["volumes[0]"],
    ),
    "share of a server": (
        pod(volumes=[{"name": "models", "nfs": {"server": "nfs", "path": "/"}}]),
        [],
        ["volumes[0]"],
    ),
    "volume of an image": (
        pod(volumes=[{"name": "models", "image": {"reference": "registry.example.com/model:1"}}]),
        [],
        [],
    ),
    "claim and memory": (
        pod(
            volumes=[
                {"name": "models", "persistentVolumeClaim": {"claimName": "models"}},
                {"name": "shm", "emptyDir": {"medium": "Memory"}},
            ]
        ),
        [],
        [],
    ),
    "safe sysctl": (
        pod(of_pod={"sysctls": [{"name": "net.ipv4.tcp_keepalive_time", "value": "60"}]}),
        [],
        [],
    ),
    "sysctl of the node": (
        pod(of_pod={"sysctls": [{"name": "net.core.somaxconn", "value": "1024"}]}),
        ["securityContext.sysctls[0]"],
        ["securityContext.sysctls[0]"],
    ),
}
