# SPDX-License-Identifier: GPL-3.0-or-later
"""The job templates as a job controller runs them: by ansible-runner, with a credential of our type, read back as events."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import ansible_runner
import pytest
import yaml
from jinja2 import Template

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.tools import tree

from .support.cluster import owned
from .support.services import small

EXTENSIONS = tree.CHECKOUT / "extensions"
PATTERN = EXTENSIONS / "patterns" / "serve_models"
META: Json = json.loads((PATTERN / "meta" / "pattern.json").read_text(encoding="utf-8"))
TEMPLATES: dict[str, Json] = {
    template["playbook"]: template for template in META["aap_resources"]["controller_job_templates"]
}
#: What a job controller keeps of one event.
LARGEST_EVENT = 700_000
SECRET = "hf_verysecretvalue"
#: Playbooks that have no job template: what one of a user's own gives them.
BY_NAME: dict[str, Json] = {
    "render": {"model_services_dest": "rendered"},
    "rbac": {"modelops_rbac_dest": "rights.yaml"},
    "take_over": {},
}
#: Those that do nothing in a cluster without controllers, and what they say.
WITHOUT_CONTROLLERS = {
    "verify": "controllers_components",
    "uninstall": "controllers_components",
    "give_back": "",
}


class Job:
    """One run of a job template. services: those of the project. answers: to questions of the survey."""

    def __init__(
        self, folder: Path, lab: Cluster, playbook: str, *services: Json, **answers: Any
    ) -> None:
        project = folder / "project"
        shutil.copytree(PATTERN / "playbooks", project, dirs_exist_ok=True)
        (project / "services").mkdir(exist_ok=True)
        for service in services:
            file = project / "services" / f"{service['metadata']['name']}.yaml"
            file.write_text(yaml.safe_dump(service), encoding="utf-8")
        self.events: list[Json] = []
        kubeconfig = lab.kubeconfig.read_text(encoding="utf-8")
        self.run = ansible_runner.run(
            private_data_dir=str(folder),
            ident=f"{playbook}-{len(list(folder.glob('artifacts/*')))}",
            playbook=playbook,
            inventory={"all": {"hosts": {"frankfurt-01": {"ansible_connection": "local"}}}},
            extravars={**self._survey(playbook), **answers},
            envvars={
                **self._credential(folder, {"kubeconfig": kubeconfig, "context": ""}),
                "ANSIBLE_COLLECTIONS_PATH": str(tree.TREE_ROOT),
                "ANSIBLE_HOME": str(folder / "home"),
                "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            },
            event_handler=self._note,
            quiet=True,
        )
        with self.run.stdout as printed:
            self.printed = str(printed.read())

    def _note(self, event: Json) -> bool:
        self.events.append(event)
        return True

    @staticmethod
    def _survey(playbook: str) -> Json:
        """Return the defaults of the survey as the controller passes them: questions left empty are not passed."""
        answers: Json = {}
        spec = TEMPLATES[playbook]["survey"]["spec"] if playbook in TEMPLATES else ()
        for question in spec:
            if question["default"]:
                number = question["type"] == "integer"
                answers[question["variable"]] = (
                    int(question["default"]) if number else question["default"]
                )
        return answers

    @staticmethod
    def _credential(folder: Path, inputs: Json) -> dict[str, str]:
        """Return the variables that our credential type injects."""
        kind = yaml.safe_load((EXTENSIONS / "awx" / "credential_type.yml").read_text())
        assert set(kind["inputs"]["required"]) <= set(inputs)
        files = {}
        for name, text in kind["injectors"]["file"].items():
            files[name.partition(".")[2]] = str(folder / "kubeconfig")
            (folder / "kubeconfig").write_text(Template(text).render(inputs), encoding="utf-8")
        known = {**inputs, "tower": {"filename": files}}
        return {
            name: Template(text).render(known) for name, text in kind["injectors"]["env"].items()
        }

    @property
    def changed(self) -> int:
        """How many tasks changed something, by the last event of the stream."""
        stats = next(each for each in self.events if each["event"] == "playbook_on_stats")
        return sum(stats["event_data"]["changed"].values())

    def check(self) -> None:
        """See that a controller can keep what was sent, and that nothing of it is secret."""
        assert self.events
        for event in self.events:
            text = json.dumps(event)
            assert len(text) < LARGEST_EVENT, event["event"]
            assert SECRET not in text, event["event"]
        assert SECRET not in self.printed


def service(name: str, namespace: str) -> Json:
    env = [{"name": "HF_TOKEN", "value": SECRET}]
    return small(name, namespace, engine={"image": "registry.example.com/e:1", "env": env})


def test_every_job_template_runs(
    lab: Cluster, client: Client, namespace: str, tmp_path: Path
) -> None:
    chat = service("chat", namespace)
    first = Job(tmp_path, lab, "reconcile.yml", chat)
    first.check()
    assert first.run.status == "successful", first.printed
    assert first.changed == 1
    assert "Deployment/chat-decode" in owned(client, chat)
    second = Job(tmp_path, lab, "reconcile.yml", chat)
    assert (second.run.status, second.changed) == ("successful", 0)
    for playbook in ("status.yml", "capacity.yml"):
        job = Job(tmp_path, lab, playbook)
        job.check()
        assert (job.run.status, job.changed) == ("successful", 0), job.printed
    page = tmp_path / "page.html"
    report = Job(tmp_path, lab, "report.yml", report_namespace=namespace, report_dest=str(page))
    report.check()
    assert report.run.status == "successful", report.printed
    text = page.read_text(encoding="utf-8")
    assert f"{namespace}/chat" in text
    assert "Cluster frankfurt-01" in text
    assert SECRET not in text


def test_playbooks_without_a_template_run_as_jobs(
    lab: Cluster, namespace: str, tmp_path: Path
) -> None:
    """Named as a job template of one's own names them."""
    chat = service("chat", namespace)
    made = Job(tmp_path, lab, "reconcile.yml", chat)
    assert made.run.status == "successful", made.printed
    for playbook, answers in BY_NAME.items():
        # A folder for each: the runner keeps the answers of an earlier job.
        folder = tmp_path / playbook
        given = {"model_services_src": "services/", **answers}
        job = Job(folder, lab, f"modelops.inference.{playbook}", chat, **given)
        job.check()
        assert job.run.status == "successful", job.printed
    written = tmp_path / "render" / "project" / "rendered"
    assert list(written.rglob("deployment-chat-decode.yaml"))
    assert (tmp_path / "rbac" / "project" / "rights.yaml").is_file()


