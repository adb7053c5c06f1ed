# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays run as a job controller runs them, by ansible-runner, with everything kept that a run leaves behind."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ansible_runner
import yaml

from module_utils.kube.manifest import Json
from tests.tools import tree

from .elsewhere import CONNECTION

#: Python runs this at its start: what a module would send to the system's log is kept in a file as well.
SYSLOG = """
import os
import syslog

_real = syslog.syslog


def _kept(*arguments):
    with open(os.environ["KEPT_SYSLOG"], "a") as log:
        print(*arguments, file=log)
    _real(*arguments)


syslog.syslog = _kept
"""


@dataclass
class Job:
    """One run. folder: ansible-runner's, with its artifacts and all logs, caches and temporary files of the run.

    inputs: what was put there for it. arguments: the command line of every process that was seen while it ran.
    """

    folder: Path
    inputs: dict[Path, str] = field(default_factory=dict)
    arguments: set[bytes] = field(default_factory=set)
    status: str = ""

    def write(self, name: str, content: str) -> Path:
        """Put a file beside the playbook."""
        path = self.folder / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    def run(
        self,
        tasks: Sequence[Json],
        variables: Mapping[str, Any],
        host: Mapping[str, Any],
    ) -> str:
        """Run tasks with full verbosity and diffs. Return what was printed.

        variables: read from a file, as values should be. host: variables of the one host.
        """
        self.write("vars.yml", yaml.safe_dump(dict(variables)))
        self.write("connections/elsewhere.py", CONNECTION)
        self.write("site/sitecustomize.py", SYSLOG)
        play = {"hosts": "all", "gather_facts": False, "vars_files": ["vars.yml"]}
        self.write("play.yml", yaml.safe_dump([{**play, "tasks": list(tasks)}]))
        self.inputs = {
            self.folder / name: "input" for name in ("project", "inventory", "env", "rendered")
        }
        here = {"ansible_python_interpreter": sys.executable, **host}
        finished = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(finished,))
        watcher.start()
        try:
            done = ansible_runner.run(
                private_data_dir=str(self.folder),
                playbook="play.yml",
                inventory={"all": {"hosts": {"localhost": here}}},
                cmdline="--diff -vvvv",
                fact_cache_type="jsonfile",
                envvars=self._environment(),
                quiet=True,
                rotate_artifacts=0,
            )
        finally:
            finished.set()
            watcher.join()
        self.status = str(done.status)
        with done.stdout as printed:
            return str(printed.read())

    def _environment(self) -> dict[str, str]:
        scratch = self.folder / "scratch"
        scratch.mkdir(exist_ok=True)
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "ANSIBLE_COLLECTIONS_PATH": str(tree.TREE_ROOT),
            "ANSIBLE_CONNECTION_PLUGINS": str(self.folder / "project" / "connections"),
            "ANSIBLE_HOME": str(scratch / "home"),
            "ANSIBLE_REMOTE_TMP": str(scratch / "remote"),
            "ANSIBLE_LOCAL_TEMP": str(scratch / "local"),
            "ANSIBLE_ASYNC_DIR": str(scratch / "async"),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_LOG_PATH": str(self.folder / "ansible.log"),
            "ANSIBLE_CACHE_PLUGIN": "jsonfile",
            "KEPT_SYSLOG": str(self.folder / "syslog"),
            "PYTHONPATH": str(self.folder / "project" / "site"),
            "TMPDIR": str(scratch),
        }

    def _watch(self, finished: threading.Event) -> None:
        """Look at the command lines of the machine's processes until the run is over."""
        while not finished.wait(0.01):
            for place in Path("/proc").glob("[0-9]*"):
                try:
                    self.arguments.add((place / "cmdline").read_bytes())
                except OSError:
                    continue
