# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command line of each program of a control plane. Pure: paths and ports in, arguments out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from .layout import LWS_MANAGER, Layout
from .ports import LOOPBACK, free_ports

#: /16, because a /24 is full at 254 Services; outside 10.0.0.0/24, from which kwok gives pod addresses.
SERVICE_RANGE = "10.96.0.0/16"

#: Annotation of the nodes that kwok plays.
NODE_ANNOTATION = "kwok.x-k8s.io/node"


@dataclass(frozen=True)
class Ports:
    """Where each program listens."""

    #: Of the API server; all others listen on the loopback address.
    address: str
    etcd: int
    etcd_peer: int
    api: int
    controller_manager: int
    scheduler: int
    kwok: int
    lws_webhooks: int

    @classmethod
    def free(cls, address: str = LOOPBACK) -> Ports:
        return cls(address, *free_ports(len(fields(cls)) - 1))


Command = Callable[[Path, Layout, Ports], list[str]]


def etcd(binary: Path, layout: Layout, ports: Ports) -> list[str]:
    client = f"http://{LOOPBACK}:{ports.etcd}"
    peer = f"http://{LOOPBACK}:{ports.etcd_peer}"
    return [
        str(binary),
        "--name=lab",
        f"--data-dir={layout.file('etcd')}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=lab={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def api_server(binary: Path, layout: Layout, ports: Ports) -> list[str]:
    pki = layout.file("pki")
    return [
        str(binary),
        f"--etcd-servers=http://{LOOPBACK}:{ports.etcd}",
        f"--bind-address={ports.address}",
        f"--advertise-address={ports.address}",
        f"--secure-port={ports.api}",
        # Pods reach the server under its own address alone.
        f"--endpoint-reconciler-type={'none' if ports.address == LOOPBACK else 'lease'}",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        "--authorization-mode=Node,RBAC",
        "--allow-privileged=true",
        # Node names are not to be resolved.
        "--kubelet-preferred-address-types=InternalIP",
        f"--kubelet-client-certificate={pki / 'kubelet-client.crt'}",
        f"--kubelet-client-key={pki / 'kubelet-client.key'}",
        f"--client-ca-file={pki / 'ca.crt'}",
        f"--tls-cert-file={pki / 'apiserver.crt'}",
        f"--tls-private-key-file={pki / 'apiserver.key'}",
        f"--token-auth-file={layout.file('tokens.csv')}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={pki / 'tokens.crt'}",
        f"--service-account-signing-key-file={pki / 'tokens.key'}",
        f"--audit-policy-file={layout.file('audit-policy.json')}",
        f"--audit-log-path={layout.audit_log}",
        "--audit-log-maxsize=4096",
    ]


def controller_manager(
    binary: Path, layout: Layout, ports: Ports, *, played: bool = True
) -> list[str]:
    """The command line of the controllers. played: kwok plays the nodes."""
    # A busy machine delays kwok's heartbeats; a node that counts as lost would make its pods unready for good.
    patience = ["--node-monitor-grace-period=10m"] if played else []
    pki = layout.file("pki")
    return [
        str(binary),
        f"--kubeconfig={layout.file('kube-controller-manager.kubeconfig')}",
        f"--bind-address={LOOPBACK}",
        f"--secure-port={ports.controller_manager}",
        "--leader-elect=false",
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={pki / 'tokens.key'}",
        f"--root-ca-file={pki / 'ca.crt'}",
        f"--cluster-signing-cert-file={pki / 'ca.crt'}",
        f"--cluster-signing-key-file={pki / 'ca.key'}",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        "--kube-api-qps=1000",
        "--kube-api-burst=1000",
        "--concurrent-deployment-syncs=20",
        "--concurrent-replicaset-syncs=20",
        "--concurrent-statefulset-syncs=20",
        "--concurrent-endpoint-syncs=20",
        "--concurrent-service-endpoint-syncs=20",
        "--concurrent-namespace-syncs=20",
        "--concurrent-serviceaccount-token-syncs=20",
        "--endpointslice-updates-batch-period=0",
        "--endpoint-updates-batch-period=0",
        "--horizontal-pod-autoscaler-sync-period=2s",
        *patience,
    ]


def scheduler(binary: Path, layout: Layout, ports: Ports) -> list[str]:
    return [
        str(binary),
        f"--config={layout.file('scheduler.json')}",
        f"--bind-address={LOOPBACK}",
        f"--secure-port={ports.scheduler}",
    ]


def kwok(binary: Path, layout: Layout, ports: Ports) -> list[str]:
    return [
        str(binary),
        f"--kubeconfig={layout.file('kwok.kubeconfig')}",
        f"--manage-nodes-with-annotation-selector={NODE_ANNOTATION}=fake",
        "--enable-crds=Stage",
        "--node-lease-duration-seconds=40",
        f"--server-address={LOOPBACK}:{ports.kwok}",
    ]


def lws_manager(binary: Path, layout: Layout, _ports: Ports) -> list[str]:
    return [
        str(binary),
        f"--kubeconfig={layout.file(f'{LWS_MANAGER}.kubeconfig')}",
        f"--config={layout.file(f'{LWS_MANAGER}.json')}",
    ]
