# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the guides of docs/ show is what happens: their commands run one after another, in a folder such as they describe."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.lab.client import Manifest
from tests.lab.control_plane import ControlPlane
from tests.objects import thing
from tests.tools import pages
from tests.tools.recipes import MODULE, recipes
from tests.tools.tree import CHECKOUT, TREE_ROOT

from .support.bundles import crd
from .support.entries import Entries
from .support.places import plane_of_examples

#: Guides whose commands are for a cluster.
ON_A_CLUSTER = [
    page
    for page in pages.GUIDES
    if any(command.startswith("ansible-playbook ") for command in pages.commands(page))
]
#: What is run elsewhere: tests/unit/test_readme.py says where.
ELSEWHERE = ("make ", "pip ", "sha256sum ", "ansible-galaxy ", "rm -r ~/.ansible/")
#: Playbooks that end with a count.
TELLING = ("reconcile", "render")
#: How many services there are in the examples, and in the folder of the guides.
COUNTS = [
    sum(len(list((CHECKOUT / "examples").glob(f"{place}/*.yaml"))) for place in places)
    for places in (("*services", "inference_graphs"), ("services",))
]


plane = plane_of_examples("guides")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a reader of the guides has: his services, what they are reconciled with, and the examples."""
    (tmp_path / "services").symlink_to(CHECKOUT / "examples" / "services")
    (tmp_path / "examples").symlink_to(CHECKOUT / "examples")
    (fleet,) = pages.blocks("docs/first_ten_minutes.md", "yaml")
    (tmp_path / "fleet.yml").write_text(fleet)
    return tmp_path


def run(folder: Path, plane: ControlPlane, command: str) -> str:
    """Run a command as a reader's shell does, and return what it prints."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "KUBECONFIG": str(plane.kubeconfig),
        "ANSIBLE_COLLECTIONS_PATH": str(TREE_ROOT),
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def everywhere(command: str, plane: ControlPlane) -> str:
    """Return a command for whoever has no clusters of the inventory's names: all of them are the one that is here."""
    if "clusters/inventory.yml" not in command:
        return command
    given = json.dumps({"model_services_kubeconfig": str(plane.kubeconfig)})
    return f"{command} --limit frankfurt-01,oregon-01 -e {shlex.quote(given)}"


@pytest.mark.parametrize("page", ON_A_CLUSTER)
def test_commands_of_the_guide_run(page: str, folder: Path, plane: ControlPlane) -> None:
    for command in pages.commands(page):
        if command.startswith(ELSEWHERE):
            continue
        printed = run(folder, plane, everywhere(command, plane))
        if any(f"modelops.inference.{each} " in command for each in TELLING):
            assert any(f"{count} services" in printed for count in COUNTS), printed


def test_images_that_are_named_in_the_settings_are_those_of_the_manifests(
    folder: Path, plane: ControlPlane
) -> None:
    (settings,) = pages.blocks("docs/air_gapped.md", "yaml")
    (folder / "images.yml").write_text(settings)
    render = "ansible-playbook modelops.inference.render -e @fleet.yml -e @images.yml"
    run(folder, plane, f"{render} -e model_services_dest=rendered")
    images = run(folder, plane, 'grep -rhoE "image: .*" rendered | sort -u').splitlines()
    assert {image.split()[1].split("/")[0] for image in images} == {"registry.example.com"}


def test_other_release_of_the_operator_is_seen_in_the_files(
    folder: Path, plane: ControlPlane
) -> None:
    before, after, compare = pages.blocks("docs/upgrading.md", "console")[1].splitlines()
    run(folder, plane, before)
    run(folder, plane, after)
    shown = run(folder, plane, compare)
    assert "app.kubernetes.io/version: v0.9.0-alpha.2" in shown
    assert "app.kubernetes.io/version: v1.0.1" in shown


