# SPDX-License-Identifier: GPL-3.0-or-later
"""Which changes of a CRD are refused."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.crds import (
    declared_status,
    dropped_versions,
    is_older,
    refused_changes,
    undeclared_fields,
)

Json = dict[str, Any]
GATEWAY = "gateway.networking.k8s.io/"


def crd(*versions: str, stored: tuple[str, ...] = (), **annotations: str) -> Json:
    """Return a CRD that stores its first version."""
    return {
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "routes.example.com",
            "annotations": {
                GATEWAY + key.replace("_", "-"): text for key, text in annotations.items()
            },
        },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Route", "plural": "routes"},
            "versions": [
                {"name": version, "served": True, "storage": place == 0}
                for place, version in enumerate(versions)
            ],
        },
        "status": {"storedVersions": list(stored or versions[:1])},
    }


@pytest.mark.parametrize(
    ("wanted", "live", "text"),
    [
        (crd("v1", channel="experimental"), crd("v1", channel="standard"), "channel standard"),
        (crd("v1", channel="standard"), crd("v1", channel="experimental"), "channel experimental"),
        (crd("v1", bundle_version="v1.4.1"), crd("v1", bundle_version="v1.5.0"), "older release"),
        (crd("v1", bundle_version="v1.5.0-rc.1"), crd("v1", bundle_version="v1.5.0"), "older"),
        (crd("v2"), crd("v1"), "release in between"),
        (crd("v1", channel="standard"), crd("v1"), ""),
        (crd("v1", bundle_version="v1.10.0"), crd("v1", bundle_version="v1.9.3"), ""),
        (crd("v2"), crd("v2", "v1", stored=("v1", "v2")), ""),
        (crd("v2", "v1"), crd("v1"), ""),
    ],
)
def test_what_would_lose_objects_is_refused_with_its_reason(
    wanted: Json, live: Json, text: str
) -> None:
    found = "; ".join(refused_changes(wanted, live))
    assert text in found
    assert bool(found) == bool(text)


def test_versions_that_objects_are_kept_in_are_told() -> None:
    assert dropped_versions(crd("v2"), crd("v2", "v1", stored=("v1", "v2"))) == ("v1",)
    assert dropped_versions(crd("v2", "v1"), crd("v1")) == ()


@pytest.mark.parametrize(
    ("new", "old", "older"),
    [
        ("v0.17.0", "v0.17.1", True),
        ("v0.17.0", "0.9", False),
        ("main", "v1.0.0", False),
        ("v1.0.0", "v1.0.0-alpha.2", False),
    ],
)
def test_releases_are_compared_as_numbers(new: str, old: str, older: bool) -> None:
    assert is_older(new, old) is older


#: Of each form in which a schema may hold fields, or hold anything.
SPEC: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "list": {"type": "array", "items": {"properties": {"a": {"type": "string"}}}},
        "map": {"additionalProperties": {"properties": {"a": {"type": "string"}}}},
        "texts": {"additionalProperties": {"type": "string"}},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "open": {"type": "object"},
        "port": {"x-kubernetes-int-or-string": True},
    },
}


def declaring(**properties: Json) -> Json:
    """Return a CRD whose only version declares these."""
    schema = {"openAPIV3Schema": {"type": "object", "properties": properties}}
    return {"spec": {"versions": [{"name": "v1", "schema": schema}]}}


@pytest.mark.parametrize(
    ("spec", "lacking"),
    [
        ({"name": "x", "port": "http"}, []),
        ({"nmae": "x"}, ["spec.nmae"]),
        ({"list": [{"a": "x"}, {"b": {"c": "x"}}]}, ["spec.list[1].b"]),
        ({"map": {"k": {"a": "x", "b": "x"}}}, ["spec.map.k.b"]),
        ({"texts": {"k": "x"}}, []),
        ({"any": {"k": {"l": 1}}, "open": {"k": 1}}, []),
        ({}, []),
        (None, []),
        ({"x": 1, "y": 2}, ["spec.x", "spec.y"]),
    ],
)
def test_fields_that_a_crd_does_not_declare_are_named(spec: Any, lacking: list[str]) -> None:
    manifest = {"apiVersion": "example.com/v1", "kind": "Route", "spec": spec}
    assert undeclared_fields(declaring(spec=SPEC), manifest) == lacking


def test_a_crd_without_a_schema_for_the_version_says_nothing() -> None:
    manifest = {"apiVersion": "example.com/v2", "kind": "Route", "spec": {"nmae": 1}}
    assert undeclared_fields(declaring(spec=SPEC), manifest) == []
    assert declared_status(declaring(spec=SPEC), "example.com/v1") == frozenset()


def test_fields_of_the_status_are_those_that_the_version_declares() -> None:
    listed = {"type": "array", "items": {"properties": {"name": {}}}}
    found = declaring(
        status={"properties": {"url": {}, "workloads": {"properties": {"a": listed}}}}
    )
    declared = {"url", "workloads", "workloads.a", "workloads.a[].name"}
    assert declared_status(found, "example.com/v1") == declared
