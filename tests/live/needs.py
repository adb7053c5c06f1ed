# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a machine has to offer, and why the live lab cannot run on one that does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from ..lab import paths
from . import cgroups, trial

_TOOLS = ("ip", "ldd", "mount", "nsenter", "setpriv", "unshare")
#: Tried in namespaces that are gone a moment later, before anything is built.
_TRIAL = " && ".join(
    (
        "ip link set lo up",
        "ip link add live0 type veth peer name live1",
        "mount -t tmpfs tmpfs /mnt",
        "mkdir /mnt/lower /mnt/upper /mnt/work",
        "mount -t overlay overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work /mnt",
    )
)
NAMESPACES = ("--net", "--mount", "--pid", "--ipc", "--uts")
#: The cgroup of trials alone.
GROUP = "modelops-live-trial"
_WITHIN = 60.0


def lacking() -> str:
    """Say what is missing here; empty where nothing is."""
    if not sys.platform.startswith("linux"):
        return "it needs Linux"
    if os.geteuid() != 0:
        return "it needs root, for namespaces and containers"
    if absent := [name for name in _TOOLS if not shutil.which(name)]:
        return (
            f"it needs the programs {', '.join(absent)} (packages iproute2, util-linux, libc-bin)"
        )
    if not os.access("/dev/kmsg", os.R_OK):
        return "it needs /dev/kmsg, which a kubelet reads"
    command = ["unshare", *NAMESPACES, "--fork", "--mount-proc", "sh", "-c", _TRIAL]
    tried = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_WITHIN)
    if tried.returncode:
        return f"it needs namespaces with networks and mounts of their own: {tried.stderr.strip()}"
    return cgroups.lacking(GROUP)


def lacking_for_pods() -> str:
    """Say what a node cannot do here, once everything is built; empty where nothing is."""
    command = ["unshare", *NAMESPACES, "--fork", "--kill-child", "--mount-proc", sys.executable]
    try:
        tried = subprocess.run(
            [*command, "-m", trial.__name__, GROUP],
            cwd=paths.CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
            timeout=_WITHIN,
        )
    except subprocess.TimeoutExpired:
        return f"a trial of mounts, rules and a container took more than {_WITHIN:.0f} s"
    finally:
        cgroups.remove(GROUP)
    return tried.stdout.strip() if tried.returncode == trial.LACKING else tried.stderr.strip()
