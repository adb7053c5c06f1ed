# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the processes of the live lab see in place of the machine's folders: writes end in memory, and tools are there as if installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

#: In memory, as everything below /run.
RUN = Path("/run/modelops-live")
#: How kube-proxy and plugins call the tools of which the package has several kinds.
_KINDS = {
    f"{family}{suffix}": "xtables-nft-multi"
    for family in ("iptables", "ip6tables")
    for suffix in ("", "-save", "-restore")
}
#: Switches of the whole machine that a kubelet sets at its start: it gets files that hold what it wants.
_SWITCHES = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1000000,
    "kernel/keys/root_maxbytes": 25000000,
}


def set_up(packages: Path) -> None:
    """Change the mounts of this namespace. packages: unpacked packages of the distribution."""
    _mount("-t", "tmpfs", "tmpfs", "/run")
    for name in ("var", "usr"):
        for part in ("upper", "work"):
            (RUN / name / part).mkdir(parents=True)
    _overlay("/var", [Path("/var")], RUN / "var")
    _overlay("/usr", [packages / "usr", Path("/usr")], RUN / "usr")
    for name, program in _KINDS.items():
        link = Path("/usr/sbin", name)
        link.unlink(missing_ok=True)
        link.symlink_to(program)
    for name, value in _SWITCHES.items():
        switch = RUN / "switches" / name.replace("/", ".")
        switch.parent.mkdir(exist_ok=True)
        switch.write_text(f"{value}\n", encoding="utf-8")
        _mount("--bind", str(switch), f"/proc/sys/{name}")


def _overlay(target: str, lower: list[Path], writes: Path) -> None:
    layers = ":".join(map(str, lower))
    options = f"lowerdir={layers},upperdir={writes / 'upper'},workdir={writes / 'work'}"
    _mount("-t", "overlay", "overlay", "-o", options, target)


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)
