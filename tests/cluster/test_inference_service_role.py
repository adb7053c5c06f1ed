# SPDX-License-Identifier: GPL-3.0-or-later
"""The role `inference_services`, run as its users run it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.lab.cluster import Cluster
from tests.lab.fixtures import fresh_namespace
from tests.tools import tree

from .support.inference_services import SETTINGS, isvc, prepare


@pytest.fixture
def place(lab: Cluster) -> Iterator[str]:
    """A namespace of this test alone, in a cluster that knows the kind."""
    prepare(lab.client)
    with fresh_namespace(lab.client, "isvc") as name:
        yield name


def run(folder: Path, lab: Cluster, entry: str, **variables: object) -> str:
    """Run an entry of the role on the services of a folder, and return what is printed."""
    named = {f"inference_services_{name}": value for name, value in variables.items()}
    role = {
        "name": "modelops.inference.inference_services",
        "tasks_from": entry,
    }
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {
            "ansible_python_interpreter": sys.executable,
            "inference_services_kubeconfig": str(lab.kubeconfig),
            "inference_services_settings": SETTINGS,
            "inference_services_wait_timeout": 120,
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


def test_a_folder_of_services_is_made_ready_looked_at_and_removed(
    lab: Cluster, place: str, tmp_path: Path
) -> None:
    services = tmp_path / "services"
    services.mkdir()
    for name in ("iris", "wine"):
        text = yaml.safe_dump(isvc(name, place))
        (services / f"{name}.yaml").write_text(text, encoding="utf-8")
    given = {"src": [str(services)]}
    first = run(tmp_path, lab, "main", **given)
    assert f"{place}/iris" in first
    assert "2 services, 2 ready" in first
    assert "changed=0" in run(tmp_path, lab, "main", **given)
    look = run(tmp_path, lab, "status", fail_on=["not_ready", "drift"], **given)
    assert f"{place}/wine" in look
    assert "changed=1" in run(tmp_path, lab, "main", state="absent", **given)
