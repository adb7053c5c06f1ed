# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts of real projects, rendered with the real helm: that of the machine, or the one that LONG=1 compiles."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.lab import build, bundles, crd_sources, toolchain
from tests.lab.programs import HELM, KUBERNETES_VERSION
from tests.long import LONG

from .support.playbooks import WELL, Playbooks

KSERVE = bundles.RELEASES["kserve"]
CERT_MANAGER = crd_sources.Bundle("github.com/cert-manager/cert-manager", "v1.19.0", ())
MIRROR = "mirror.example.com"


@pytest.fixture(autouse=True)
def helm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program on PATH; where the machine has none, the compiled one."""
    if LONG and not shutil.which("helm"):
        build.build_module(toolchain.find_go(print), HELM, print)
    folder = build.folder(HELM)
    if not shutil.which("helm") and not folder.is_dir():
        pytest.skip("not run: helm is not installed; LONG=1 compiles it")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{folder}")


def module_of(bundle: crd_sources.Bundle) -> Path:
    """Return the folder of a Go module, in which its project keeps its charts."""
    return crd_sources.download(toolchain.find_go(print), bundle)


def rendered(component: Json, folder: Path) -> list[Json]:
    """Return what the role makes of a component."""
    role = {"name": "modelops.inference.controllers", "tasks_from": "render"}
    variables = {"controllers_components": [component], "controllers_cache": str(folder / "cache")}
    place = folder / "rendered.json"
    found = f"{{{{ controllers_rendered.{component['name']} | to_json }}}}"
    copy = {"content": found, "dest": str(place), "mode": "0600"}
    tasks = [
        {"ansible.builtin.include_role": role, "vars": variables},
        {"ansible.builtin.copy": copy},
    ]
    play = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]
    (folder / "play.yml").write_text(yaml.safe_dump(play))
    code, printed = Playbooks(folder, folder / "none").play("play.yml")
    assert code == WELL, printed
    objects: list[Json] = json.loads(place.read_text())
    return objects


def images_of(workload: Json) -> list[str]:
    """Return the images of a workload's pods."""
    return [each["image"] for each in workload["spec"]["template"]["spec"]["containers"]]


def test_a_chart_is_rendered_with_its_values_and_treated_as_any_other_bundle(
    tmp_path: Path,
) -> None:
    charts = module_of(crd_sources.Bundle(KSERVE.module, KSERVE.version, ())) / "charts"
    component = {
        "name": "kserve",
        "version": "v0.17.0",
        "chart": {
            "ref": str(charts / "kserve-resources"),
            "namespace": "serving",
            "values": {"kserve": {"controller": {"deploymentMode": "Standard"}}},
        },
        "transform": {"registry": MIRROR, "leave_out": ["Issuer/selfsigned-issuer"]},
    }
    found = rendered(component, tmp_path)
    kinds = {each["kind"] for each in found}
    assert {"Deployment", "Certificate", "ValidatingWebhookConfiguration"} <= kinds
    assert "Issuer" not in kinds
    config = next(each for each in found if each["metadata"]["name"] == "inferenceservice-config")
    assert json.loads(config["data"]["deploy"])["defaultDeploymentMode"] == "Standard"
    manager = next(each for each in found if each["kind"] == "Deployment")
    assert all(image.startswith(f"{MIRROR}/") for image in images_of(manager))


def test_chart_of_cert_manager_brings_its_kinds_and_programs(tmp_path: Path) -> None:
    chart = tmp_path / "cert-manager"
    source = module_of(CERT_MANAGER) / "deploy" / "charts" / "cert-manager"
    shutil.copytree(source, chart, copy_function=shutil.copyfile)
    # The project's release fills in the version.
    template = (chart / "Chart.template.yaml").read_text()
    (chart / "Chart.yaml").write_text(template.replace("v0.0.0", CERT_MANAGER.version))
    component = {
        "name": "cert_manager",
        "version": CERT_MANAGER.version,
        "chart": {
            "ref": str(chart),
            "namespace": "cert-manager",
            "kube_version": KUBERNETES_VERSION,
            "values": {"crds": {"enabled": True}, "startupapicheck": {"enabled": False}},
        },
        "transform": {"registry": MIRROR},
    }
    found = rendered(component, tmp_path)
    kinds = {each["spec"]["names"]["kind"] for each in found if each["kind"].startswith("Custom")}
    assert {"Certificate", "Issuer", "ClusterIssuer", "CertificateRequest"} <= kinds
    programs = {each["metadata"]["name"]: each for each in found if each["kind"] == "Deployment"}
    assert set(programs) == {"cert-manager", "cert-manager-cainjector", "cert-manager-webhook"}
    images = [image for each in programs.values() for image in images_of(each)]
    assert all(
        image.startswith(f"{MIRROR}/") and image.endswith(f":{CERT_MANAGER.version}")
        for image in images
    )
    assert "ValidatingWebhookConfiguration" in {each["kind"] for each in found}
