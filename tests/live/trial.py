# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`python -m tests.live.trial CGROUP`: whether this machine lets the live lab do what a node does, tried in namespaces that end with it.

What a machine forbids is not asked of its version or its configuration but tried: mounts, rules of kube-proxy, a container. The
reason is printed, and the exit code says that there is one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import build, mounts, network

#: The exit code where something is missing.
LACKING = 3
_ID = "trial"
_CHAIN = ("-t", "nat", "-A", "OUTPUT", "-m", "comment", "--comment", "trial")
#: Rules in the forms of kube-proxy's.
_RULES = (
    (*_CHAIN, "-m", "statistic", "--mode", "random", "--probability", "0.5", "-j", "RETURN"),
    (*_CHAIN, "-m", "addrtype", "--dst-type", "LOCAL", "-j", "MARK", "--or-mark", "0x4000"),
    (*_CHAIN, "-p", "tcp", "-m", "tcp", "--dport", "1", "-j", "DNAT", "--to", "127.0.0.1:1"),
    ("-t", "nat", "-A", "POSTROUTING", "-m", "mark", "--mark", "0x1/0x1", "-j", "MASQUERADE"),
    ("-A", "FORWARD", "-m", "conntrack", "--ctstate", "INVALID", "-j", "DROP"),
)


def container(rootfs: Path, cgroup: str) -> dict[str, Any]:
    """The smallest container that is limited as a pod's are (opencontainers runtime-spec, config.md)."""
    kinds = ("pid", "mount", "ipc", "uts", "network")
    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": 1000, "gid": 1000},
            "args": ["/busybox", "true"],
            "cwd": "/",
            "noNewPrivileges": True,
        },
        "root": {"path": str(rootfs), "readonly": True},
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
        "linux": {
            "cgroupsPath": f"/{cgroup}/{_ID}",
            "namespaces": [{"type": kind} for kind in kinds],
            "resources": {
                "memory": {"limit": 64 << 20},
                "cpu": {"shares": 2},
                "pids": {"limit": 64},
            },
        },
    }


def lacking(cgroup: str) -> str:
    """Say what cannot be done here; empty where nothing is."""
    packages = build.packages()
    try:
        mounts.set_up(packages)
        network.set_up()
    except (OSError, subprocess.CalledProcessError) as error:
        return f"it needs mounts and addresses of its own: {error}"
    for rule in _RULES:
        if why := _refused(["iptables", "-w", *rule]):
            return f"it needs the rules of kube-proxy, and iptables says: {why}"
    bundle = mounts.RUN / _ID
    (bundle / "rootfs" / "proc").mkdir(parents=True)
    program = bundle / "rootfs" / "busybox"
    program.write_bytes((packages / "usr" / "bin" / "busybox").read_bytes())
    program.chmod(0o755)
    config = container(bundle / "rootfs", cgroup)
    (bundle / "config.json").write_text(json.dumps(config), encoding="utf-8")
    runc = ["runc", f"--root={mounts.RUN / 'runc'}", "run", f"--bundle={bundle}", _ID]
    if why := _refused(runc):
        return f"it needs containers, and runc says: {why}"
    return ""


def _refused(command: Sequence[str]) -> str:
    """Run a command and return the end of what it says where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
    return ("".join(said) or f"code {done.returncode}") if done.returncode else ""


def main() -> int:
    """Try, and say what is missing."""
    why = lacking(sys.argv[1])
    print(why)
    return LACKING if why else 0


if __name__ == "__main__":
    sys.exit(main())
