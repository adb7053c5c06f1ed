# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run named commands one after the other, say how far it is, and close with `N passed, N failed`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .tree import CHECKOUT


@dataclass(frozen=True)
class Step:
    """A command that passes when it ends with exit code 0."""

    name: str
    command: Sequence[str]
    cwd: Path = CHECKOUT
    env: Mapping[str, str] = field(default_factory=dict)


def run_steps(title: str, steps: Sequence[Step]) -> int:
    """Run all steps, also after a failure, and return the exit code for the whole."""
    failed: list[str] = []
    for number, step in enumerate(steps, start=1):
        _say(f"[{title} {number}/{len(steps)}] {step.name} …")
        started = time.monotonic()
        environment = {**os.environ, **step.env}
        code = subprocess.run(step.command, cwd=step.cwd, env=environment, check=False).returncode
        word = "passed" if code == 0 else f"FAILED with exit code {code}"
        _say(
            f"[{title} {number}/{len(steps)}] {step.name} {word} ({time.monotonic() - started:.1f} s)"
        )
        if code:
            failed.append(step.name)
    if failed:
        _say(f"{title}: failed: {', '.join(failed)}")
    _say(f"{title}: {len(steps) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def tool(name: str) -> str:
    """Return the path of a command that is installed beside the running Python."""
    return str(Path(sys.executable).parent / name)


def _say(line: str) -> None:
    print(line, flush=True)
