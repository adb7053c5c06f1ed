# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples in the documentation of the modules run as they stand there, on a cluster that has what they speak of."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.lab.control_plane import ControlPlane
from tests.tools.steps import tool
from tests.tools.tree import CHECKOUT, TREE_ROOT

from .support.entries import Entries
from .support.llm_services import llm, routed
from .support.llm_services import prepare as prepare_llm
from .support.places import plane_of_examples
from .support.services import small

MODULES = ("epp_config", "gpu_resources", "llmisvc_info", "llmisvc_reconcile")
#: Whose examples install releases of others, or stop what others would need: tests/cluster/test_applyset*.py, test_hand_over.py.
ELSEWHERE = ("applyset", "llmisvc_controller")
PACKAGE = "ansible_collections.modelops.inference.plugins.modules"
#: A configuration of llm-d's picker 0.8, which 0.9 still reads.
PICKER = """\
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
  - type: queue-scorer
  - type: max-score-picker
  - type: single-profile-handler
schedulingProfiles:
  - name: default
    plugins:
      - pluginRef: queue-scorer
        weight: 2
      - pluginRef: max-score-picker
"""


plane = plane_of_examples("examples")


def deployment(name: str, namespace: str, container: str) -> Json:
    """Return a Deployment of somebody else."""
    marks = {"app": name}
    pod = {"containers": [{"name": container, "image": "registry.example.com/some:1"}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "selector": {"matchLabels": marks},
            "template": {"metadata": {"labels": marks}, "spec": pod},
        },
    }


def prepare(module: str, plane: ControlPlane) -> None:
    """Make what the examples of a module speak of."""
    client = plane.client
    needed: dict[str, list[Json]] = {
        "epp_config": [deployment("chat-epp", "chat", "epp")],
        "gpu_resources": [
            deployment("chat", "team-a", "vllm"),
            small("chat", "team-a", accelerator={"type": "nvidia"}),
            llm("assistant", "team-a", prefill={"replicas": 1}),
        ],
    }
    if module in ("gpu_resources", "llmisvc_info"):
        prepare_llm(client)
    if module == "llmisvc_info":
        assistant = routed("assistant", "team-a")
        Entries(plane.kubeconfig).reconcile(assistant, create_namespaces=True, fit="ignore")
    for manifest in needed.get(module, []):
        place = manifest["metadata"]["namespace"]
        client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}})
        client.apply(manifest)


def add_model(folder: Path, name: str) -> None:
    """Make the folder of a model with its config.json."""
    table = CHECKOUT / "tests" / "unit" / "accelerators" / "model_sizes.json"
    rows = json.loads(table.read_text(encoding="utf-8"))
    config = next(row["config"] for row in rows if row["model"] == name)
    (folder / name).mkdir(parents=True)
    (folder / name / "config.json").write_text(json.dumps(config), encoding="utf-8")


def examples(module: str) -> list[Json]:
    """Return the tasks of a module's documentation, predictions first: they foresee what the others do."""
    tasks: list[Json] = yaml.safe_load(importlib.import_module(f"{PACKAGE}.{module}").EXAMPLES)
    return sorted(tasks, key=lambda task: not task.get("check_mode", False))


def test_every_module_is_here() -> None:
    found = {path.stem for path in (CHECKOUT / "plugins" / "modules").glob("*.py")}
    assert found - {"__init__"} == {*MODULES, *ELSEWHERE}


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str, plane: ControlPlane, tmp_path: Path) -> None:
    prepare(module, plane)
    (tmp_path / "services").symlink_to(CHECKOUT / "examples" / "services")
    (tmp_path / "manifests").mkdir()
    fitting = yaml.safe_dump(deployment("small", "default", "server"))
    (tmp_path / "manifests" / "small.yaml").write_text(fitting)
    (tmp_path / "picker.yaml").write_text(PICKER)
    add_model(tmp_path / "models", "Qwen3-30B-A3B")
    tasks = examples(module)
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"ansible_python_interpreter": "{{ ansible_playbook_python }}"},
        # What an example leaves to the reader.
        "module_defaults": {"modelops.inference.llmisvc_reconcile": {"create_namespaces": True}},
        "tasks": tasks,
    }
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play], sort_keys=False))
    environment = {
        **os.environ,
        "KUBECONFIG": str(plane.kubeconfig),
        "ANSIBLE_COLLECTIONS_PATH": str(TREE_ROOT),
    }
    done = subprocess.run(
        [tool("ansible-playbook"), "play.yml"],
        cwd=tmp_path,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"ok={len(tasks)} " in done.stdout
