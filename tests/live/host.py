# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What of the machine a live lab could have changed, looked at before it and after it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from . import build, cgroups

#: Switches that a node usually turns on the machine itself.
_SWITCHES = (
    "net/ipv4/ip_forward",
    "net/ipv4/conf/all/route_localnet",
    "net/netfilter/nf_conntrack_max",
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
)

Seen = Mapping[str, list[str]]


def look() -> Seen:
    """Links, routes, rules, mounts, cgroups and switches of the machine."""
    return {
        "link": sorted(each.name for each in Path("/sys/class/net").iterdir()),
        "route": Path("/proc/net/route").read_text("utf-8").splitlines(),
        "rule": _rules(),
        "mount": sorted(_mounts()),
        "cgroup": sorted(
            f"{root.name}/{each.name}"
            for root in cgroups.hierarchies()
            for each in root.iterdir()
            if each.is_dir()
        ),
        "switch": [
            f"{name} = {path.read_text('utf-8').strip()}"
            for name in _SWITCHES
            if (path := Path("/proc/sys", name)).is_file()
        ],
    }


def changes(before: Seen, after: Seen) -> list[str]:
    """What came and what went, a line each."""
    found: list[str] = []
    for what, was in before.items():
        found += [f"new {what}: {each}" for each in after[what] if each not in was]
        found += [f"lost {what}: {each}" for each in was if each not in after[what]]
    return found


def namespaces(pid: int) -> dict[str, str]:
    """The namespaces of a process that are not this one's own."""
    own = Path("/proc/self/ns")
    return {
        each.name: identity
        for each in Path(f"/proc/{pid}/ns").iterdir()
        if (identity := str(each.readlink())) != str((own / each.name).readlink())
    }


def members(spaces: Mapping[str, str]) -> list[int]:
    """The processes that live in one of these namespaces."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str((process / "ns" / kind).readlink()) == spaces[kind] for kind in spaces):
                found.append(int(process.name))
        except OSError:
            # It ended while it was looked at.
            continue
    return found


def _mounts() -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text("utf-8").splitlines()
    return [f"{words[4]} of {words[3]}" for words in map(str.split, lines)]


def _rules() -> list[str]:
    """Rules of both kinds, without the counters that are in brackets."""
    packages = build.packages()
    folders = [str(each.parent) for each in packages.rglob("*.so.*")]
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.pathsep.join(dict.fromkeys(folders)),
        "XTABLES_LIBDIR": str(next(packages.rglob("xtables"))),
    }
    found: list[str] = []
    for kind in ("nft", "legacy"):
        command = [str(packages / "usr" / "sbin" / f"xtables-{kind}-multi"), "iptables-save"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        lines = (line.partition(" [")[0] for line in done.stdout.splitlines())
        found += [f"{kind} {line}" for line in lines if not line.startswith("#")]
    return found
