# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples are valid, cover what a newcomer looks for, and warn of little. The demo makes them Ready."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from module_utils.modules import llmisvc_reconcile as entry
from tests.tools.tree import CHECKOUT

EXAMPLES = CHECKOUT / "examples"
FILES = sorted((EXAMPLES / "services").glob("*.yaml"))
VARS = yaml.safe_load((EXAMPLES / "vars.yml").read_text())


def documents() -> list[dict[str, Any]]:
    return [yaml.safe_load(file.read_text()) for file in FILES]


@pytest.fixture(scope="module")
def rendered() -> dict[str, Any]:
    """The examples with their variables, as the playbook `render` compiles them."""
    defaults = {name: option.get("default") for name, option in entry.ARGUMENT_SPEC.items()}
    params = {
        **defaults,
        "state": "rendered",
        "src": [str(CHECKOUT / folder) for folder in VARS["model_services_src"]],
        "cluster_objects": [str(EXAMPLES / "cluster")],
        "settings": VARS["model_services_settings"],
    }
    return entry.run(params, check_mode=False, diff=False, environment={}, progress=print)


def test_there_are_ten_each_in_a_file_of_its_name() -> None:
    assert [file.stem for file in FILES] == [each["metadata"]["name"] for each in documents()]
    assert len(FILES) == 10


def test_every_example_compiles(rendered: dict[str, Any]) -> None:
    assert len(rendered["services"]) == 15
    assert len(rendered["manifests"]) > 100


def test_only_the_two_names_that_istio_cannot_serve_are_warned_about(
    rendered: dict[str, Any],
) -> None:
    problems = [
        (each["name"], problem["rule"])
        for each in rendered["services"]
        for problem in each["problems"]
        if problem["severity"] != "info"
    ]
    assert problems == [
        ("7b-coder", "istio-pool-name"),
        ("writer-3.5", "istio-pool-name"),
        # What KServe's configuration says is not given.
        ("iris", "system-config"),
        ("flower", "system-config"),
    ]


@pytest.mark.parametrize("accelerator", ["cpu", "nvidia", "amd", "intel-gaudi", "google"])
def test_every_accelerator_has_an_example(accelerator: str) -> None:
    assert accelerator in {each["spec"]["accelerator"]["type"] for each in documents()}


FEATURES = {
    "tensor parallel": lambda service: (
        service["spec"]["decode"].get("parallelism", {}).get("tensor", 1) > 1
    ),
    "prefill and decode with several pickers": lambda service: (
        "prefill" in service["spec"]
        and service["spec"]["inferencePool"]["endpointPicker"]["replicas"] > 1
    ),
    "a dotted name": lambda service: "." in service["metadata"]["name"],
    "a name that begins with a digit": lambda service: service["metadata"]["name"][0].isdigit(),
    "an explicit pool and route": lambda service: (
        {"inferencePool", "httpRoute"} <= service["spec"].keys()
    ),
    "monitoring": lambda service: "monitoring" in service["spec"],
}


@pytest.mark.parametrize("feature", FEATURES)
def test_feature_has_an_example(feature: str) -> None:
    assert any(FEATURES[feature](service) for service in documents())


def test_every_example_is_in_the_table_of_the_page() -> None:
    page = (EXAMPLES / "README.md").read_text()
    assert [file.name for file in FILES if f"(services/{file.name})" not in page] == []


def test_no_image_is_pulled_from_a_real_registry(rendered: dict[str, Any]) -> None:
    given = [service["spec"]["engine"].get("image", "") for service in documents()]
    given += [service["spec"]["model"]["image"] for service in documents()]
    assert [
        image for image in given if image and not image.startswith("registry.example.com/")
    ] == []
    assert rendered["manifests"]
