# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a real cluster: what is there stands on the page, and nothing that is secret."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from tests.lab.client import Client
from tests.lab.cluster import Cluster, grant

from .support.entries import Entries
from .support.playbooks import FAILED, WELL, Playbooks
from .support.services import children, full, small


class Page(HTMLParser):
    """The words of a page, and all that it refers to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.words, self.links = "", set[str]()
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.words = re.sub(r"\s+", " ", self.words)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.words += " "
        self.links |= {str(value) for name, value in attrs if name in ("href", "src", "action")}

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self.words += " "

    def handle_data(self, data: str) -> None:
        self.words += data


def test_page_shows_what_is_there(
    playbooks: Playbooks, entries: Entries, client: Client, namespace: str
) -> None:
    engine = {
        "image": "registry.example.com/e:1",
        "env": [{"name": "HF_TOKEN", "value": "hf_verysecret"}],
    }
    nowhere = small(
        "nowhere", namespace, decode={"nodeSelector": {"hf_pool": "none"}}, engine=engine
    )
    entries.reconcile(full("chat", namespace), nowhere)
    entries.reconcile(full("chat", namespace), wait=True, wait_for="DecodeReady", wait_timeout=90.0)
    client.delete(children("chat", namespace)[1])
    code, printed = playbooks.run("report", report_namespace=namespace)
    assert code == WELL, printed
    assert "inference-report.html: 2 services, 1 ready, 1 drifted" in printed, printed
    page = Page(playbooks.folder / "inference-report.html")
    for words in (
        f"{namespace}/chat",
        "edge missing Gateway it does not exist",
        "chat-decode ready Deployment 2/2 replicas ready",
        "create ConfigMap chat-epp-config",
        "chat-epp-config (missing)",
        "Unschedulable",
        "nvidia.com/gpu",
        "What the last run changed",
        "HTTPRoute",
    ):
        assert words in page.words, words
    assert "hf_verysecret" not in page.source
    assert all(link.startswith(("#", "data:")) for link in page.links)
    assert "None" not in page.words


def test_page_of_an_empty_cluster(playbooks: Playbooks, namespace: str) -> None:
    code, printed = playbooks.run("report", report_namespace=namespace, report_dest="empty.html")
    assert code == WELL, printed
    page = Page(playbooks.folder / "empty.html")
    assert "No service of this fleet is in the cluster." in page.words
    assert "This collection has written nothing here." in page.words


def test_page_without_the_right_to_look_at_nodes(
    lab: Cluster, namespace: str, tmp_path: Path
) -> None:
    everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    grant(lab, f"{namespace}/robot", [everything], namespace)
    robot = Playbooks(tmp_path, lab.service_account_kubeconfig("robot", namespace))
    code, printed = robot.run("report", report_namespace=namespace)
    assert code == WELL, printed
    assert "They could not be read: " in Page(tmp_path / "inference-report.html").words


def test_report_of_a_cluster_that_is_not_there_fails_with_its_reason(tmp_path: Path) -> None:
    code, printed = Playbooks(tmp_path, tmp_path / "none").run("report")
    assert code == FAILED
    assert "kubeconfig" in printed
    assert not (tmp_path / "inference-report.html").exists()


def test_check_mode_writes_no_page(playbooks: Playbooks, namespace: str) -> None:
    code, printed = playbooks.run("report", "--check", report_namespace=namespace)
    assert code == WELL, printed
    assert not (playbooks.folder / "inference-report.html").exists()
