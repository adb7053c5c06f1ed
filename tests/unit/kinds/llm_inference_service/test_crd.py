# SPDX-License-Identifier: GPL-3.0-or-later
"""The CRDs say what the schema says, and every field of ours is described."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.llm_inference_service.crd import config_crd, crd
from module_utils.kinds.llm_inference_service.schema import VERSIONS, documentation
from module_utils.kube.manifest import value_at

ROUTE = ("router", "route", "http", "spec")


def schema(made: dict[str, Any], *path: str) -> Any:
    """Return the schema of a field below `spec`; `[]` steps into a list."""
    found = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    for step in path:
        found = found["items"] if step == "[]" else found["properties"][step]
    return found


def test_a_pod_spec_is_the_whole_one_with_its_defaults() -> None:
    containers = schema(crd(), "template", "containers")
    assert containers["x-kubernetes-list-map-keys"] == ["name"]
    assert (
        schema(crd(), "template", "containers", "[]", "ports", "[]", "protocol")["default"] == "TCP"
    )
    assert "volumes" in schema(crd(), "prefill", "worker")["properties"]


def test_a_route_without_rules_gets_one() -> None:
    match = {"path": {"type": "PathPrefix", "value": "/"}}
    assert schema(crd(), *ROUTE, "rules")["default"] == [{"matches": [match]}]


def test_texts_of_a_config_may_be_templates() -> None:
    namespace = (*ROUTE, "parentRefs", "[]", "namespace")
    assert "pattern" in schema(crd(), *namespace)
    assert "pattern" not in schema(config_crd(), *namespace)


def test_free_parts_are_kept() -> None:
    for path in (("model", "lora", "adapters"), ("router", "scheduler", "config", "inline")):
        assert schema(crd(), *path)["x-kubernetes-preserve-unknown-fields"] is True


def test_names_are_kserve_s() -> None:
    assert crd()["metadata"]["name"] == "llminferenceservices.serving.kserve.io"
    assert value_at(crd(), ("spec", "names", "shortNames")) == ["llmisvc"]
    assert config_crd()["metadata"]["name"] == "llminferenceserviceconfigs.serving.kserve.io"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_field_is_described(version: str) -> None:
    # The fields of HTTPRoutes, autoscalers and pools are described by their own documentation.
    foreign = (".route.http.spec.", ".scaling.wva.hpa.", ".keda.advanced.", ".pool.spec.")
    rows = [row for row in documentation(version) if not any(part in row.path for part in foreign)]
    bare = [row.path for row in rows if not row.schema.description]
    assert [path for path in bare if not path.endswith((".namespace", ".keda.fallback"))] == []
