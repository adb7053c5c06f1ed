# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cgroup below which the node counts its pods: the one thing that namespaces do not take along when they end."""

from __future__ import annotations

import contextlib
from pathlib import Path

from ..lab.client import wait_until

_ROOT = Path("/sys/fs/cgroup")
_GONE_WITHIN = 30.0
#: What kubelet and runc limit pods by.
_CONTROLLERS = {"cpu", "memory", "pids"}


def hierarchies() -> list[Path]:
    """The roots: one with cgroups v2, one for each controller with v1."""
    if _is_unified():
        return [_ROOT]
    found = _ROOT.iterdir() if _ROOT.is_dir() else ()
    return [each for each in found if (each / "cgroup.procs").is_file()]


def _is_unified() -> bool:
    return (_ROOT / "cgroup.controllers").is_file()


def lacking(name: str) -> str:
    """Say why pods cannot be limited here; empty where they can. name: of a group to try it with."""
    if _is_unified():
        given = (_ROOT / "cgroup.subtree_control").read_text("utf-8").split()
    else:
        given = [controller for root in hierarchies() for controller in root.name.split(",")]
    if absent := sorted(_CONTROLLERS - {*given}):
        return f"it needs cgroups, and {_ROOT} does not give groups below it {', '.join(absent)}"
    try:
        make(name)
    except OSError as error:
        return f"it needs cgroups of its own: {error}"
    finally:
        for root in hierarchies():
            _remove(root / name)
    return ""


def make(name: str) -> None:
    """Make the group in each hierarchy."""
    for root in hierarchies():
        (root / name).mkdir(exist_ok=True)


def remove(name: str) -> None:
    """Remove the group with all below it, once its last process is gone."""

    def look() -> tuple[bool, list[str]]:
        left = [root / name for root in hierarchies() if (root / name).is_dir()]
        for group in left:
            _remove(group)
        return not any(group.is_dir() for group in left), [str(group) for group in left]

    wait_until(look, "the node's cgroups to empty", _GONE_WITHIN)


def _remove(group: Path) -> None:
    if not group.is_dir():
        return
    for child in group.iterdir():
        if child.is_dir():
            _remove(child)
    with contextlib.suppress(OSError):
        group.rmdir()
