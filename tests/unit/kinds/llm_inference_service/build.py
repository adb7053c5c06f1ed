# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest LLMInferenceService, and ways to change it, for the tables of these tests."""

from __future__ import annotations

import copy
from typing import Any

from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json


def document(name: str = "chat", version: str = "v1alpha2", **spec: Any) -> Json:
    """Return the smallest custom resource with the given fields of `spec` in place."""
    return {
        "apiVersion": f"serving.kserve.io/{version}",
        "kind": "LLMInferenceService",
        "metadata": {"name": name, "namespace": "team-a"},
        "spec": copy.deepcopy({"model": {"uri": "hf://acme/chat-8b"}, **spec}),
    }


def messages(given: Json, severity: str = "error") -> dict[str, str]:
    """Return what is wrong with a custom resource: field → message."""
    return messages_of(given, Settings(), severity)


def messages_of(given: Json, settings: Settings, severity: str = "error") -> dict[str, str]:
    """Return what is wrong with a custom resource with these settings: field → message."""
    problems = load(given, settings).problems
    return {problem.path: problem.message for problem in problems if problem.severity == severity}
