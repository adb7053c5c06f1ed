# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest InferenceService, a configuration, and ways to change both, for the tables of these tests."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.resolve import resolve
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kinds.kserve.defaults import DEFAULTS
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError, Problem
from module_utils.kube.reader import GivenObjects

PREFIX = "serving.kserve.io/"
MODEL: Json = {"modelFormat": {"name": "sklearn"}, "storageUri": "gs://m/s"}


def document(
    name: str = "iris",
    predictor: Mapping[str, Any] | None = None,
    annotations: Mapping[str, str] | None = None,
    **others: Any,
) -> Json:
    """Return a custom resource; the predictor's fields stand beside a model unless it has another way to work.

    annotations: names without a slash belong to KServe.
    """
    given = dict(predictor or {})
    works = {"model", "sklearn", "containers"} & given.keys()
    named = {
        key if "/" in key else f"{PREFIX}{key}": value for key, value in (annotations or {}).items()
    }
    return copy.deepcopy(
        {
            "apiVersion": "serving.kserve.io/v1beta1",
            "kind": "InferenceService",
            "metadata": {"name": name, "namespace": "team-a", "annotations": named},
            "spec": {"predictor": given if works else {"model": MODEL, **given}, **others},
        }
    )


def config_map(**blocks: Any) -> Json:
    """Return KServe's configuration; a block that is None is not there."""
    wanted = {**DEFAULTS, **blocks}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "inferenceservice-config", "namespace": "kserve"},
        "data": {name: json.dumps(value) for name, value in wanted.items() if value is not None},
    }


def runtime() -> Json:
    """Return a runtime for the model of `document`."""
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ClusterServingRuntime",
        "metadata": {"name": "sklearn"},
        "spec": {
            "supportedModelFormats": [{"name": "sklearn", "autoSelect": True}],
            "containers": [{"name": "kserve-container", "image": "sklearn:1"}],
        },
    }


def problems(given: Json, *objects: Json, **blocks: Any) -> list[Problem]:
    """Return all that is said of a custom resource under a configuration."""
    loaded = load(given, Settings())
    found = list(loaded.problems)
    if loaded.service is not None:
        try:
            resolve(loaded.service, Settings(), GivenObjects([config_map(**blocks), *objects]))
        except InputError as error:
            found += [one for complaint in error.complaints for one in complaint.problems]
    return found


def errors(given: Json, **blocks: Any) -> dict[str, str]:
    """Return what is wrong with a custom resource: field → message."""
    found = problems(given, **blocks)
    return {each.path: each.message for each in found if each.severity == "error"}
