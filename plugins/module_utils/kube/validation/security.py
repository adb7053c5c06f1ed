# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses about the rights of pods and containers on their node. Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..manifest import Json
from ..problem import Problem
from ..schema_faults import show

_LONGEST_PROFILE = 4095


def container_security_problems(context: Json, path: str, *, own_users: bool) -> Iterator[Problem]:
    """Yield what is wrong with the security context of a container. own_users: the pod has users of its own, apart from the node's."""
    yield from _profiles(context, path)
    if context.get("procMount") == "Unmasked" and not own_users:
        yield Problem(
            f"{path}.procMount", "Unmasked needs the pod's hostUsers: false", rule="security"
        )
    if context.get("allowPrivilegeEscalation") is not False:
        return
    added = (context.get("capabilities") or {}).get("add") or ()
    for wrong, what in (
        (context.get("privileged"), "privileged: true"),
        ("CAP_SYS_ADMIN" in added, "the capability CAP_SYS_ADMIN"),
    ):
        if wrong:
            message = f"false cannot be combined with {what}"
            yield Problem(f"{path}.allowPrivilegeEscalation", message, rule="security")


def pod_security_problems(pod: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong with the rights of a pod."""
    context = pod.get("securityContext") or {}
    where = f"{path}.securityContext"
    yield from _profiles(context, where)
    yield from _sysctls(pod, context.get("sysctls") or (), f"{where}.sysctls")
    if pod.get("shareProcessNamespace") and pod.get("hostPID"):
        yield Problem(
            f"{path}.shareProcessNamespace", "cannot be combined with hostPID", rule="security"
        )
    if pod.get("hostUsers") is not False:
        return
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(field):
            message = "cannot be combined with hostUsers: false"
            yield Problem(f"{path}.{field}", message, rule="security")


def _sysctls(pod: Json, sysctls: Sequence[Json], path: str) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, sysctl in enumerate(sysctls):
        name, where = sysctl["name"], f"{path}[{number}].name"
        if name in seen:
            yield Problem(where, f"{show(name)} is listed twice", rule="security")
        seen.add(name)
        spelled = name.replace("/", ".")
        for field, owned in (
            ("hostNetwork", spelled.startswith("net.")),
            (
                "hostIPC",
                spelled.startswith(("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")),
            ),
        ):
            if owned and pod.get(field):
                message = f"{show(name)} is the node's with {field}; leave one of them out"
                yield Problem(where, message, rule="security")


def _profiles(context: Json, path: str) -> Iterator[Problem]:
    for field in ("seccompProfile", "appArmorProfile"):
        profile, where = context.get(field), f"{path}.{field}.localhostProfile"
        if profile is None:
            continue
        named = profile.get("localhostProfile")
        local = profile["type"] == "Localhost"
        if local and named is None:
            yield Problem(where, "missing: the profile on the node", rule="security")
        elif named is not None and not local:
            message = f"has no meaning with {profile['type']}, only with Localhost"
            yield Problem(where, message, rule="security")
        elif named is not None and field == "appArmorProfile":
            yield from _app_armor(named, where)


def _app_armor(profile: str, path: str) -> Iterator[Problem]:
    if profile != profile.strip() or not profile:
        yield Problem(path, f"{show(profile)} is empty or has blanks around it", rule="security")
    elif len(profile) > _LONGEST_PROFILE:
        message = f"has {len(profile)} characters; at most {_LONGEST_PROFILE} are allowed"
        yield Problem(path, message, rule="security")
