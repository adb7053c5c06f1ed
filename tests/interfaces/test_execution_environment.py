# SPDX-License-Identifier: GPL-3.0-or-later
"""The execution environment can be built: ansible-builder takes its definition, and what it finds is enough to run the playbooks.

With LONG=1 podman builds the image, on a base that debootstrap makes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.support.cluster import owned
from tests.cluster.support.services import small
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.long import LONG
from tests.tools.tree import CHECKOUT, COLLECTION, TREE_ROOT

BUILDER = str(Path(sys.executable).with_name("ansible-builder"))
DEFINITION = CHECKOUT / "extensions" / "execution-environment" / "execution-environment.yml"
TARBALL = "modelops-inference.tar.gz"
#: Runs a playbook with variables against the cluster of a kubeconfig, and returns what it printed.
Job = Callable[..., str]


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
        command = ("ansible-runner", "run", str(_kept(self._folder, variables)), "-p", playbook)
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


def _kept(folder: Path, variables: dict[str, Any]) -> Path:
    """Write the variables of a job as ansible-runner reads them, and return the job's folder."""
    (folder / "job" / "env").mkdir(parents=True, exist_ok=True)
    (folder / "job" / "env" / "extravars").write_text(yaml.safe_dump(variables), encoding="utf-8")
    return folder / "job"


class Image:
    """The image of the definition, on a base of Debian with a Python of its own: podman builds it and runs jobs in it."""

    BASE, NAME = "localhost/modelops-lab/base:1", "localhost/modelops-lab/environment:1"
    PYTHON = "/opt/python"
    #: pip trusts what this machine trusts.
    TRUST = "/etc/ssl/certs"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def build(self) -> None:
        """Make the base and then the image."""
        root = self._folder / "base"
        packages = "python3,python3-venv,ca-certificates"
        debian = ("debootstrap", "--variant=minbase", f"--include={packages}", "bookworm")
        self._run(*debian, str(root))
        self._run("chroot", str(root), "python3", "-m", "venv", self.PYTHON)
        archive = str(self._folder / "base.tar")
        self._run("tar", "-C", str(root), "-cf", archive, ".")
        path = f"PATH={self.PYTHON}/bin:/usr/bin:/bin"
        self._run("podman", "import", "--quiet", "--change", f"ENV={path}", archive, self.BASE)
        self._run("ansible-galaxy", "collection", "build", str(COLLECTION))
        (tarball,) = self._folder.glob("modelops-inference-*.tar.gz")
        tarball.rename(self._folder / TARBALL)
        definition = yaml.safe_load(DEFINITION.read_text(encoding="utf-8"))
        definition["images"]["base_image"]["name"] = self.BASE
        interpreter = {"python_path": f"{self.PYTHON}/bin/python3"}
        definition["dependencies"]["python_interpreter"] = interpreter
        definition["options"] = {"package_manager_path": "/usr/bin/apt-get"}
        (self._folder / DEFINITION.name).write_text(yaml.safe_dump(definition), encoding="utf-8")
        self._run(BUILDER, "create", "-f", DEFINITION.name, "-c", "context")
        trust = (
            f"--volume={self.TRUST}:{self.TRUST}:ro",
            f"--env=PIP_CERT={self.TRUST}/ca-certificates.crt",
        )
        # A chroot suffices for its steps, and works where containers have no network of their own.
        how = ("--network=host", "--isolation=chroot", *trust)
        self._run("podman", "build", *how, "--tag", self.NAME, "context")

    def job(self, playbook: str, kubeconfig: Path, **variables: Any) -> str:
        """Run a playbook in a container of the image, as a job does. Return what it printed."""
        folder = self._folder
        job = str(_kept(folder, variables))
        seen = [f"--volume={place}:{place}" for place in (folder, kubeconfig.parent)]
        # The files belong to who runs the tests.
        how = ("--rm", "--network=host", "--user=0", f"--env=K8S_AUTH_KUBECONFIG={kubeconfig}")
        command = ("ansible-runner", "run", job, "-p", playbook)
        return self._run("podman", "run", *how, *seen, self.NAME, *command)

    def remove(self) -> None:
        """Remove the image and its base."""
        for name in (self.NAME, self.BASE):
            subprocess.run(["podman", "rmi", "--force", name], check=False, capture_output=True)

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            words, cwd=self._folder, check=False, capture_output=True, text=True, timeout=900
        )
        assert done.returncode == 0, (
            f"{' '.join(words)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        )
        return done.stdout


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Image]:
    """The image that podman builds."""
    if not LONG:
        pytest.skip("not run: building an image takes minutes; LONG=1")
    absent = [name for name in ("podman", "debootstrap") if not shutil.which(name)]
    if absent or os.geteuid() != 0:
        pytest.skip(f"not run: it needs root and {', '.join(absent) or 'nothing else'}")
    made = Image(tmp_path)
    try:
        made.build()
        yield made
    finally:
        made.remove()


def test_definition_is_accepted(tmp_path: Path) -> None:
    shutil.copy(DEFINITION, tmp_path)
    (tmp_path / TARBALL).touch()
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
    assert (tmp_path / "context" / "_build" / "galaxy" / TARBALL).exists()


def test_packages_of_the_collection_are_found() -> None:
    found = introspected()
    wanted = (COLLECTION / "requirements.txt").read_text().splitlines()
    names = {line.partition(">")[0].lower() for line in wanted if line and line[0] != "#"}
    # PyYAML comes with ansible-core, and the builder leaves it out.
    assert names - {"pyyaml"} <= {str(line).partition(">")[0].strip().lower() for line in found}


def test_what_the_builder_finds_is_enough_to_run_the_playbooks(
    lab: Cluster, client: Client, namespace: str, tmp_path: Path
) -> None:
    _reconciles_and_reports(Built(tmp_path).job, lab, client, namespace, tmp_path)


def test_image_that_podman_builds_runs_the_playbooks(
    image: Image, lab: Cluster, client: Client, namespace: str, tmp_path: Path
) -> None:
    _reconciles_and_reports(image.job, lab, client, namespace, tmp_path)


def _reconciles_and_reports(
    job: Job, lab: Cluster, client: Client, namespace: str, folder: Path
) -> None:
    service = small("chat", namespace)
    src, page = folder / "service.yaml", folder / "page.html"
    src.write_text(yaml.safe_dump(service), encoding="utf-8")
    printed = job("modelops.inference.reconcile", lab.kubeconfig, model_services_src=str(src))
    assert "1 service, 1 ready" in printed
    assert "Deployment/chat-decode" in owned(client, service)
    job("modelops.inference.report", lab.kubeconfig, report_dest=str(page))
    assert "chat" in page.read_text(encoding="utf-8")
