# SPDX-License-Identifier: GPL-3.0-or-later
"""The execution environment can be built: ansible-builder takes its definition, and what it finds is enough to run the playbooks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.support.cluster import owned
from tests.cluster.support.services import small
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.tools.tree import CHECKOUT, COLLECTION, TREE_ROOT

BUILDER = str(Path(sys.executable).with_name("ansible-builder"))
DEFINITION = CHECKOUT / "extensions" / "execution-environment" / "execution-environment.yml"


def introspected() -> list[str]:
    """Return the Python packages that the builder finds, each with its versions and whose it is."""
    command = [BUILDER, "introspect", str(TREE_ROOT)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: list[str] = yaml.safe_load(done.stdout)["python"]
    return found


class Built:
    """What an image of the definition would hold, as a virtual environment: its packages, and the collection as a tarball."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bin = folder / "venv" / "bin"
        self._run(sys.executable, "-m", "venv", "venv")
        (folder / "requirements.txt").write_text("\n".join(introspected()), encoding="utf-8")
        wanted = yaml.safe_load(DEFINITION.read_text(encoding="utf-8"))["dependencies"]
        own = [wanted[name]["package_pip"] for name in ("ansible_core", "ansible_runner")]
        pip = ("pip", "install", "--quiet", "--disable-pip-version-check")
        self._run(*pip, "-r", "requirements.txt", *own)
        self._run("ansible-galaxy", "collection", "build", str(COLLECTION))
        (tarball,) = folder.glob("modelops-inference-*.tar.gz")
        self._run("ansible-galaxy", "collection", "install", "--offline", str(tarball))

    def job(self, playbook: str, kubeconfig: Path, **variables: Any) -> str:
        """Run a playbook with the environment's own runner, as a job does. Return what it printed."""
        (self._folder / "job" / "env").mkdir(parents=True, exist_ok=True)
        place = self._folder / "job" / "env" / "extravars"
        place.write_text(yaml.safe_dump(variables), encoding="utf-8")
        command = ("ansible-runner", "run", str(self._folder / "job"), "-p", playbook)
        return self._run(*command, K8S_AUTH_KUBECONFIG=str(kubeconfig))

    def _run(self, program: str, *words: str, **variables: str) -> str:
        done = subprocess.run(
            [shutil.which(program, path=str(self._bin)) or program, *words],
            cwd=self._folder,
            # Nothing of the tests' own environment or collections is seen.
            env={"PATH": f"{self._bin}:{os.defpath}", "HOME": str(self._folder), **variables},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{program} {' '.join(words)}\n{done.stdout}{done.stderr}"
        return done.stdout


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
    found = introspected()
    wanted = (COLLECTION / "requirements.txt").read_text().splitlines()
    names = {line.partition(">")[0].lower() for line in wanted if line and line[0] != "#"}
    # PyYAML comes with ansible-core, and the builder leaves it out.
    assert names - {"pyyaml"} <= {str(line).partition(">")[0].strip().lower() for line in found}


def test_what_the_builder_finds_is_enough_to_run_the_playbooks(
    lab: Cluster, client: Client, namespace: str, tmp_path: Path
) -> None:
    built = Built(tmp_path)
    service = small("chat", namespace)
    (tmp_path / "service.yaml").write_text(yaml.safe_dump(service), encoding="utf-8")
    src = str(tmp_path / "service.yaml")
    printed = built.job("modelops.inference.reconcile", lab.kubeconfig, model_services_src=src)
    assert "1 service, 1 ready" in printed
    assert "Deployment/chat-decode" in owned(client, service)
    page = tmp_path / "page.html"
    built.job("modelops.inference.report", lab.kubeconfig, report_dest=str(page))
    assert "chat" in page.read_text(encoding="utf-8")
