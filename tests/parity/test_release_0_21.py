# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe 0.21, of which there are no recordings, makes of all recorded services: what 0.20 does, but for what its source changed."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import pytest

from module_utils.kinds.inference_service.compile import compile as compile_isvc
from module_utils.kinds.inference_service.normalise import load as load_isvc
from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kube.intent import Intent
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError

from . import recorded_inference_services as isvc
from .recorded_llm_services import cases, given, later_cases, recorded_cluster, recorded_settings

FOLDERS = [*cases(), *later_cases(KServe.V0_20)]
ISVC_FOLDERS = [*isvc.cases(), *isvc.invalid_cases(), *isvc.later_cases(KServe.V0_20)]
#: 0.21 asks for a preset that the recorded cluster, of an earlier release, does not have.
WITHOUT_PRESET = "scheduler-tokenizer"
VARIANT, SCALERS = "VariantAutoscaling", ("HorizontalPodAutoscaler", "ScaledObject")
MARKS = "llm-d.ai/"
OLD_API, NEW_API = "inference.networking.x-k8s.io/v1alpha1", "llm-d.ai/v1alpha1"


def children(folder: Path, release: KServe) -> dict[tuple[str, str], Json] | str:
    """Return what a release makes of a recorded service by kind and name; why it makes nothing, as text."""
    settings = replace(recorded_settings(folder), release=release)
    loaded = load(given(folder, "input.yaml")[0], settings)
    if loaded.service is None:
        return str(sorted(problem.path for problem in loaded.problems))
    try:
        intent = compile_service(loaded.service, settings, recorded_cluster(folder))
    except InputError as error:
        return str(error)
    return by_name(intent)


def isvc_children(folder: Path, release: KServe) -> dict[tuple[str, str], Json] | str:
    """Return the same of an InferenceService."""
    settings = replace(isvc.recorded_settings(folder), release=release)
    loaded = load_isvc(isvc.read_given(folder, "input.yaml"), settings)
    if loaded.service is None:
        return str(sorted(problem.path for problem in loaded.problems))
    try:
        return by_name(compile_isvc(loaded.service, settings, isvc.recorded_cluster(folder)))
    except InputError as error:
        return str(error)


def by_name(intent: Intent) -> dict[tuple[str, str], Json]:
    """Return the children of a service by kind and name."""
    found = [child.manifest.to_dict() for child in intent.children]
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


def as_before(manifest: Json) -> Json:
    """Return an object of 0.21 without what its source says is new."""
    found = copy.deepcopy(manifest)
    metadata = found["metadata"]
    if found["kind"] in SCALERS:
        marks = [key for key in metadata["annotations"] if key.startswith(MARKS)]
        assert len(marks) == 3
        metadata["annotations"] = {
            key: text for key, text in metadata["annotations"].items() if key not in marks
        }
        if not metadata["annotations"]:
            del metadata["annotations"]
        del metadata["labels"]["inference.optimization/acceleratorName"]
        del found["spec"]["metrics" if found["kind"] == SCALERS[0] else "triggers"]
    if found["kind"] == "Deployment":
        for container in found["spec"]["template"]["spec"].get("containers") or ():
            words = [str(word) for word in container.get("args") or ()]
            if words:
                container["args"] = [
                    word.replace(NEW_API, OLD_API) if "EndpointPickerConfig" in word else word
                    for word in words
                ]
    return found


def of_before(manifest: Json) -> Json:
    """Return an object of 0.20 without what names the objects that are gone."""
    found = copy.deepcopy(manifest)
    if found["kind"] in SCALERS:
        del found["spec"]["metrics" if found["kind"] == SCALERS[0] else "triggers"]
    return found


@pytest.mark.parametrize(
    "folder", FOLDERS, ids=[f"{each.parent.name}-{each.name}" for each in FOLDERS]
)
def test_recorded_services_are_what_they_were_but_for_what_the_source_changed(
    folder: Path,
) -> None:
    before, after = (children(folder, release) for release in (KServe.V0_20, KServe.V0_21))
    if folder.name == WITHOUT_PRESET:
        assert "kserve-config-llm-tokenizer" in str(after)
        return
    if isinstance(before, str) or isinstance(after, str):
        assert isinstance(before, str)
        assert isinstance(after, str)
        return
    kept = {key: of_before(each) for key, each in before.items() if key[0] != VARIANT}
    assert {key: as_before(each) for key, each in after.items()} == kept


@pytest.mark.parametrize(
    "folder", ISVC_FOLDERS, ids=[f"{each.parent.name}-{each.name}" for each in ISVC_FOLDERS]
)
def test_recorded_inference_services_are_what_they_were_but_for_routes_of_named_predictors(
    folder: Path,
) -> None:
    before, after = (isvc_children(folder, release) for release in (KServe.V0_20, KServe.V0_21))
    if isinstance(before, str) or isinstance(after, str):
        # Of the addresses that are named, one is new.
        assert before == str(after).replace("oci+fetch://, ", "")
        return
    other = {key for key in before.keys() ^ after.keys() if key[0] == "HTTPRoute"}
    named = isvc.read_given(folder, "input.yaml")["spec"]["predictor"].get("name")
    assert bool(other) <= bool(named)
    same = {key for key in before if key not in other}
    assert {key: after.get(key) for key in same} == {key: before[key] for key in same}
