# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest ModelService, and ways to change it, for the tables of these tests."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from module_utils.kinds.model_service.normalise import load
from module_utils.kinds.model_service.settings import Settings, make_settings
from module_utils.kinds.model_service.spec import KIND, ModelService
from module_utils.kube.manifest import Json
from module_utils.kube.problem import Problem
from tests.unit.kinds.refusals import refusals


def document(name: str = "chat", namespace: str = "team-a", **spec: Any) -> Json:
    """Return the smallest custom resource with the given fields of `spec` in place."""
    return {
        "apiVersion": "model.otterscale.io/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": name, "namespace": namespace},
        "spec": copy.deepcopy(
            {
                "model": {"name": "acme/chat-8b", "image": "registry.example.com/models/chat:1.0"},
                "engine": {"image": "registry.example.com/serving/vllm:0.11.0"},
                "accelerator": {"type": "nvidia"},
                "decode": {},
                **spec,
            }
        ),
    }


def settings(release: str = "0.9.0-alpha.2", **options: Any) -> Settings:
    """Return settings as a user gives them."""
    return make_settings(options, {"model_operator": release})


def service(name: str = "chat", namespace: str = "team-a", **spec: Any) -> ModelService:
    """Return a typed service; fails where the input has an error."""
    loaded = load(document(name, namespace, **spec), settings())
    assert loaded.service is not None, [str(problem) for problem in loaded.problems]
    return loaded.service


def problems(given: Mapping[str, Any], chosen: Settings | None = None) -> tuple[Problem, ...]:
    """Return every problem of a custom resource, or else of the objects that it becomes."""
    return refusals(dict(given), chosen or settings(), kind=KIND)


def errors(given: Mapping[str, Any], chosen: Settings | None = None) -> dict[str, str]:
    """Return path and message of every error."""
    return {p.path: p.message for p in problems(given, chosen) if p.severity == "error"}


def warnings(given: Mapping[str, Any], chosen: Settings | None = None) -> dict[str, str]:
    """Return rule and text of every warning, but that of the model registry, which every service has."""
    found = (p for p in problems(given, chosen) if p.severity == "warning")
    return {p.rule: str(p) for p in found if p.rule != "plain-http"}
