# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object of a set lacks before others may stand on it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.engine.applyset.waiting import (
    lacks,
    without_authority,
)

Json = dict[str, Any]
INJECT = {"cert-manager.io/inject-ca-from": "a/b"}


def live(kind: str, generation: int = 1, *, version: str = "v1", **body: Any) -> Json:
    """Return an object as it was read."""
    metadata = {"name": "x", "namespace": "a", "generation": generation}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **body}


def conditions(**said: str) -> Json:
    """Return a status that says this."""
    return {"conditions": [{"type": kind, "status": status} for kind, status in said.items()]}


def daemons(ready: int, updated: int, seen: int = 1) -> Json:
    """Return the status of a DaemonSet for two nodes."""
    return {
        "observedGeneration": seen,
        "desiredNumberScheduled": 2,
        "numberReady": ready,
        "updatedNumberScheduled": updated,
    }


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (live("CustomResourceDefinition"), "not NamesAccepted yet"),
        (live("CustomResourceDefinition", status=conditions(NamesAccepted="False")), "False"),
        (
            live(
                "CustomResourceDefinition",
                status=conditions(NamesAccepted="True", Established="True"),
            ),
            "",
        ),
        (live("Certificate", version="cert-manager.io/v1"), "not Ready yet"),
        (live("Certificate", version="cert-manager.io/v1", status=conditions(Ready="True")), ""),
        (live("Certificate", version="other.example.com/v1"), ""),
        (live("Namespace", status={"phase": "Terminating"}), "terminating"),
        (live("DaemonSet", status=daemons(2, 2)), ""),
        (live("DaemonSet", status=daemons(1, 2)), "1 of 2 pods are ready"),
        (live("DaemonSet", status=daemons(2, 1)), "1 of the present template"),
        (live("DaemonSet", 2, status=daemons(2, 2)), "present generation"),
        (live("Deployment", 2, status={"observedGeneration": 1}), "present generation"),
        (live("ConfigMap"), ""),
    ],
)
def test_what_does_not_work_yet_says_why(found: Json, text: str) -> None:
    assert text in lacks(found)
    assert bool(lacks(found)) == bool(text)


def test_an_authority_is_waited_for_where_somebody_is_to_inject_it() -> None:
    client = {"service": {"name": "s", "namespace": "a"}}
    hook = live("ValidatingWebhookConfiguration", webhooks=[{"name": "h", "clientConfig": client}])
    assert without_authority(hook) == ""
    hook["metadata"]["annotations"] = INJECT
    assert "h" in without_authority(hook)
    client["caBundle"] = {"any": "text"}
    assert without_authority(hook) == ""
    crd = live("CustomResourceDefinition", spec={})
    crd["metadata"]["annotations"] = INJECT
    assert without_authority(crd) == ""
