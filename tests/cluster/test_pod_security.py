# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of Pod Security: what we refuse is what an API server refuses, before anything is written."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json
from module_utils.kube.validation.pod_security import LEVELS, refusals
from tests.lab.client import ApiError, Client
from tests.unit.kube.pod_security_table import PODS


def enforce(client: Client, namespace: str, level: str) -> None:
    labels = {"pod-security.kubernetes.io/enforce": level}
    named = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    client.patch(named, {"metadata": {"labels": labels}})


def taken(client: Client, namespace: str, spec: Json) -> bool:
    """Tell whether the server would take a pod."""
    metadata = {"name": "tried", "namespace": namespace}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    try:
        client.create(pod, dryRun="All")
    except ApiError as error:
        if "violates PodSecurity" in str(error):
            return False
        raise
    return True


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_refuses_the_pods_that_a_server_refuses(
    client: Client, bare_namespace: str, level: str
) -> None:
    enforce(client, bare_namespace, level)
    ours = {name: not list(refusals(spec, level)) for name, (spec, *dummy) in PODS.items()}
    theirs = {name: taken(client, bare_namespace, spec) for name, (spec, *dummy) in PODS.items()}
    assert ours == theirs
