# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recorded InferenceService gives the objects that KServe's controller sent: every field, every list in the same order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kube.intent import Child
from module_utils.kube.manifest import without

from .compare import Key, by_key, differences, key_of
from .differences_page import has_row
from .isvc_world import service_of
from .recorded_inference_services import SETTINGS, cases, read_one, recorded_cluster
from .recorded_llm_services import read_all

Json = dict[str, Any]
LAST_APPLIED = ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
CASES = {folder.name: folder for folder in cases()}
#: The controller never makes the Ingress of a predictor on several nodes, for it never takes it for ready (I9).
WITHOUT_INGRESS = {"multinode-basic", "multinode-gpus", "multinode-oci-worker-labels"}


def render(folder: Path) -> tuple[Child, ...]:
    service = service_of(read_one(folder / "input.yaml"))
    return compile_service(service, SETTINGS, recorded_cluster(folder)).children


def rendered(folder: Path) -> list[Json]:
    return [child.manifest.to_dict() for child in render(folder)]


def recorded(folder: Path) -> list[Json]:
    """Return what the controller sent, but for what kubectl wrote on the custom resource, which ours does not have (I4)."""
    return [without(one, LAST_APPLIED) for one in read_all(folder / "intent.yaml")]


def compared(folder: Path) -> list[Json]:
    """Return our children without what a row of docs/differences.md adds."""
    added = "Ingress" if folder.name in WITHOUT_INGRESS else ""
    return [one for one in rendered(folder) if one["kind"] != added]


@pytest.mark.parametrize("name", CASES)
def test_children_are_what_the_controller_sent(name: str) -> None:
    folder = CASES[name]
    assert differences(by_key(compared(folder)), by_key(recorded(folder))) == []


@pytest.mark.parametrize("name", CASES)
def test_children_come_in_the_controllers_order(name: str) -> None:
    folder = CASES[name]
    assert _order(compared(folder)) == _order(recorded(folder))


@pytest.mark.parametrize("name", sorted(WITHOUT_INGRESS))
def test_a_predictor_on_several_nodes_is_reached(name: str) -> None:
    assert {one["kind"] for one in rendered(CASES[name])} == {"Deployment", "Service", "Ingress"}
    assert has_row("I9", name)


def test_every_recorded_case_is_looked_at() -> None:
    assert len(CASES) == 107


def _order(manifests: list[Json]) -> list[Key]:
    """Return who comes after whom. The controller makes a component's route when the component is ready, so that chance orders them."""
    keys = [key_of(each) for each in manifests]
    routes = iter(sorted(key for key in keys if key[1] == "HTTPRoute"))
    return [next(routes) if key[1] == "HTTPRoute" else key for key in keys]
