# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fixtures of the scenarios. They run inside the live lab's namespaces, where `make live` starts pytest."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.support.entries import Entries
from tests.cluster.support.inference_services import runtime
from tests.lab.client import Client
from tests.lab.errors import LabError
from tests.lab.fixtures import fresh_namespace

from . import images, kserve, sources, turn
from .lab import Live
from .place import STARTED, Place
from .sources import Sources

VARIABLE = "LIVE_PLACE"
#: The scenarios, the most important first: where time is short the last ones are not run.
ORDER = (
    "model_service",
    "llm_inference_service",
    "storage",
    "inference_service",
    "local_models",
    "groups",
    "hand_over",
    "events",
    "restricted",
    "rollouts",
    "faults",
    "vllm",
    "molecule",
    "node",
    "kserve_upgrade",
)
#: What was answered, and when: seconds since 1970.
_ANSWERS: list[tuple[float, str]] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the scenarios in order."""
    places = {f"test_{name}": place for place, name in enumerate(ORDER)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


def pytest_runtest_setup() -> None:
    """Leave out what would come after the time that all scenarios have together."""
    if time.time() > float(os.environ.get(turn.UNTIL, "inf")):
        pytest.skip("not run: the time that all scenarios have together is over")


@pytest.fixture(scope="session")
def live() -> Live:
    """The live lab in whose namespaces this runs."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip("not run: these need the live lab around them; start them with make live")
    return Live(Place(Path(folder)))


@pytest.fixture(scope="session")
def client(live: Live) -> Client:
    """Another program's view of the cluster."""
    return live.client


@pytest.fixture(scope="session")
def entries(live: Live) -> Entries:
    """The modules, run by the administrator."""
    return Entries(live.kubeconfig)


@pytest.fixture(scope="session")
def secured(live: Live, client: Client) -> Entries:
    """The modules, for a KServe of release 0.19 whose configuration asks for TLS."""
    kserve.configure(client)
    return Entries(live.kubeconfig, kserve.OPTIONS)


@pytest.fixture(scope="session")
def served(live: Live) -> Iterator[Sources]:
    """An S3 server, a hub and a volume that have a model."""
    with contextlib.ExitStack() as until_the_end:
        try:
            found = until_the_end.enter_context(sources.served(live.place))
        except LabError as error:
            pytest.skip(f"not run: {error}")
        yield found


@pytest.fixture(scope="session")
def fetcher(live: Live) -> str:
    """The image that fetches models with KServe's own package."""
    try:
        return live.bring(images.FETCHER)
    except LabError as error:
        pytest.skip(f"not run: {error}")


@pytest.fixture(scope="session")
def server(live: Live, client: Client) -> str:
    """KServe's own model server as an image, which a runtime has."""
    try:
        image = live.bring(images.MODEL_SERVER)
    except LabError as error:
        pytest.skip(f"not run: {error}")
    made = runtime(image)
    (container,) = made["spec"]["containers"]
    container |= {"resources": kserve.SMALL, "readinessProbe": kserve.PROBE}
    client.apply(made)
    return image


@pytest.fixture(scope="module")
def fetching(client: Client, secured: Entries, served: Sources, fetcher: str) -> Iterator[Sources]:  # noqa: ARG001
    """The same, while models are fetched by KServe's own package and no stand-in."""
    kserve.configure(client, fetcher)
    yield served
    kserve.configure(client)


@pytest.fixture
def namespace(client: Client) -> Iterator[str]:
    """A namespace of this test alone."""
    with fresh_namespace(client, "live") as name:
        yield name


@pytest.fixture(scope="module")
def shared_namespace(client: Client) -> Iterator[str]:
    """A namespace of this file's tests."""
    with fresh_namespace(client, "live") as name:
        yield name


@pytest.fixture(scope="session")
def answered() -> Callable[[object], None]:
    """Keeps what was answered, to be shown at the end."""
    return lambda answer: _ANSWERS.append((time.time(), str(answer)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what was answered."""
    if _ANSWERS:
        terminalreporter.section("answered")
        for dummy, line in _ANSWERS:
            terminalreporter.line(line)
        if began := os.environ.get(STARTED):
            terminalreporter.line(
                f"the first answer came {_ANSWERS[0][0] - float(began):.0f} s after the start"
            )
