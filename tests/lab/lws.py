# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The real manager of LeaderWorkerSets: when it runs, its configuration, its rights and its webhooks.

It makes StatefulSets of which kube-controller-manager makes pods. Its webhooks are called on the loopback address, with a
certificate of the lab's authority.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterable
from typing import Any

from . import crd_sources, crds
from .client import ApiError, Client, Manifest, wait_until
from .files import write_atomically
from .layout import LWS_CERTIFICATE, LWS_MANAGER, PROGRAM_USERS, Layout
from .ports import LOOPBACK

GROUP, KIND = "leaderworkerset.x-k8s.io", "LeaderWorkerSet"

_RBAC = "rbac.authorization.k8s.io"
#: The release puts this before the names of its objects.
_PREFIX = "lws-"


def is_wanted(definitions: Iterable[Manifest]) -> bool:
    """Whether the kind is among these CRDs."""
    return any(
        (each["spec"]["group"], each["spec"]["names"]["kind"]) == (GROUP, KIND)
        for each in definitions
    )


def configure(layout: Layout, port: int) -> None:
    """Write what the manager reads at its start. port: where its webhooks listen."""
    configuration = {
        "apiVersion": "config.lws.x-k8s.io/v1alpha1",
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "webhook": {
            "host": LOOPBACK,
            "port": port,
            "certDir": str(layout.file(f"pki/{LWS_CERTIFICATE}").parent),
        },
        "metrics": {"bindAddress": "0"},
        "health": {"healthProbeBindAddress": "0"},
        "clientConnection": {"qps": 1000, "burst": 1000},
    }
    write_atomically(layout.file(f"{LWS_MANAGER}.json"), json.dumps(configuration))


def install(client: Client, layout: Layout, port: int) -> None:
    """Give the manager its rights and the API server its webhooks, and wait until these are called."""
    authority = layout.authority.read_bytes()
    client.apply_all([*_rights(), *_webhooks(port, authority)])
    wait_until(lambda: answers(client), "the webhooks of LeaderWorkerSets to be called")


def _rights() -> list[Manifest]:
    (role,) = copy.deepcopy(crds.documents(crd_sources.LWS_RIGHTS))
    role["metadata"]["name"] = name = _PREFIX + role["metadata"]["name"]
    user, dummy = PROGRAM_USERS[LWS_MANAGER]
    binding = {
        "apiVersion": role["apiVersion"],
        "kind": "ClusterRoleBinding",
        "metadata": {"name": f"{name}binding"},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": _RBAC, "kind": "User", "name": user}],
    }
    return [role, binding]


def _webhooks(port: int, authority: bytes) -> list[Manifest]:
    """The release's webhook configurations with its own patches, called at a URL instead of a Service."""
    patches: list[Any] = list(crds.documents(crd_sources.LWS_WEBHOOK_PATCHES))
    found = copy.deepcopy(crds.documents(crd_sources.LWS_WEBHOOKS))
    for configuration, patch in zip(found, patches, strict=True):
        configuration["metadata"]["name"] = _PREFIX + configuration["metadata"]["name"]
        for step in patch:
            _replace(configuration, step)
        for webhook in configuration["webhooks"]:
            path = webhook["clientConfig"]["service"]["path"]
            webhook["clientConfig"] = {
                "url": f"https://{LOOPBACK}:{port}{path}",
                "caBundle": base64.b64encode(authority).decode(),
            }
    return found


def _replace(configuration: Manifest, step: Any) -> None:
    """Do one step of a JSON patch that replaces an item of a list."""
    dummy, field, number = step["path"].split("/")
    configuration[field][int(number)] = copy.deepcopy(step["value"])


def answers(client: Client) -> tuple[bool, str]:
    """Whether the manager works on a cluster: a LeaderWorkerSet that is tried and not kept gets what only a webhook of it sets."""
    trial = {
        "apiVersion": f"{GROUP}/v1",
        "kind": KIND,
        "metadata": {"name": "lab-trial", "namespace": "default"},
        "spec": {"leaderWorkerTemplate": {"workerTemplate": {"spec": {"containers": []}}}},
    }
    try:
        made = client.create(trial, dryRun="All")
    except ApiError as error:
        return False, str(error)
    return "networkConfig" in made["spec"], "it is not called yet"
