# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a machine has to offer, and why the live lab cannot run on one that does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

_TOOLS = ("ip", "ldd", "mount", "nsenter", "setpriv", "unshare")
#: Tried in namespaces that are gone a moment later.
_TRIAL = (
    "ip link set lo up && ip link add live0 type veth peer name live1 && mount -t tmpfs tmpfs /mnt"
)
NAMESPACES = ("--net", "--mount", "--pid", "--ipc", "--uts")


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
    with open("/proc/filesystems", encoding="utf-8") as listed:
        if "overlay" not in listed.read().split():
            return "it needs the file system overlay"
    command = ["unshare", *NAMESPACES, "--fork", "--mount-proc", "sh", "-c", _TRIAL]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    if tried.returncode:
        return f"it needs namespaces with networks and mounts of their own: {tried.stderr.strip()}"
    return ""
