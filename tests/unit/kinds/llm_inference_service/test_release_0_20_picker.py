# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of pickers under KServe 0.20, each by an input of which exactly one thing differs from 0.19."""

from __future__ import annotations

import json

import pytest
import yaml

from .build import document
from .preset_world import ROUTER
from .release_pairs import CLAIM
from .test_release_0_20 import (
    PICKER,
    Json,
    new,
    pod_of,
)


def configuration(given: Json, *objects: Json, release: str = "0.20") -> Json:
    (picker,) = pod_of(new(given, *objects, release=release), PICKER[1])["containers"]
    (text,) = [word for word in picker["args"] if "EndpointPickerConfig" in word]
    found: Json = yaml.safe_load(text)
    return found


def weights(config: Json, profile: str) -> list[tuple[str, int | None]]:
    (found,) = [one for one in config["schedulingProfiles"] if one["name"] == profile]
    return [(one["pluginRef"], one.get("weight")) for one in found["plugins"]]


ADAPTED = {"model": {"uri": "pvc://a/b", "lora": {"adapters": [{"name": "a", "uri": "hf://a/b"}]}}}


def test_the_default_configuration_weighs_caches_and_requests() -> None:
    alone = configuration(document(**CLAIM, router=ROUTER))
    assert [one["type"] for one in alone["plugins"]] == [
        "single-profile-handler",
        "queue-scorer",
        "kv-cache-utilization-scorer",
        "prefix-cache-scorer",
        "no-hit-lru-scorer",
        "max-score-picker",
    ]
    assert weights(alone, "default") == [
        ("queue-scorer", 2),
        ("kv-cache-utilization-scorer", 2),
        ("prefix-cache-scorer", 3),
        ("no-hit-lru-scorer", 2),
        ("max-score-picker", None),
    ]
    split = configuration(document(**ADAPTED, router=ROUTER, prefill={}))
    assert [one["type"] for one in split["plugins"]] == [
        "disagg-headers-handler",
        "prefill-filter",
        "decode-filter",
        "queue-scorer",
        "kv-cache-utilization-scorer",
        "active-request-scorer",
        "prefix-cache-scorer",
        "max-score-picker",
        "always-disagg-pd-decider",
        "disagg-profile-handler",
        "lora-affinity-scorer",
    ]
    assert weights(split, "prefill") == [
        ("prefill-filter", None),
        ("lora-affinity-scorer", 4),
        ("prefix-cache-scorer", 3),
        ("queue-scorer", 2),
        ("kv-cache-utilization-scorer", 2),
        ("max-score-picker", None),
    ]
    assert weights(split, "decode") == [
        ("decode-filter", None),
        ("lora-affinity-scorer", 4),
        ("active-request-scorer", 2),
        ("prefix-cache-scorer", 3),
        ("max-score-picker", None),
    ]


def test_adapters_do_not_matter_to_earlier_pickers() -> None:
    adapted = configuration(document(**ADAPTED, router=ROUTER), release="0.19")
    assert adapted == configuration(document(**CLAIM, router=ROUTER), release="0.19")


OLD: Json = {
    "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
    "kind": "EndpointPickerConfig",
    "plugins": [
        {"type": "model-server-protocol-metrics"},
        {
            "type": "prefix-cache-scorer",
            "parameters": {"blockSize": 1, "prefixMatchInfoProducerName": "p"},
        },
    ],
}


@pytest.mark.parametrize(
    ("version", "metrics", "parameters"),
    [
        ("0.7.0", "model-server-protocol-metrics", {"blockSize", "prefixMatchInfoProducerName"}),
        ("0.8.0", "core-metrics-extractor", {"blockSize", "prefixMatchInfoProducerName"}),
        ("0.9.0", "core-metrics-extractor", {"prefixMatchInfoProducerName"}),
    ],
)
def test_configurations_are_brought_to_what_a_later_picker_reads(
    version: str, metrics: str, parameters: set[str]
) -> None:
    annotations = {"app.kubernetes.io/version": version}
    scheduler = {"annotations": annotations, "config": {"inline": OLD}}
    given = document(**CLAIM, router={**ROUTER, "scheduler": scheduler})
    first, second = configuration(given)["plugins"]
    assert first["type"] == metrics
    assert set(second["parameters"]) == parameters
    assert configuration(given, release="0.19")["plugins"][0]["type"] == OLD["plugins"][0]["type"]


PRECISE = [{"type": "precise-prefix-cache-scorer"}]


#: A second configuration, for a flag that the picker has in another spelling.
SECOND = ["-configText", json.dumps({**OLD, "plugins": PRECISE})]


@pytest.mark.parametrize(
    ("version", "plugins", "arguments", "kept"),
    [
        ("0.8.0", [{"type": "queue-scorer"}], [], True),
        ("0.9.0", [{"type": "queue-scorer"}], [], False),
        ("0.9.0", [{"type": "queue-scorer"}], SECOND, False),
        ("0.9.0", [], [], False),
        ("0.9.0", PRECISE, [], True),
        ("0.9.0", PRECISE, SECOND, True),
    ],
)
def test_a_tokenizer_goes_where_a_configuration_has_no_plugin_that_asks_it(
    version: str, plugins: list[Json], arguments: list[str], kept: bool
) -> None:
    main = {"name": "main", "image": "a:1", "args": arguments}
    scheduler = {
        "annotations": {"app.kubernetes.io/version": version},
        "config": {"inline": {**OLD, "plugins": plugins}},
        "template": {"containers": [main, {"name": "tokenizer", "image": "t:1"}]},
    }
    given = document(**CLAIM, router={**ROUTER, "scheduler": scheduler})
    names = [one["name"] for one in pod_of(new(given), PICKER[1])["containers"]]
    assert ("tokenizer" in names) is kept
    before = pod_of(new(given, release="0.19"), PICKER[1])["containers"]
    assert "tokenizer" in [one["name"] for one in before]
