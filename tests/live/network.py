# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Addresses of the live lab, all of its own network namespace, and how they are set up."""

from __future__ import annotations

import subprocess
from pathlib import Path

#: The node, its API server and Istio's control plane.
NODE = "10.10.0.1"
#: What a cloud's load balancer would give to the gateway.
GATEWAY = "10.10.0.2"
PODS = "10.88.0.0/16"
#: Of commands.SERVICE_RANGE.
SERVICES = "10.96.0.0/16"

#: Each pod has a pair of interfaces and a route of its own, so no rule is needed for what a bridge forwards.
CNI = {
    "cniVersion": "1.0.0",
    "name": "live",
    "plugins": [
        {
            "type": "ptp",
            "ipam": {
                "type": "host-local",
                "ranges": [[{"subnet": PODS}]],
                "routes": [{"dst": "0.0.0.0/0"}],
                "dataDir": "/run/cni",
            },
        }
    ],
}


def set_up() -> None:
    """Give this namespace its addresses; Services are routed to where kube-proxy translates them."""
    for words in (
        f"addr add {NODE}/32 dev lo",
        f"addr add {GATEWAY}/32 dev lo",
        "link set lo up",
        f"route add {SERVICES} dev lo src {NODE}",
    ):
        subprocess.run(["ip", *words.split()], check=True)
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1", encoding="utf-8")
