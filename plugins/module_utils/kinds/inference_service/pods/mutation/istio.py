# SPDX-License-Identifier: GPL-3.0-or-later
"""The user of the init container where Istio's sidecar takes all traffic but its own.

Source: KServe pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ....kserve.pod import changed, container_of
from ....kserve.storage.initializer import NAME
from .subject import Subject

_USER_ANNOTATION = "serving.kserve.io/storage-initializer-uid"
_MODE, _STATUS = "sidecar.istio.io/interceptionMode", "sidecar.istio.io/status"
_ISTIO_INIT = "istio-init"
#: The user whom Istio lets through where its sidecar names none.
_ISTIO_USER = 1337
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


def with_network_user(subject: Subject) -> Subject:
    """Return a pod whose init container may reach the network before the sidecar runs."""
    if container_of(subject.spec, NAME, "initContainers") is None:
        return subject
    user = _user(subject)
    if user is None:
        return subject
    pod = changed(
        subject.spec,
        NAME,
        lambda each: {
            **each,
            "securityContext": {**(each.get("securityContext") or {}), "runAsUser": user},
        },
        "initContainers",
    )
    return subject.having(pod)


def _user(subject: Subject) -> int | None:
    wanted = subject.annotations.get(_USER_ANNOTATION)
    if wanted is not None:
        return int(wanted) if _INTEGER.fullmatch(wanted) else None
    by_init = container_of(subject.spec, _ISTIO_INIT, "initContainers") is not None
    if by_init or subject.annotations.get(_MODE) != "REDIRECT":
        return None
    sidecar = container_of(subject.spec, _sidecar(subject.annotations))
    if sidecar is None:
        return None
    user = (sidecar.get("securityContext") or {}).get("runAsUser")
    return _ISTIO_USER if user is None else int(user)


def _sidecar(annotations: Mapping[str, str]) -> str:
    """Return the name of Istio's container as Istio wrote it down, empty where it did not."""
    try:
        status = json.loads(annotations.get(_STATUS, "{}"))
    except ValueError:
        return ""
    names = status.get("containers") if isinstance(status, dict) else None
    return str(names[0]) if isinstance(names, list) and names else ""
