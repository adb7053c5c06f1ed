# SPDX-License-Identifier: GPL-3.0-or-later
"""A role of the collection, run as its users run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

from tests.lab.cluster import Cluster
from tests.tools import tree


def run_role(folder: Path, lab: Cluster, name: str, entry: str, **variables: object) -> str:
    """Run an entry of a role, and return what is printed. variables: of the role, without its name."""
    named = {f"{name}_{variable}": value for variable, value in variables.items()}
    role = {"name": f"modelops.inference.{name}", "tasks_from": entry}
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {
            "ansible_python_interpreter": sys.executable,
            f"{name}_kubeconfig": str(lab.kubeconfig),
            f"{name}_wait_timeout": 120,
            **named,
        },
        "tasks": [{"ansible.builtin.include_role": role}],
    }
    book = folder / "play.yml"
    book.write_text(yaml.safe_dump([play]), encoding="utf-8")
    process = subprocess.run(
        [str(Path(sys.executable).with_name("ansible-playbook")), str(book)],
        env={
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(tree.TREE_ROOT),
            "ANSIBLE_HOME": str(folder / "ansible"),
            "ANSIBLE_NOCOLOR": "1",
        },
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout
