# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a machine has to offer, and why the live lab cannot run on one that does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

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
    tried = _tried("namespaces", ["sh", "-c", _TRIAL])
    if tried.returncode:
        return f"it needs namespaces with networks and mounts of their own: {tried.stderr.strip()}"
    return cgroups.lacking(GROUP)


def lacking_for_pods() -> str:
    """Say what a node cannot do here, once everything is built; empty where nothing is."""
    tried = _tried("mounts, rules and a container", [sys.executable, "-m", trial.__name__, GROUP])
    try:
        cgroups.remove(GROUP)
    except TimeoutError as error:
        return f"it needs cgroups that it can remove: {error}"
    return tried.stdout.strip() if tried.returncode == trial.LACKING else tried.stderr.strip()


def _tried(what: str, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in namespaces of its own, which end with it; one that takes too long has failed."""
    words = ["unshare", *NAMESPACES, "--fork", "--kill-child", "--mount-proc", *command]
    try:
        return subprocess.run(
            words,
            cwd=paths.CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
            timeout=_WITHIN,
        )
    except subprocess.TimeoutExpired:
        why = f"a trial of {what} took more than {_WITHIN:.0f} s"
        return subprocess.CompletedProcess(words, 1, "", why)
