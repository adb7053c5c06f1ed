# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`make demo` keeps its promises, and every command and playbook of our pages runs on the control plane that it leaves."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.demo.play import PAGE, read
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.tools import pages
from tests.tools.example_cluster import control_plane
from tests.tools.steps import tool
from tests.tools.tree import CHECKOUT, TREE_ROOT

PLAYBOOKS = sorted(
    {
        command
        for page in pages.PAGES
        for command in pages.commands(page)
        if command.startswith("ansible-playbook ")
    }
)


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    """A control plane that the demo starts; it ends with this process."""
    place = control_plane(f"readme-{os.getpid()}", os.getpid(), print)
    yield place
    place.stop()


@pytest.fixture(scope="module")
def demo(plane: ControlPlane) -> subprocess.CompletedProcess[str]:
    """The demo, run without a terminal and told to keep what it starts."""
    return _demo(plane)


def _demo(plane: ControlPlane) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.demo", "--keep", "--name", plane.name]
    environment = {
        **os.environ,
        "PYTHONPATH": str(TREE_ROOT),
        "LAB_OWNER": str(os.getpid()),
    }
    return subprocess.run(
        command, cwd=CHECKOUT, env=environment, check=False, capture_output=True, text=True
    )


def _ansible_playbook(
    plane: ControlPlane, *words: str, cwd: Path = CHECKOUT
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "KUBECONFIG": str(plane.kubeconfig),
        "ANSIBLE_COLLECTIONS_PATH": str(TREE_ROOT),
    }
    return subprocess.run(
        [tool("ansible-playbook"), *words],
        cwd=cwd,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )


def test_demo_makes_every_example_ready(
    demo: subprocess.CompletedProcess[str], plane: ControlPlane
) -> None:
    assert demo.returncode == 0, demo.stdout + demo.stderr
    client = Client.of(plane.kubeconfig)
    services = client.list_all("model.otterscale.io/v1alpha1", "ModelService")
    assert [each["status"]["phase"] for each in services] == ["Ready"] * 10
    (iris,) = client.list_all("serving.kserve.io/v1beta1", "InferenceService")
    conditions = {each["type"]: each["status"] for each in iris["status"]["conditions"]}
    assert conditions["Ready"] == "True"


def test_demo_says_that_the_second_run_wrote_nothing(
    demo: subprocess.CompletedProcess[str],
) -> None:
    assert "second run:  changed=0, 15 of 15 services Ready" in demo.stdout
    assert read(demo.stdout.splitlines()).writes == 0


def test_demo_leaves_a_page(demo: subprocess.CompletedProcess[str]) -> None:
    assert f"open it in a browser: {PAGE.as_uri()}" in demo.stdout
    page = PAGE.read_text(encoding="utf-8")
    assert "playground/writer-3.5" in page
    assert "<b>15</b>ready" in page


def test_demo_says_what_to_do_next(
    demo: subprocess.CompletedProcess[str], plane: ControlPlane
) -> None:
    assert f"make lab-down ARGS={plane.name}" in demo.stdout
    assert f"export KUBECONFIG={plane.kubeconfig}" in demo.stdout


@pytest.mark.usefixtures("demo")
def test_second_demo_reuses_the_control_plane_and_changes_nothing(plane: ControlPlane) -> None:
    again = _demo(plane)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "first run:   changed=0" in again.stdout


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("command", PLAYBOOKS)
def test_command_runs(command: str, plane: ControlPlane, tmp_path: Path) -> None:
    words = [
        re.sub(r"^(model_services|report)_dest=", rf"\g<0>{tmp_path}/", word)
        for word in shlex.split(command)[1:]
    ]
    if "examples/clusters/inventory.yml" in words:
        # Whoever has no clusters of these names: all of them are the one that is here, and alike.
        settings = yaml.safe_load((CHECKOUT / "examples" / "vars.yml").read_text())
        everywhere = {
            "model_services_kubeconfig": str(plane.kubeconfig),
            "model_services_settings": settings["model_services_settings"],
        }
        words += ["-e", json.dumps(everywhere)]
    done = _ansible_playbook(plane, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "15 services" in done.stdout


@pytest.mark.usefixtures("demo")
def test_edited_example_shows_the_one_field_that_would_change(
    plane: ControlPlane, tmp_path: Path
) -> None:
    """What the demo advises at its end."""
    edited = tmp_path / "search.yaml"
    original = (CHECKOUT / "examples" / "services" / "search.yaml").read_text()
    edited.write_text(original.replace("replicas: 2", "replicas: 3"))
    done = _ansible_playbook(
        plane,
        *shlex.split("modelops.inference.reconcile -e @examples/vars.yml --check --diff"),
        "-e",
        f'{{"model_services_src": ["{edited}"]}}',
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.strip() for line in done.stdout.splitlines() if line.startswith(("-  ", "+  "))]
    assert {line.replace(" ", "") for line in lines} == {"-replicas:2", "+replicas:3"}


@pytest.mark.usefixtures("demo")
def test_three_tasks_of_the_readme_run(plane: ControlPlane, tmp_path: Path) -> None:
    (play,) = pages.blocks("README.md", "yaml")
    assert len(yaml.safe_load(play)[0]["tasks"]) == 3
    (tmp_path / "play.yml").write_text(play)
    (tmp_path / "services").mkdir()
    shutil.copy(CHECKOUT / "examples" / "services" / "tiny.yaml", tmp_path / "services")
    done = _ansible_playbook(plane, "play.yml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Ready" in done.stdout
