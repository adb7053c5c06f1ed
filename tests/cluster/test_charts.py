# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts of a real project, rendered with the real helm; not run where this machine has none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from tests.lab import bundles, crd_sources, toolchain

from .support.playbooks import WELL, Playbooks

KSERVE = bundles.RELEASES["kserve"]


@pytest.mark.skipif(shutil.which("helm") is None, reason="not run: helm is not installed")
def test_a_chart_is_rendered_with_its_values_and_treated_as_any_other_bundle(
    tmp_path: Path,
) -> None:
    go = toolchain.find_go(lambda dummy: None)
    charts = (
        crd_sources.download(go, crd_sources.Bundle(KSERVE.module, KSERVE.version, ())) / "charts"
    )
    component = {
        "name": "kserve",
        "version": "v0.17.0",
        "chart": {
            "ref": str(charts / "kserve-resources"),
            "namespace": "serving",
            "values": {"kserve": {"controller": {"deploymentMode": "Standard"}}},
        },
        "transform": {"registry": "mirror.example.com", "leave_out": ["Issuer/selfsigned-issuer"]},
    }
    play = [
        {
            "hosts": "localhost",
            "gather_facts": False,
            "tasks": [
                {
                    "ansible.builtin.include_role": {
                        "name": "modelops.inference.controllers",
                        "tasks_from": "render",
                    },
                    "vars": {
                        "controllers_components": [component],
                        "controllers_cache": str(tmp_path / "cache"),
                    },
                },
                {
                    "ansible.builtin.copy": {
                        "content": "{{ controllers_rendered.kserve | to_json }}",
                        "dest": str(tmp_path / "rendered.json"),
                        "mode": "0600",
                    }
                },
            ],
        }
    ]
    (tmp_path / "play.yml").write_text(yaml.safe_dump(play))
    code, printed = Playbooks(tmp_path, tmp_path / "none").play("play.yml")
    assert code == WELL, printed
    found = json.loads((tmp_path / "rendered.json").read_text())
    kinds = {each["kind"] for each in found}
    assert {"Deployment", "Certificate", "ValidatingWebhookConfiguration"} <= kinds
    assert "Issuer" not in kinds
    config = next(each for each in found if each["metadata"]["name"] == "inferenceservice-config")
    assert json.loads(config["data"]["deploy"])["defaultDeploymentMode"] == "Standard"
    manager = next(each for each in found if each["kind"] == "Deployment")
    images = [each["image"] for each in manager["spec"]["template"]["spec"]["containers"]]
    assert all(image.startswith("mirror.example.com/") for image in images)
