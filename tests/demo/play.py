# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs playbooks as a user would, shows their output as it comes, and reads the figures in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..tools.steps import tool
from ..tools.tree import BUILD, CHECKOUT, TREE_ROOT

COMMAND = ("ansible-playbook", "modelops.inference.reconcile", "-e", "@examples/vars.yml")
INFO = ("ansible", "localhost", "-m", "modelops.inference.llmisvc_info")
REPORT = ("ansible-playbook", "modelops.inference.report", "-e", "@examples/vars.yml")
#: The page that the demo leaves.
PAGE = BUILD / "demo-report.html"

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
#: The last lines of the role's report, and Ansible's recap.
_SERVICES = re.compile(r"(?P<services>\d+) services, (?P<ready>\d+) ready")
_COUNTS = re.compile(
    r"(?P<requests>\d+) requests, (?P<writes>\d+) of them writes, (?P<seconds>[\d.]+) s"
)
_RECAP = re.compile(r"localhost +: ok=\d+ +changed=(?P<changed>\d+)")


@dataclass
class Play:
    """One run: what it reports of itself."""

    code: int = 0
    changed: int = 0
    services: int = 0
    ready: int = 0
    requests: int = 0
    writes: int = 0
    seconds: float = 0.0


def reconcile(kubeconfig: Path) -> Play:
    """Run the playbook on the examples."""
    print(f"$ {' '.join(COMMAND)}\n", flush=True)
    command = [tool(COMMAND[0]), *COMMAND[1:]]
    with subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env=_environment(kubeconfig),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        play = read(_shown(process.stdout or ()))
    play.code = process.returncode
    return play


def report(kubeconfig: Path) -> int:
    """Write the report page and return the exit code of the playbook, whose output is shown where it fails."""
    words = [*REPORT, "-e", f"report_dest={PAGE}"]
    print(f"$ {' '.join(words)}", flush=True)
    done = subprocess.run(
        [tool(words[0]), *words[1:]],
        cwd=CHECKOUT,
        env=_environment(kubeconfig),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout, flush=True)
    return done.returncode


def calls(kubeconfig: Path) -> dict[str, str]:
    """Return by service the line that asks it, or why there is none; empty where the module fails, whose output is shown then."""
    done = subprocess.run(
        [tool(INFO[0]), *INFO[1:]],
        cwd=CHECKOUT,
        env=_environment(kubeconfig) | {"ANSIBLE_FORCE_COLOR": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    dummy, found, told = done.stdout.partition("localhost | SUCCESS => ")
    if not found:
        print(done.stdout, flush=True)
        return {}
    services = json.loads(told)["services"]
    return {
        f"{each['namespace']}/{each['name']}": each["request"]["curl"] or each["request"]["note"]
        for each in services
    }


def _environment(kubeconfig: Path) -> dict[str, str]:
    return {
        **os.environ,
        "KUBECONFIG": str(kubeconfig),
        "ANSIBLE_COLLECTIONS_PATH": str(TREE_ROOT),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "ANSIBLE_NOCOWS": "1",
        **({"ANSIBLE_FORCE_COLOR": "1"} if sys.stdout.isatty() else {}),
    }


def _shown(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        print(line, end="", flush=True)
        yield line


def read(lines: Iterable[str]) -> Play:
    """Return the figures that are in the output of a run."""
    play = Play()
    for line in lines:
        text = _COLOUR.sub("", line)
        if found := _SERVICES.search(text):
            play.services, play.ready = int(found["services"]), int(found["ready"])
        if found := _COUNTS.search(text):
            play.requests, play.writes = int(found["requests"]), int(found["writes"])
            play.seconds = float(found["seconds"])
        if found := _RECAP.search(text):
            play.changed = int(found["changed"])
    return play
