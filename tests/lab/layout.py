# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of one control plane's state folder, and the users that its programs run as."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import kubeconfig, pki
from .files import write_atomically
from .kubeconfig import Access
from .ports import LOOPBACK

ADMIN = "lab-admin"
ADMIN_GROUPS = ("system:masters",)
#: Who the API server is where it asks a kubelet.
KUBELET_CLIENT = "kube-apiserver-kubelet-client"

LWS_MANAGER = "lws-manager"
#: Its webhooks' certificate below `pki/`; the file's name is the manager's choice.
LWS_CERTIFICATE = "lws-webhooks/tls"

#: The programs' own users; RBAC has roles for the first two, kwok may do everything, LeaderWorkerSet's manager what its release
#: gives it.
PROGRAM_USERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "kube-controller-manager": ("system:kube-controller-manager", ()),
    "kube-scheduler": ("system:kube-scheduler", ()),
    "kwok": ("lab-kwok", ADMIN_GROUPS),
    LWS_MANAGER: ("lab-lws-manager", ()),
}

#: First address of the service range: how pods would reach the API server.
_SERVICE_ADDRESS = "10.96.0.1"
_SERVICE_NAMES = (
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)

#: What the programs themselves ask for is most of all requests, and nobody reads it.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {
            "level": "None",
            "users": ["system:apiserver", *(user for user, dummy in PROGRAM_USERS.values())],
        },
        {"level": "None", "userGroups": ["system:serviceaccounts:kube-system"]},
        {"level": "Metadata", "verbs": ["get", "list", "watch"]},
        {"level": "RequestResponse"},
    ],
}

SCHEDULER_CONFIG = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "leaderElection": {"leaderElect": False},
    "podInitialBackoffSeconds": 1,
    "podMaxBackoffSeconds": 2,
}


@dataclass(frozen=True)
class Layout:
    """Paths below one state folder."""

    root: Path

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def lock(self) -> Path:
        return self.root / "supervisor.lock"

    @property
    def state(self) -> Path:
        return self.root / "state.json"

    @property
    def request(self) -> Path:
        """What the supervisor is asked to start."""
        return self.root / "request.json"

    @property
    def keep(self) -> Path:
        """Its presence keeps the folder when the control plane ends."""
        return self.root / "keep"

    @property
    def kubeconfig(self) -> Path:
        return self.root / "kubeconfig"

    @property
    def token_kubeconfig(self) -> Path:
        return self.root / "kubeconfig-token"

    @property
    def audit_log(self) -> Path:
        return self.root / "audit.log"

    @property
    def authority(self) -> Path:
        return self.root / "pki" / "ca.crt"

    @property
    def authority_key(self) -> Path:
        return self.root / "pki" / "ca.key"

    def log(self, program: str) -> Path:
        return self.root / "logs" / f"{program}.log"

    def file(self, name: str) -> Path:
        return self.root / name


def prepare(layout: Layout, address: str, api_port: int, token: str) -> None:
    """Write everything that the programs read at their start."""
    server = f"https://{address}:{api_port}"
    authority = pki.Authority.new(f"modelops-lab-{layout.name}")
    _write_pair(layout, "ca", authority.pair)
    hosts = (address, LOOPBACK, _SERVICE_ADDRESS, "localhost", *_SERVICE_NAMES)
    _write_pair(layout, "apiserver", authority.server("kube-apiserver", hosts))
    _write_pair(layout, "kubelet-client", authority.client(KUBELET_CLIENT, ADMIN_GROUPS))
    _write_pair(layout, LWS_CERTIFICATE, authority.server("lws-webhooks", (LOOPBACK,)))
    _write_pair(layout, "tokens", pki.signing_keys())
    groups = ",".join(ADMIN_GROUPS)
    write_atomically(
        layout.file("tokens.csv"), f'{token},{ADMIN}-token,{ADMIN}-token,"{groups}"\n', 0o600
    )
    write_atomically(layout.file("audit-policy.json"), json.dumps(AUDIT_POLICY))
    layout.file("logs").mkdir(parents=True, exist_ok=True)

    def access(user: str, groups: tuple[str, ...]) -> Access:
        pair = authority.client(user, groups)
        return Access(
            server, authority.pair.certificate, certificate=pair.certificate, key=pair.key
        )

    context = f"modelops-lab-{layout.name}"
    kubeconfig.write(layout.kubeconfig, access(ADMIN, ADMIN_GROUPS), context=context)
    kubeconfig.write(
        layout.token_kubeconfig,
        Access(server, authority.pair.certificate, token=token),
        context=context,
    )
    _write_program_users(layout, access)


def _write_program_users(layout: Layout, access: Callable[[str, tuple[str, ...]], Access]) -> None:
    for program, (user, groups) in PROGRAM_USERS.items():
        kubeconfig.write(
            layout.file(f"{program}.kubeconfig"), access(user, groups), context=program
        )
    scheduler = {
        **SCHEDULER_CONFIG,
        "clientConnection": {
            "kubeconfig": str(layout.file("kube-scheduler.kubeconfig")),
            "qps": 1000,
            "burst": 1000,
        },
    }
    write_atomically(layout.file("scheduler.json"), json.dumps(scheduler))


def _write_pair(layout: Layout, name: str, pair: pki.KeyPair) -> None:
    write_atomically(layout.file(f"pki/{name}.crt"), pair.certificate)
    write_atomically(layout.file(f"pki/{name}.key"), pair.key, 0o600)
