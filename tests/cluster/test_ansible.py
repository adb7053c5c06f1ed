# SPDX-License-Identifier: GPL-3.0-or-later
"""One task in the Ansible process, by its module and in the background: the same result, the same silence about secrets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.lab import kubeconfig
from tests.lab.client import Client
from tests.lab.cluster import Cluster, grant
from tests.tools import tree

from .support.cluster import owned
from .support.elsewhere import CONNECTION
from .support.services import full, small

WHERE: dict[str, Json] = {
    "in-process": {"ansible_connection": "local"},
    "module": {"ansible_connection": "elsewhere"},
    "async": {"ansible_connection": "local"},
}
#: What differs from run to run.
CHANGING = ("stats", "_ansible_no_log", "invocation", "warnings", "deprecations")
ASYNC = (
    "ansible_job_id",
    "finished",
    "started",
    "results_file",
    "stdout",
    "stdout_lines",
    "stderr",
    "stderr_lines",
)


def play(
    folder: Path,
    where: str,
    arguments: Json,
    *,
    environment: Json | None = None,
    verbose: bool = False,
    module: str = "llmisvc_reconcile",
) -> tuple[Json, str]:
    """Run one task by ansible-playbook. Return its result, and all that was printed."""
    plugins = folder / "connections"
    plugins.mkdir(exist_ok=True)
    (plugins / "elsewhere.py").write_text(CONNECTION, encoding="utf-8")
    task: Json = {
        f"modelops.inference.{module}": arguments,
        "register": "found",
        "ignore_errors": True,
    }
    if environment is not None:
        task["environment"] = environment
    if where == "async":
        task |= {"async": 60, "poll": 1}
    keep = {
        "ansible.builtin.copy": {
            "content": "{{ found | to_json }}",
            "dest": str(folder / "found.json"),
        },
        "vars": {"ansible_connection": "local"},
        "no_log": True,
    }
    variables = {**WHERE[where], "ansible_python_interpreter": sys.executable}
    document = [
        {"hosts": "localhost", "gather_facts": False, "vars": variables, "tasks": [task, keep]}
    ]
    book = folder / "play.yml"
    book.write_text(yaml.safe_dump(document), encoding="utf-8")
    process = subprocess.run(
        [
            str(Path(sys.executable).with_name("ansible-playbook")),
            *(["-vvv"] if verbose else []),
            str(book),
        ],
        env={
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith("K8S_AUTH_")
            },
            "ANSIBLE_COLLECTIONS_PATH": str(tree.TREE_ROOT),
            "ANSIBLE_CONNECTION_PLUGINS": str(plugins),
            "ANSIBLE_HOME": str(folder / "ansible"),
            "ANSIBLE_ASYNC_DIR": str(folder / "async"),
            "ANSIBLE_NOCOLOR": "1",
        },
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    printed = process.stdout + process.stderr
    assert process.returncode == 0, printed
    found: Json = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return found, printed


def lasting(result: Json) -> Json:
    """Return what has to be the same wherever the task ran."""
    return {key: value for key, value in result.items() if key not in (*CHANGING, *ASYNC)}


def task(lab: Cluster, service: Json) -> Json:
    return {"kubeconfig": str(lab.kubeconfig), "services": [service]}


def test_result_is_the_same_wherever_the_task_runs(
    lab: Cluster, bare_namespace: str, tmp_path: Path
) -> None:
    results = {}
    for number, where in enumerate(WHERE):
        folder = tmp_path / where
        folder.mkdir()
        name = f"chat-{number}"
        made, _printed = play(folder, where, task(lab, full(name, bare_namespace)))
        assert made["changed"], made
        results[where] = json.loads(json.dumps(lasting(made)).replace(name, "chat"))
    first = results.pop("in-process")
    assert first["services"][0]["children"]
    for where, result in results.items():
        assert result.keys() == first.keys(), where
        for key in ("reconciler", "children", "problems", "unchanged"):
            assert result["services"][0][key] == first["services"][0][key], where


def test_devices_are_the_same_wherever_the_task_runs(tmp_path: Path) -> None:
    arguments = {"state": "rendered", "accelerator": {"type": "nvidia"}, "devices": "2"}
    results = []
    for where in ("in-process", "module"):
        folder = tmp_path / where
        folder.mkdir()
        found, printed = play(folder, where, arguments, module="gpu_resources")
        assert "2 devices are requested" in printed
        results.append(lasting(found))
    assert results[0] == results[1]
    assert results[0]["resources"]["limits"] == {"nvidia.com/gpu": "2"}


@pytest.mark.parametrize("where", WHERE)
def test_refusal_is_the_same_wherever_the_task_runs(
    lab: Cluster, namespace: str, tmp_path: Path, where: str
) -> None:
    wrong = small("chat", namespace, decode={"replicas": "four"})
    found, printed = play(tmp_path, where, task(lab, wrong))
    assert found["failed"]
    assert not found["changed"]
    assert 'spec.decode.replicas: "four" is not an integer' in found["msg"]
    assert found["services"] == []
    assert "Traceback" not in printed


@pytest.mark.parametrize("where", ["in-process", "module"])
def test_environment_of_a_task_is_honoured(
    lab: Cluster, client: Client, namespace: str, tmp_path: Path, where: str
) -> None:
    service = small("chat", namespace)
    environment = {"K8S_AUTH_KUBECONFIG": str(lab.kubeconfig)}
    found, _printed = play(tmp_path, where, {"services": [service]}, environment=environment)
    assert found["changed"], found
    assert "Deployment/chat-decode" in owned(client, service)


@pytest.mark.parametrize("where", ["in-process", "module"])
def test_secrets_are_not_printed_at_any_verbosity(
    lab: Cluster, namespace: str, tmp_path: Path, where: str
) -> None:
    everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    grant(lab, f"{namespace}/robot", [everything])
    token = kubeconfig.read(lab.service_account_kubeconfig("robot", namespace)).token
    authority = tmp_path / "ca.crt"
    authority.write_text(lab.access.authority, encoding="utf-8")
    env = [{"name": "HF_TOKEN", "value": "hf_verysecret"}]
    engine = {"image": "registry.example.com/e:1", "env": env}
    arguments = {
        "host": lab.access.server,
        "ca_cert": str(authority),
        "api_key": token,
        "services": [small("chat", namespace, engine=engine)],
    }
    found, printed = play(tmp_path, where, arguments, verbose=True)
    assert found["changed"], found
    for secret in ("hf_verysecret", token):
        assert secret not in printed
        assert secret not in json.dumps(found)
