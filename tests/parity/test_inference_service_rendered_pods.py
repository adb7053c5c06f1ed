# SPDX-License-Identifier: GPL-3.0-or-later
"""Where we finish pods in their Deployment, they are the pods that KServe's webhook would have made of the Deployment's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError

from .compare import Key, differences, reduced
from .differences_page import has_row
from .isvc_world import service_of
from .recorded_inference_services import RECORDINGS, SETTINGS, read_all, read_one, recorded_cluster

POD: Key = ("v1", "Pod", "", "")
RENDERED = replace(SETTINGS, pod_mutation="rendered")
#: What the API server fills in when a Deployment is stored.
FILLED_IN = (
    "serviceAccount",
    "failureThreshold",
    "successThreshold",
    "imagePullPolicy",
    "terminationMessagePath",
    "terminationMessagePolicy",
)
BY_REFERENCE = "storage-https-headers"
FOLDERS = [folder.parent for folder in sorted(RECORDINGS.glob("*/pod-out.yaml"))]


def deployments(folder: Path) -> dict[str, Json]:
    """Return the pod templates of a case, by the name of their Deployment."""
    intent = compile_service(
        service_of(read_one(folder / "input.yaml")), RENDERED, recorded_cluster(folder)
    )
    manifests = [child.manifest.to_dict() for child in intent.children]
    return {
        each["metadata"]["name"]: each["spec"]["template"]
        for each in manifests
        if each["kind"] == "Deployment"
    }


@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_templates_hold_what_the_webhook_would_bring(folder: Path) -> None:
    after = read_all(folder / "pod-out.yaml")
    refused = [pod["error"]["message"] for pod in after if "error" in pod]
    if refused:
        with pytest.raises(InputError, match=refused[0].replace("[", "\\[")):
            deployments(folder)
        return
    templates = deployments(folder)
    for pod in after:
        name = pod["metadata"]["generateName"].removesuffix("-")
        if name not in templates:
            continue
        wanted = {**pod["metadata"], "name": name, "namespace": pod["metadata"]["namespace"]}
        wanted.pop("generateName")
        ours = {"apiVersion": "v1", "kind": "Pod", **templates[name]}
        recorded = {**pod, "metadata": wanted}
        found = differences({POD: reduced(ours)}, {POD: reduced(recorded)})
        assert [line for line in found if not _is_meant(line, folder.name)] == []


def _is_meant(line: str, case: str) -> bool:
    """Tell whether a difference is a default of the API server, which no template has, or that a Secret is referred to."""
    by_server = line.endswith("ours None") and line.split(":")[1].endswith(FILLED_IN)
    return by_server or (case == BY_REFERENCE and ".initContainers[0].env[0].value" in line)


def test_the_case_that_differs_has_its_row() -> None:
    assert has_row("I55", BY_REFERENCE)
