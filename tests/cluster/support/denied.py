# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that refuses an object."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.lab.client import Client, wait_until

from .services import deployment

POLICIES = "admissionregistration.k8s.io/v1"


@contextmanager
def denied(
    client: Client, namespace: str, name: str, says: str = "'not on my cluster'"
) -> Iterator[None]:
    """An admission policy refuses one Deployment. says: the message, as a CEL expression of the object."""
    label = {"kubernetes.io/metadata.name": namespace}
    policy = {
        "apiVersion": POLICIES,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": namespace},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": ["apps"],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": ["deployments"],
                    }
                ]
            },
            "validations": [
                {
                    "expression": f"object.metadata.name != '{name}'",
                    "message": "not on my cluster",
                    "messageExpression": says,
                }
            ],
        },
    }
    binding = {
        "apiVersion": POLICIES,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": namespace},
        "spec": {
            "policyName": namespace,
            "validationActions": ["Deny"],
            "matchResources": {"namespaceSelector": {"matchLabels": label}},
        },
    }
    client.apply_all([policy, binding])
    probe = deployment(name, namespace)
    labels = {"app": "probe"}
    pod = {"containers": [{"name": "probe", "image": "registry.example.com/probe:1"}]}
    probe["spec"] = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }

    def answer() -> str:
        path = client.path("apps/v1", "Deployment", namespace)
        found = client.request(
            "POST", path, body=probe, query={"dryRun": "All"}, accept=(409, 422, 403)
        )
        return str(found)

    def in_force(wanted: bool) -> None:
        def look() -> tuple[bool, str]:
            found = answer()
            return ("not on my cluster" in found) is wanted, found

        wait_until(look, f"the admission policy to be {'' if wanted else 'no longer '}in force")

    try:
        in_force(True)
        yield
    finally:
        client.delete(binding)
        client.delete(policy)
        in_force(False)
