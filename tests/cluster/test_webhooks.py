# SPDX-License-Identifier: GPL-3.0-or-later
"""Admission webhooks of others that have their own mind about our objects."""

from __future__ import annotations

from pathlib import Path

from module_utils.kube.manifest import Json
from tests.lab.client import Client

from .support.cluster import there
from .support.engine import Engine
from .support.entries import Entries
from .support.replaced import DEPLOYMENT, pods
from .support.services import deployment, full
from .support.webhook import patched, webhook


def test_webhook_that_changes_our_field_each_time_is_named_and_costs_no_further_write(
    client: Client, entries: Entries, namespace: str, tmp_path: Path
) -> None:
    """One apply and its mark, then nothing for ten runs but a warning; never `changed`."""
    mirrored = "mirror.example.com/vllm:0.11.0"
    path = "/spec/template/spec/containers/0/image"
    asked: list[str] = []

    def mirror(request: Json) -> Json:
        asked.append(request["name"])
        return patched({"op": "replace", "path": path, "value": mirrored})

    entries.reconcile(full("chat", namespace))
    changed = full("chat", namespace, decode={"replicas": 3})
    with webhook(client, namespace, tmp_path, mirror, ["deployments"], kind="Mutating"):
        first = entries.reconcile(changed)
        assert first["changed"]
        assert "containers[vllm].image was changed" in str(first["services"][0]["problems"])
        # The API server asks again by itself where the object's controller writes at the same moment.
        sent = asked.count("chat-decode")
        assert sent >= 2
        for dummy in range(10):
            result = entries.reconcile(changed)
            assert not result["changed"]
            problems = str(result["services"][0]["problems"])
            assert "containers[vllm].image was changed" in problems
            assert "webhook" in problems
        assert asked.count("chat-decode") == sent
    pod = there(client, deployment("chat-decode", namespace))["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == mirrored


def test_webhook_that_adds_beside_us_is_no_doubt(
    client: Client, made: Engine, namespace: str, tmp_path: Path
) -> None:
    """An injector's container is its own affair."""
    sidecar = {"name": "sidecar", "image": "sidecar:1"}
    path = "/spec/template/spec/containers/-"
    asked: list[str] = []

    def inject(request: Json) -> Json:
        if request["name"] != "x":
            return patched()
        asked.append(request["name"])
        return patched({"op": "add", "path": path, "value": sidecar})

    with webhook(client, namespace, tmp_path, inject, ["deployments"], kind="Mutating"):
        wanted = made.child(*DEPLOYMENT, pods())
        assert made.run(wanted).writes == 2, "the record of the parent, and the object"
        ran = made.run(wanted)
    assert (ran.writes, ran.warnings, asked) == (0, "", ["x"])
