# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The node: containerd, kubelet and kube-proxy, their configuration and their command lines."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import build, images, network

NAME = "live-node"
#: Its groups in the certificates: who a kubelet and who kube-proxy is, for Kubernetes' own roles.
KUBELET_USER, KUBELET_GROUPS = f"system:node:{NAME}", ("system:nodes",)
PROXY_USER = "system:kube-proxy"

_CONTAINERD = """
version = 3
root = "{run}/containerd"
state = "{run}/containerd-state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.internal.v1.tracing"]
[grpc]
  address = "{socket}"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "{pause}"
[plugins."io.containerd.cri.v1.runtime"]
  # A machine that is itself a guest may lack the right to set these.
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "{run}/cni-conf"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      BinaryName = "/usr/sbin/runc"
      SystemdCgroup = false
"""


def load(archive: Path, socket: Path) -> None:
    """Give the node an image, under all names that are in its archive. socket: of its containerd."""
    command = [str(build.program("ctr")), f"--address={socket}", "--namespace=k8s.io"]
    subprocess.run(
        [*command, "images", "import", "--local", str(archive)],
        check=True,
        capture_output=True,
        text=True,
    )


@dataclass(frozen=True)
class Node:
    """Files of the node. run: a folder in memory, which goes with the namespaces."""

    run: Path
    cgroup: str
    kubelet_kubeconfig: Path
    proxy_kubeconfig: Path
    authority: Path

    @property
    def socket(self) -> Path:
        return self.run / "containerd.sock"

    def prepare(self) -> None:
        """Write every configuration."""
        text = _CONTAINERD.format(run=self.run, socket=self.socket, pause=images.PAUSE)
        (self.run / "containerd.toml").write_text(text, encoding="utf-8")
        (self.run / "cni-conf").mkdir()
        (self.run / "resolv.conf").write_text(f"nameserver {network.NODE}\n", encoding="utf-8")
        self._write("cni-conf/live.conflist", network.CNI)
        self._write("kubelet.json", self._kubelet())
        self._write("kube-proxy.json", self._kube_proxy())

    def containerd(self) -> list[str]:
        return [str(build.program("containerd")), "--config", str(self.run / "containerd.toml")]

    def kubelet(self) -> list[str]:
        return [
            str(build.program("kubelet")),
            f"--config={self.run / 'kubelet.json'}",
            f"--kubeconfig={self.kubelet_kubeconfig}",
            f"--hostname-override={NAME}",
            f"--node-ip={network.NODE}",
            f"--root-dir={self.run / 'kubelet'}",
        ]

    def kube_proxy(self) -> list[str]:
        return [str(build.program("kube-proxy")), f"--config={self.run / 'kube-proxy.json'}"]

    def _write(self, name: str, value: object) -> None:
        (self.run / name).write_text(json.dumps(value), encoding="utf-8")

    def _kubelet(self) -> dict[str, Any]:
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "containerRuntimeEndpoint": f"unix://{self.socket}",
            "authentication": {
                "anonymous": {"enabled": False},
                "x509": {"clientCAFile": str(self.authority)},
            },
            "clusterDNS": [network.NODE],
            "clusterDomain": "cluster.local",
            "resolvConf": str(self.run / "resolv.conf"),
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{self.cgroup}",
            "failCgroupV1": False,
            "enforceNodeAllocatable": [],
            "localStorageCapacityIsolation": False,
            "failSwapOn": False,
            "podLogsDir": "/var/log/pods",
            # What happened shows sooner than with the defaults, which are meant for hundreds of nodes.
            "syncFrequency": "5s",
            "nodeStatusUpdateFrequency": "5s",
            "registryPullQPS": 0,
            "serializeImagePulls": False,
            "imageGCHighThresholdPercent": 100,
            "evictionHard": {"memory.available": "100Mi"},
        }

    def _kube_proxy(self) -> dict[str, Any]:
        return {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "clientConnection": {"kubeconfig": str(self.proxy_kubeconfig)},
            "hostnameOverride": NAME,
            "mode": "iptables",
            "clusterCIDR": network.PODS,
            "healthzBindAddress": f"{network.NODE}:10256",
            "metricsBindAddress": f"{network.NODE}:10249",
            # Belongs to the machine, not to this namespace.
            "conntrack": {
                "maxPerCore": 0,
                "min": 0,
                "tcpEstablishedTimeout": "0s",
                "tcpCloseWaitTimeout": "0s",
            },
            "iptables": {"minSyncPeriod": "0s"},
        }
