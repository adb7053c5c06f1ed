# SPDX-License-Identifier: GPL-3.0-or-later
"""The execution environment can be built: ansible-builder takes its definition, and finds what the collection needs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from tests.tools.tree import CHECKOUT, COLLECTION, TREE_ROOT

BUILDER = str(Path(sys.executable).with_name("ansible-builder"))
DEFINITION = CHECKOUT / "extensions" / "execution-environment" / "execution-environment.yml"


def test_definition_is_accepted(tmp_path: Path) -> None:
    shutil.copy(DEFINITION, tmp_path)
    (tmp_path / "modelops-inference.tar.gz").touch()
    command = [
        BUILDER,
        "create",
        "-f",
        str(tmp_path / DEFINITION.name),
        "-c",
        str(tmp_path / "context"),
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "context" / "_build" / "galaxy" / "modelops-inference.tar.gz").exists()


def test_packages_of_the_collection_are_found() -> None:
    command = [BUILDER, "introspect", str(TREE_ROOT)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = yaml.safe_load(done.stdout)["python"]
    wanted = (COLLECTION / "requirements.txt").read_text().splitlines()
    names = {line.partition(">")[0].lower() for line in wanted if line and line[0] != "#"}
    # PyYAML comes with ansible-core, and the builder leaves it out.
    assert names - {"pyyaml"} <= {str(line).partition(">")[0].strip().lower() for line in found}
