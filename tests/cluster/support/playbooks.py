# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks of the collection on the command line, as a user or a pipeline calls them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import yaml

from module_utils.kube.manifest import Json
from tests.tools import tree
from tests.tools.steps import tool

#: Exit codes of ansible-playbook.
WELL, FAILED = 0, 2


class Playbooks:
    """Playbooks of the collection, called from a folder that holds services."""

    def __init__(self, folder: Path, kubeconfig: Path) -> None:
        self.folder = folder
        self._kubeconfig = kubeconfig

    def keep(self, *services: Json) -> None:
        """Write each service into a file of `services/`."""
        (self.folder / "services").mkdir(exist_ok=True)
        for service in services:
            file = self.folder / "services" / f"{service['metadata']['name']}.yaml"
            file.write_text(yaml.safe_dump(service), encoding="utf-8")

    def run(self, name: str, *words: str, **variables: Any) -> tuple[int, str]:
        """Run a playbook of the collection; return its exit code and what it printed."""
        return self.play(f"modelops.inference.{name}", *words, **variables)

    def play(self, name: str, *words: str, **variables: Any) -> tuple[int, str]:
        """Run any playbook; return its exit code and what it printed."""
        done = subprocess.run(
            [
                tool("ansible-playbook"),
                name,
                *("-e", json.dumps(variables)),
                *words,
            ],
            cwd=self.folder,
            env={
                **os.environ,
                "KUBECONFIG": str(self._kubeconfig),
                "ANSIBLE_COLLECTIONS_PATH": str(tree.TREE_ROOT),
                "ANSIBLE_HOME": str(self.folder / "ansible"),
                "ANSIBLE_NOCOLOR": "1",
            },
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        printed = done.stdout + done.stderr
        assert "Traceback" not in printed
        return done.returncode, printed
