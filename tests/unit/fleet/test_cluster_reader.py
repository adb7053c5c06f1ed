# SPDX-License-Identifier: GPL-3.0-or-later
"""What services see of a cluster in which not everything may be read."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.cluster.errors import Forbidden
from module_utils.fleet.cluster_reader import ClusterReader
from module_utils.kube.reader import NotAllowed, NotLookedAt
from module_utils.kube.reference import Reference

WEBHOOKS = Reference("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "", "x")


class Closed:
    """A cluster that refuses, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def get(self, reference: Reference) -> dict[str, Any] | None:
        self.asked += 1
        subject = str(reference)
        raise Forbidden(status=403, reason="Forbidden", message="no", verb="get", subject=subject)


def test_what_may_not_be_read_is_asked_for_once() -> None:
    cluster: Any = Closed()
    reader = ClusterReader(cluster)
    for dummy in range(3):
        with pytest.raises(NotAllowed):
            reader.get(WEBHOOKS)
    assert cluster.asked == 1


class Counting:
    """A cluster where everything is there, which counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def get(self, reference: Reference) -> dict[str, Any] | None:
        self.asked += 1
        return reference.to_manifest()


def test_what_was_read_is_remembered_and_nothing_more_is_asked_for() -> None:
    cluster: Any = Counting()
    reader = ClusterReader(cluster, common=[("v1", "Namespace")])
    reader.get(WEBHOOKS)
    quiet = reader.remembered()
    assert quiet.get(WEBHOOKS) == WEBHOOKS.to_manifest()
    for other in (Reference("v1", "Secret", "a", "b"), Reference("v1", "Namespace", "", "a")):
        with pytest.raises(NotLookedAt):
            quiet.get(other)
    with pytest.raises(NotLookedAt):
        quiet.list("v1", "Pod", "a", {})
    assert cluster.asked == 1
