# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pods of endpoint pickers that the API server changes as they are made: what a policy of a cluster may do to them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..lab.client import Client, wait_until

Json = dict[str, Any]
_ADMISSION = "admissionregistration.k8s.io/v1"
_IS_PICKER = "object.spec.serviceAccountName.contains('-epp')"
_POLICY_WITHIN = 30.0


@contextlib.contextmanager
def without_rights(client: Client, namespace: str) -> Iterator[None]:
    """Have pickers of a namespace run under its default account, which may do nothing, from when the API server does so on."""
    expression = "Object{spec: Object.spec{serviceAccountName: 'default'}}"
    mutation = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}
    policy = changed(f"no-rights-{namespace}", namespace, mutation)
    account = {"name": "probe-epp", "namespace": namespace}
    client.apply_all([*policy, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account}])

    def works() -> tuple[bool, str]:
        made = client.create(_probe(namespace), dryRun="All")
        return made["spec"]["serviceAccountName"] == "default", "pods are not changed"

    try:
        wait_until(works, "the policy to work", _POLICY_WITHIN)
        yield
    finally:
        for each in policy:
            client.delete(each)


def _probe(namespace: str) -> Json:
    spec = {"serviceAccountName": "probe-epp", "containers": [{"name": "main", "image": "none"}]}
    metadata = {"name": "probe", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def changed(name: str, namespace: str, mutation: Json) -> list[Json]:
    """The policy that changes each new picker of a namespace, and what puts it in force."""
    return [_policy(name, mutation), _binding(name, namespace)]


def _policy(name: str, mutation: Json) -> Json:
    pods = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["pods"],
    }
    return {
        "apiVersion": _ADMISSION,
        "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {
            "matchConstraints": {"resourceRules": [pods]},
            "matchConditions": [{"name": "picker", "expression": _IS_PICKER}],
            "failurePolicy": "Fail",
            "reinvocationPolicy": "Never",
            "mutations": [mutation],
        },
    }


def _binding(name: str, namespace: str) -> Json:
    return {
        "apiVersion": _ADMISSION,
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {
            "policyName": name,
            "matchResources": {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
            },
        },
    }
