# SPDX-License-Identifier: GPL-3.0-or-later
"""Pickers whose configuration and flags are rewritten by releases after 0.17: old plugins, flags for metrics, a tokenizer."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
_VERSIONS = ("0.7.0", "0.6.9", "v0.7.1", "0.8.0", "0.9.0", "0.10.0-rc1", "1.0", "latest")
_FLAGS = (
    "--total-queued-requests-metric=vllm:waiting",
    "--kv-cache-usage-percentage-metric",
    "--lora-info-metric=vllm:lora",
    "-total-running-requests-metric=vllm:running",
    "--cache-info-metric",
    "--v=4",
)
_PLUGINS: tuple[Json, ...] = (
    {"type": "prefill-header-handler"},
    {"type": "prefill-filter"},
    {"type": "decode-filter"},
    {"type": "queue-scorer"},
    {"type": "prefix-cache-scorer", "parameters": {"blockSize": 5, "hashBlockSize": 64}},
    {
        "type": "prefix-cache-scorer",
        "parameters": {"blockSizeTokens": 16, "lruCapacityPerServer": 9},
    },
    {"type": "prefix-cache-scorer", "parameters": {"prefixMatchInfoProducerName": "p"}},
    {"type": "pd-profile-handler", "parameters": {"threshold": 0, "hashBlockSize": 5}},
    {"type": "pd-profile-handler", "parameters": {"threshold": 10}},
    {"type": "pd-profile-handler", "parameters": {"deciderPluginName": "always-disagg-pd-decider"}},
    {"type": "pd-profile-handler", "name": "handler", "parameters": {"threshold": 3.5}},
    {"type": "pd-profile-handler"},
    {"type": "always-disagg-pd-decider"},
    {"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": 4}},
    {"type": "disagg-profile-handler", "parameters": {"deciders": {"prefill": "x"}}},
    {
        "type": "precise-prefix-cache-scorer",
        "parameters": {
            "tokenProcessorConfig": {"blockSize": 64},
            "indexerConfig": {"tokenProcessorConfig": {"blockSize": 16}},
        },
    },
    {"type": "precise-prefix-cache-scorer", "parameters": {"indexerConfig": {}}},
    {"type": "precise-prefix-cache-scorer"},
    {"type": "model-server-protocol-metrics", "parameters": {"defaultEngine": "sglang"}},
    {"type": "core-metrics-extractor"},
    {"type": "predicted-latency-producer"},
    {"type": "max-score-picker"},
    {"type": "single-profile-handler"},
)


@dataclass(frozen=True)
class Given:
    """A service that gets features. context: objects that are there before it, which may become more."""

    chance: random.Random
    document: Json
    context: list[Json]


def rewrites(given: Given) -> None:
    """Give a service a picker with things that some releases rewrite."""
    chance, document = given.chance, given.document
    router = document["spec"].setdefault("router", {})
    scheduler = router.setdefault("scheduler", {})
    if (scheduler.get("pool") or {}).get("ref"):
        return
    if chance.random() < 0.7:
        _configure(chance, scheduler, document["metadata"]["namespace"], given.context)
    if chance.random() < 0.7:
        notes = scheduler.setdefault("annotations", {})
        notes["app.kubernetes.io/version"] = chance.choice(_VERSIONS)
    if chance.random() < 0.4:
        template = scheduler.setdefault("template", {})
        containers = template.setdefault("containers", [])
        main = next((one for one in containers if one["name"] == "main"), None)
        if main is None:
            main = {"name": "main"}
            containers.append(main)
        key = chance.choice(("args", "args", "command"))
        main[key] = [
            *(["/picker"] if key == "command" else []),
            *(
                word
                for flag in chance.sample(_FLAGS, chance.randint(0, 3))
                for word in _words(flag)
            ),
        ]
        if chance.random() < 0.3:
            flag = chance.choice(("--config-text", "-config-text", "--configText", "-configText"))
            main[key] += [flag, json.dumps(_config(chance))]
    if chance.random() < 0.4:
        template = scheduler.setdefault("template", {})
        containers = template.setdefault("containers", [])
        if not any(one["name"] == "tokenizer" for one in containers):
            containers.append({"name": "tokenizer", "image": "registry.example.com/tokens:1"})


def _words(flag: str) -> list[str]:
    return [flag] if "=" in flag else [flag, "some:metric"]


def _config(chance: random.Random) -> Json:
    chosen = chance.sample(_PLUGINS, chance.randint(0, 6))
    plugins = [dict(one) for one in chosen]
    for one in plugins:
        if chance.random() < 0.15:
            one.setdefault("name", f"own-{one['type'][:6]}")
    names = [one.get("name", one["type"]) for one in plugins]
    profiles = [
        {
            "name": name,
            "plugins": [
                {
                    "pluginRef": chance.choice(names),
                    **({"weight": 2} if chance.random() < 0.5 else {}),
                }
                for dummy in range(chance.randint(1, 3))
            ],
        }
        for name in chance.choice((("default",), ("prefill", "decode")))
        if names
    ]
    return {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": plugins,
        "schedulingProfiles": profiles,
    }


def _configure(chance: random.Random, scheduler: Json, namespace: str, context: list[Json]) -> None:
    if chance.random() < 0.75:
        scheduler["config"] = {"inline": _config(chance)}
        return
    text = json.dumps(_config(chance))
    context.append(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "later-conf", "namespace": namespace},
            "data": {"epp": text},
        }
    )
    scheduler["config"] = {"ref": {"name": "later-conf", "key": "epp"}}
