# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches that KServe takes and that are never filled are warned about, at the field."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import put_at
from module_utils.kube.reader import GivenObjects
from tests.objects import Cluster, thing
from tests.unit.checks.checked import warnings

from .build import cache, configured, group, node

Json = dict[str, Any]
CLAIM, VOLUME = "persistentVolumeClaimSpec", "persistentVolumeSpec"


def told(given: Json, *objects: Json) -> dict[str, str]:
    """Return what is told of a cache: rule → field and message."""
    found = warnings(given, Cluster([configured(), *objects]))
    return {rule: f"{each.path}: {each.message}" for rule, each in found.items()}


def changed(path: tuple[str, ...], value: Any) -> Json:
    """Return the group with another value somewhere in its spec."""
    made = group()
    put_at(made, ("spec", *path), value)
    return made


def test_a_right_cache_is_not_warned_about() -> None:
    assert told(cache(), group(), node()) == {}
    assert told(cache(namespace="team-a"), group(), node()) == {}


@pytest.mark.parametrize(
    ("document", "objects", "rule", "words"),
    [
        (cache(), [group()], "cache-nodes", "LocalModelNodeGroup gpus matches no node,"),
        (cache(), [group(), node(pool="cpus")], "cache-nodes", "gpus matches no node,"),
        (
            cache(),
            [changed((VOLUME, "nodeAffinity"), {}), node()],
            "cache-nodes",
            "gpus has no required node affinity",
        ),
        (
            cache(nodeGroups=["first", "gpus"]),
            [group("first", "gpus"), group(), node()],
            "cache-nodes",
            "spec.nodeGroups[1]: LocalModelNodeGroup gpus matches no node that an earlier group",
        ),
        (
            cache(modelSize="11Gi"),
            [group(), node()],
            "cache-size",
            "the model takes 11Gi, and LocalModelNodeGroup gpus has 10Gi",
        ),
        (
            cache(),
            [changed((CLAIM, "storageClassName"), "fast"), node()],
            "cache-claim",
            "ask for storage class fast",
        ),
        (
            cache(),
            [changed((CLAIM, "accessModes"), ["ReadWriteMany"]), node()],
            "cache-claim",
            "ask for access mode ReadWriteMany",
        ),
        (
            cache(),
            [changed((CLAIM, "resources"), {"requests": {"storage": "11Gi"}}), node()],
            "cache-claim",
            "ask for 11Gi of storage",
        ),
        (
            cache(),
            [changed((CLAIM, "volumeMode"), "Block"), node()],
            "cache-claim",
            "ask for volume mode Block",
        ),
    ],
)
def test_a_cache_that_is_never_filled_is_told(
    document: Json, objects: list[Json], rule: str, words: str
) -> None:
    found = told(document, *objects)
    assert [*found] == [rule]
    assert words in found[rule]
    assert found[rule].startswith("spec.nodeGroups[")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("models/qwen", "write s3://models/qwen"),
        ("hf:/team/qwen", "write hf://team/qwen"),
        ("hf://qwen", "name the owner, too"),
        ("pvc://claim/qwen", "cannot be fetched onto nodes"),
        ("oci://registry/qwen:1", "cannot be fetched onto nodes"),
        ("/mnt/qwen", "cannot be fetched onto nodes"),
        ("h://models/qwen", "begin it with hf://"),
    ],
)
def test_an_address_that_no_job_can_fetch_is_told(source: str, words: str) -> None:
    found = told(cache(sourceModelUri=source), group(), node())
    assert [*found] == ["cache-address"]
    assert words in found["cache-address"]
    spec = {
        "container": {"name": "own", "image": "x:1"},
        "supportedUriFormats": [{"regex": ".*"}],
        "workloadType": "localModelDownloadJob",
    }
    other = thing("serving.kserve.io/v1alpha1", "ClusterStorageContainer", "own", spec=spec)
    assert not told(cache(sourceModelUri=source), group(), node(), other)


@pytest.mark.parametrize("scheme", ["hf", "s3", "gs", "https", "http", "hdfs", "webhdfs"])
def test_an_address_that_a_job_can_fetch_is_right(scheme: str) -> None:
    assert not told(cache(sourceModelUri=f"{scheme}://models/qwen"), group(), node())


def test_a_cache_in_which_no_service_looks_is_told() -> None:
    found = told(cache(), group(), node(), configured(enabled=False))
    assert [*found] == ["cache-off"]
    assert "localModel.enabled is not true" in found["cache-off"]


def test_nothing_is_known_of_a_configuration_that_is_not_among_given_objects() -> None:
    given = [group(), node()]
    assert not warnings(cache(), GivenObjects(given))
    assert [*warnings(cache(), Cluster(given))] == ["cache-off"]