@pytest.mark.parametrize("playbook", WITHOUT_CONTROLLERS)
def test_playbook_that_finds_no_controller_says_what_it_needs(
    lab: Cluster, namespace: str, playbook: str, tmp_path: Path
) -> None:
    given = {}
    if WITHOUT_CONTROLLERS[playbook] != "controllers_components":
        given = {"model_services_src": "services/"}
    job = Job(tmp_path, lab, f"modelops.inference.{playbook}", service("chat", namespace), **given)
    job.check()
    assert job.run.status == "failed"
    failed = [each for each in job.events if each["event"] == "runner_on_failed"]
    assert WITHOUT_CONTROLLERS[playbook] in failed[0]["event_data"]["res"]["msg"]


def test_components_to_install_stand_in_the_inventory(lab: Cluster, tmp_path: Path) -> None:
    """None is named here; what an installation does is tried in test_applyset and the role's own tests."""
    job = Job(tmp_path, lab, "install.yml")
    job.check()
    failed = [each for each in job.events if each["event"] == "runner_on_failed"]
    assert "controllers_components" in failed[0]["event_data"]["res"]["msg"]


def test_job_that_does_not_come_so_far_is_failed(
    lab: Cluster, namespace: str, tmp_path: Path
) -> None:
    nowhere = small("nowhere", namespace, decode={"nodeSelector": {"pool": "none"}})
    job = Job(tmp_path, lab, "reconcile.yml", nowhere, model_services_wait_timeout=2)
    job.check()
    assert job.run.status == "failed"
    failed = [each for each in job.events if each["event"] == "runner_on_failed"]
    assert f"{namespace}/nowhere" in failed[0]["event_data"]["res"]["msg"]


@pytest.mark.parametrize("playbook", TEMPLATES)
def test_survey_asks_for_variables_that_the_playbook_reads(
    lab: Cluster, playbook: str, tmp_path: Path
) -> None:
    """A variable that nobody reads would end the play at its first task."""
    questions = [each["variable"] for each in TEMPLATES[playbook]["survey"]["spec"]]
    assert len(questions) == len(set(questions))
    job = Job(tmp_path, lab, playbook, modelops_hosts="nobody")
    failed = [each for each in job.events if each["event"] == "runner_on_failed"]
    assert "names no host of the inventory (1 host," in failed[0]["event_data"]["res"]["msg"]
