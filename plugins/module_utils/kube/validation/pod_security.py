# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Pod Security admission refuses of a pod in a namespace that enforces one of its levels.

A namespace may name the Kubernetes release whose rules hold. Here a pod is refused where every release since 1.25 refuses it, so that no pod is
held back that a server takes. Source: k8s.io/pod-security-admission v0.36.3, policy/check_*.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..manifest import Json, value_at
from .containers import LISTS

BASELINE, RESTRICTED = "baseline", "restricted"
#: The levels that refuse something; `privileged` takes every pod.
LEVELS = (BASELINE, RESTRICTED)

_HOST = ("hostNetwork", "hostPID", "hostIPC")
_CAPABILITIES = frozenset(
    [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ]
)
_BOUND = frozenset({"NET_BIND_SERVICE"})
_PROFILES = ("RuntimeDefault", "Localhost")
_SELINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
_SYSCTLS = frozenset(
    {
        "kernel.shm_rmid_forced",
        *(
            f"net.ipv4.{name}"
            for name in (
                "ip_local_port_range",
                "tcp_syncookies",
                "ping_group_range",
                "ip_unprivileged_port_start",
                "ip_local_reserved_ports",
                "tcp_keepalive_time",
                "tcp_fin_timeout",
                "tcp_keepalive_intvl",
                "tcp_keepalive_probes",
                "tcp_rmem",
                "tcp_wmem",
            )
        ),
    }
)
_VOLUMES = frozenset(
    [
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    ]
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """path: of what is refused, in the pod. what: the setting that the level forbids, or asks for. container: its name, empty for the pod."""

    path: str
    what: str
    container: str = ""

    def __str__(self) -> str:
        return f"{self.what} of container {self.container}" if self.container else self.what


def refusals(pod: Json, level: str) -> Iterator[Refusal]:
    """Yield what a level refuses of a pod's spec: one for each container that lacks settings, one for each setting that is forbidden."""
    if value_at(pod, ("os", "name")) == "windows":
        return
    yield from _of_pod(pod, level)
    own_users = pod.get("hostUsers") is False
    for group in LISTS:
        for number, container in enumerate(pod.get(group) or ()):
            path, name = f"{group}[{number}]", str(container.get("name"))
            for field, what in _forbidden_in(container, level, own_users=own_users):
                yield Refusal(f"{path}.{field}", f"forbids {what}", name)
            if level == RESTRICTED and (wanted := list(_wanted_of(container, pod))):
                context = f"{path}.securityContext"
                yield Refusal(context, f"requires {', '.join(wanted)} in the securityContext", name)


def _of_pod(pod: Json, level: str) -> Iterator[Refusal]:
    for field in _HOST:
        if pod.get(field):
            yield Refusal(field, f"forbids {field}")
    for number, volume in enumerate(pod.get("volumes") or ()):
        kind = next((name for name in volume if name != "name"), "emptyDir")
        if kind == "hostPath" or (level == RESTRICTED and kind not in _VOLUMES):
            yield Refusal(
                f"volumes[{number}]", f"forbids the volume {volume.get('name')} of type {kind}"
            )
    context = pod.get("securityContext") or {}
    for number, sysctl in enumerate(context.get("sysctls") or ()):
        if sysctl.get("name") not in _SYSCTLS:
            path = f"securityContext.sysctls[{number}]"
            yield Refusal(path, f"forbids the sysctl {sysctl.get('name')}")
    for field, what in _forbidden_in_context(
        context, level, own_users=pod.get("hostUsers") is False
    ):
        yield Refusal(f"securityContext.{field}", f"forbids {what}")


def _forbidden_in(container: Json, level: str, *, own_users: bool) -> Iterator[tuple[str, str]]:
    """Yield fields of a container, and what is forbidden about them."""
    context = container.get("securityContext") or {}
    for number, port in enumerate(container.get("ports") or ()):
        if port.get("hostPort"):
            yield f"ports[{number}].hostPort", f"hostPort {port['hostPort']}"
    if context.get("privileged"):
        yield "securityContext.privileged", "privileged: true"
    allowed = _BOUND if level == RESTRICTED else _CAPABILITIES
    added = [
        each for each in value_at(context, ("capabilities", "add")) or () if each not in allowed
    ]
    if added:
        yield "securityContext.capabilities.add", f"capabilities.add: [{', '.join(added)}]"
    if not own_users and context.get("procMount") not in (None, "", "Default"):
        yield "securityContext.procMount", f"procMount: {context['procMount']}"
    for field, what in _forbidden_in_context(context, level, own_users=own_users):
        yield f"securityContext.{field}", what


def _forbidden_in_context(
    context: Json, level: str, *, own_users: bool
) -> Iterator[tuple[str, str]]:
    """Yield fields that pods and containers have alike, and what is forbidden about them."""
    for field in ("seccompProfile", "appArmorProfile"):
        kind = value_at(context, (field, "type"))
        if kind is not None and kind not in _PROFILES:
            yield f"{field}.type", f"{field}.type: {kind}"
    options = context.get("seLinuxOptions") or {}
    for name in ("user", "role", "type"):
        value = options.get(name) or ""
        if value and (name != "type" or value not in _SELINUX_TYPES):
            yield f"seLinuxOptions.{name}", f"seLinuxOptions.{name}: {value}"
    if level == RESTRICTED and not own_users:
        if context.get("runAsNonRoot") is False:
            yield "runAsNonRoot", "runAsNonRoot: false"
        if context.get("runAsUser") == 0:
            yield "runAsUser", "runAsUser: 0"


def _wanted_of(container: Json, pod: Json) -> Iterator[str]:
    """Yield what a container has to say, where neither it nor its pod does."""
    context = container.get("securityContext") or {}
    if context.get("allowPrivilegeEscalation") is not False:
        yield "allowPrivilegeEscalation: false"
    if "ALL" not in (value_at(context, ("capabilities", "drop")) or ()):
        yield "capabilities.drop: [ALL]"
    if pod.get("hostUsers") is not False and _said(container, pod, ("runAsNonRoot",)) is None:
        yield "runAsNonRoot: true"
    if _said(container, pod, ("seccompProfile",)) is None:
        yield "seccompProfile.type: RuntimeDefault"


def _said(container: Json, pod: Json, path: Sequence[str]) -> Any:
    """Return what a container says, else its pod."""
    found = value_at(container, ("securityContext", *path))
    return value_at(pod, ("securityContext", *path)) if found is None else found