def test_mistake_of_the_first_ten_minutes_is_told_as_shown(
    folder: Path, plane: ControlPlane
) -> None:
    shown = pages.blocks("docs/first_ten_minutes.md", "text")[0].splitlines()
    (folder / "services").unlink()
    (folder / "services").mkdir()
    service = (CHECKOUT / "examples" / "services" / "search.yaml").read_text()
    (folder / "services" / "search.yaml").write_text(service.replace("replicas: 2", "replica: 2"))
    command = "ansible-playbook modelops.inference.reconcile -e @fleet.yml"
    told = run(folder, plane, f"! {command}")
    assert all(line.strip().removeprefix("examples/") in told for line in shown)


def test_rights_of_the_security_guide_are_for_the_account_that_it_names(
    folder: Path, plane: ControlPlane
) -> None:
    (command,) = pages.commands("docs/security.md")
    run(folder, plane, command)
    written = [each for each in yaml.safe_load_all((folder / "rbac.yaml").read_text()) if each]
    bindings = [each for each in written if each["kind"].endswith("Binding")]
    account = {"kind": "ServiceAccount", "name": "pipeline", "namespace": "ops"}
    assert bindings
    assert all(each["subjects"] == [account] for each in bindings)


def test_service_from_a_chart_is_foreseen_on_the_cluster(folder: Path, plane: ControlPlane) -> None:
    page = "docs/from_llm_d_chart.md"
    (values,) = pages.blocks(page, "yaml")
    (folder / "values.yaml").write_text(values)
    (convert,) = pages.commands(page)
    run(folder, plane, convert)
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}
    token = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "hugging-face", "namespace": "team-a"},
        "stringData": {"HF_TOKEN": "of-nobody"},
    }
    objects = yaml.safe_load_all((folder / "chat-objects.yaml").read_text())
    for manifest in (namespace, token, *objects):
        plane.client.apply(manifest)
    (foresee,) = re.findall(r"^   (ansible-playbook .*)$", (CHECKOUT / page).read_text(), re.M)
    told = run(folder, plane, foresee)
    assert re.search(r"team-a/chat .* created.*", told), told


@pytest.fixture(scope="module")
def neighbours(plane: ControlPlane) -> None:
    """What recipes need that others install: the kinds of autoscalers and of Argo CD, and the class of a device driver."""
    plane.install_crds(
        crd("keda.sh", "ScaledObject", ("v1alpha1",)),
        crd("llmd.ai", "VariantAutoscaling", ("v1alpha1",)),
        crd("argoproj.io", "Application", ("v1alpha1",)),
    )
    selector = {"cel": {"expression": 'device.driver == "gpu.nvidia.com"'}}
    plane.client.apply(
        thing("resource.k8s.io/v1", "DeviceClass", "gpu.nvidia.com", spec={"selectors": [selector]})
    )


@pytest.mark.parametrize("number", range(1, len(recipes())))
@pytest.mark.usefixtures("neighbours")
def test_recipe_is_reconciled_and_a_second_run_writes_nothing(
    number: int, folder: Path, plane: ControlPlane
) -> None:
    introduction, *others = recipes(f"recipe-{number}-team-").values()
    recipe, client = others[number - 1], plane.client
    for name in {each["metadata"]["namespace"] for each in [*recipe.services, *recipe.others]}:
        client.apply(thing("v1", "Namespace", name))
    client.apply_all(recipe.others)
    settings = introduction.settings | recipe.settings
    entries = Entries(plane.kubeconfig, {"settings": settings, "releases": recipe.releases})
    try:
        for task in recipe.tasks:
            options = task[MODULE]
            (place,) = options["src"] = [str(folder / each) for each in options["src"]]
            write(recipe.services, Path(place))
            entries.reconcile(check_mode=True, create_namespaces=True, **options)
        if recipe.services:
            assert entries.reconcile(*recipe.services)["changed"]
            assert not entries.reconcile(*recipe.services)["changed"]
    finally:
        for manifest in recipe.others:
            client.delete(manifest)


def write(services: list[Manifest], place: Path) -> None:
    """Write the services of a namespace into a folder of its name; a reader's own folder is there already."""
    if not place.exists():
        place.mkdir()
        for each in services:
            if each["metadata"]["namespace"] == place.name:
                (place / f"{each['metadata']['name']}.yaml").write_text(yaml.safe_dump(each))
