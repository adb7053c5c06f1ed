# SPDX-License-Identifier: GPL-3.0-or-later
"""The CronJob of docs/events.md: its manifest is accepted, and the account that is made for it may do what its command does."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.lab import build
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.tools import pages
from tests.tools.tree import TREE_ROOT

from .support.cluster import owned
from .support.services import small

PAGE = "docs/events.md"


@pytest.fixture
def folder(tmp_path: Path, namespace: str) -> Path:
    """What a reader has: services, the CronJob, and kubectl on the PATH. The page's namespace is that of this test."""
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "chat.yaml").write_text(yaml.safe_dump(small("chat", namespace)))
    (tmp_path / "cronjob.yaml").write_text(yaml.safe_dump(cron_job(namespace)))
    return tmp_path


def cron_job(namespace: str) -> Json:
    """Return the CronJob of the page."""
    (text,) = pages.blocks(PAGE, "yaml")
    found: Json = yaml.safe_load(text)
    assert found["metadata"]["namespace"] == "inference"
    found["metadata"]["namespace"] = namespace
    return found


def run(folder: Path, kubeconfig: Path, words: list[str]) -> str:
    """Run a command as a reader does, and return what it prints."""
    kubectl = shutil.which("kubectl") or str(build.program("kubectl"))
    programs = [str(Path(sys.executable).parent), str(Path(kubectl).parent), os.environ["PATH"]]
    path = os.pathsep.join(programs)
    done = subprocess.run(
        [shutil.which(words[0], path=path) or words[0], *words[1:]],
        cwd=folder,
        env={
            **os.environ,
            "PATH": path,
            "HOME": str(folder),
            "KUBECONFIG": str(kubeconfig),
            "ANSIBLE_COLLECTIONS_PATH": str(TREE_ROOT),
        },
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_cron_job_of_the_page_reconciles_with_the_rights_that_the_page_makes(
    lab: Cluster, client: Client, folder: Path, namespace: str
) -> None:
    commands = [each for each in pages.commands(PAGE) if "inference-reconcile" in each]
    commands += [each for each in pages.commands(PAGE) if "inference-services" in each]
    (apply,) = (each for each in pages.commands(PAGE) if each.startswith("kubectl apply"))
    for command in (*commands, apply):
        run(folder, lab.kubeconfig, in_namespace(command, namespace))
    live = client.get("batch/v1", "CronJob", "inference-reconcile", namespace)
    assert live is not None
    pod: Json = live["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    volumes = [each["configMap"]["name"] for each in pod["volumes"]]
    for name in volumes:
        assert client.get("v1", "ConfigMap", name, namespace)
    account = lab.service_account_kubeconfig(pod["serviceAccountName"], namespace)
    (container,) = pod["containers"]
    (mounted,) = container["volumeMounts"]
    command = [
        word.replace(mounted["mountPath"], str(folder / "services"))
        for word in container["command"]
    ]
    given = ["-e", json.dumps({"model_services_reconciler": "direct"})]
    assert "1 service, 1 ready" in run(folder, account, [*command, *given])
    assert "Deployment/chat-decode" in owned(client, small("chat", namespace))


def in_namespace(command: str, namespace: str) -> list[str]:
    """Return the words of a command of the page, with the namespace of this test for the page's."""
    return [
        namespace
        if word == "inference"
        else word.replace("_namespace=inference", f"_namespace={namespace}")
        for word in shlex.split(command)
    ]
