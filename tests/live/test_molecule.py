# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Converge and verify of the molecule scenario `default`, which a cluster of kind shares, on a real node. Its engines are stand-ins."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.client import Client, wait_until
from tests.tools.steps import tool
from tests.tools.tree import CHECKOUT

from ..lab import build
from .lab import Live
from .node import NAME
from .pickers import changed

Json = dict[str, Any]
SCENARIO = CHECKOUT / "molecule" / "default"
TEAM = "team-a"
DEVICE = "nvidia.com/gpu"
#: The scenario's largest service has three pods with two devices each.
DEVICES = 8
PLAY_WITHIN = 420.0
#: Pickers of ModelServices ask for four processors where nobody says less, and the node may have two.
_SMALLER = changed(
    "small-pickers",
    TEAM,
    {
        "patchType": "JSONPatch",
        "jsonPatch": {
            "expression": """[JSONPatch{
                op: "replace",
                path: "/spec/containers/0/resources/requests",
                value: {"cpu": "50m", "memory": "64Mi"}
            }]"""
        },
    },
)


@pytest.fixture
def folder(live: Live, client: Client, tmp_path: Path) -> Iterator[Path]:
    """What the scenario's `create` leaves behind, for a node with devices where the scenario's pods fit."""
    (tmp_path / "kubeconfig").symlink_to(live.kubeconfig)
    (tmp_path / "kubectl").symlink_to(build.program("kubectl"))
    node = client.get("v1", "Node", NAME)
    assert node is not None
    client.patch_status(node, {"capacity": {DEVICE: str(DEVICES)}})
    _await_devices(client)
    client.apply_all(_SMALLER)
    yield tmp_path
    client.delete({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TEAM}})
    for each in _SMALLER:
        client.delete(each)
    client.patch_status(node, {"capacity": {DEVICE: None}})
    live.await_gone(TEAM)


def _await_devices(client: Client) -> None:
    """Wait for the kubelet's next report, with which it offers what the capacity of its node says."""

    def look() -> tuple[bool, Any]:
        offered = (client.get("v1", "Node", NAME) or {})["status"]["allocatable"]
        return offered.get(DEVICE) == str(DEVICES), offered

    wait_until(look, f"the node to offer {DEVICES} {DEVICE}", 60.0)


def _play(folder: Path, *words: str) -> str:
    """Run a playbook as molecule would, and return what it printed."""
    done = subprocess.run(
        [tool("ansible-playbook"), *words],
        env={
            **os.environ,
            "KUBECONFIG": str(folder / "kubeconfig"),
            "MOLECULE_EPHEMERAL_DIRECTORY": str(folder),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=PLAY_WITHIN,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _scenario(folder: Path, playbook: str) -> str:
    extra = json.dumps({"molecule_ephemeral_directory": str(folder)})
    return _play(folder, str(SCENARIO / playbook), "--extra-vars", extra)


def test_converge_and_verify_hold_and_both_stand_in_engines_answer(folder: Path) -> None:
    _scenario(folder, "converge.yml")
    assert "changed=0" in _scenario(folder, "converge.yml")
    asked = {"model_services_namespace": TEAM, "model_services_ask": True}
    asked["model_services_fail_on"] = ["unanswered"]
    _play(folder, "modelops.inference.status", "--extra-vars", json.dumps(asked))
    _scenario(folder, "verify.yml")
