# SPDX-License-Identifier: GPL-3.0-or-later
"""What these tests need beyond Python packages; where it is missing, they say so and are counted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from module_utils.kinds.model_service.kind import MODEL_SERVICE
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.cluster import Cluster

# pylint: disable-next=unused-import  # pytest finds fixtures by their names here
from tests.lab.fixtures import control_plane, namespace  # noqa: F401

NOT_RUN = "not run: "


def need(*programs: str, bring: str) -> str:
    """Return the path of the first program that is there; else skip the test and say what brings it."""
    for program in programs:
        if path := shutil.which(program):
            return path
    pytest.skip(f"{NOT_RUN}{programs[0]} is not installed; {bring}")


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """A headless Chromium, that of the system."""
    path = need("chromium", "chromium-browser", "google-chrome", bring="apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        # Chromium's own sandbox does not start for root.
        started = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def lab(control_plane: Cluster) -> Cluster:  # noqa: F811
    """A control plane with the kind ModelService."""
    crds.install(control_plane.client, [MODEL_SERVICE.crd()])
    return control_plane


@pytest.fixture
def client(lab: Cluster) -> Client:
    """Another program's view of the cluster."""
    return lab.client


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count what was not run, and say why."""
    reasons = [
        reason
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple) and NOT_RUN in (reason := report.longrepr[2])
    ]
    for reason in sorted(set(reasons)):
        words = reason[reason.index(NOT_RUN) :]
        terminalreporter.write_line(f"{words} ({reasons.count(reason)} tests)")
