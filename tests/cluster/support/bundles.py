# SPDX-License-Identifier: GPL-3.0-or-later
"""Small bundles of manifests for tests, each object named after the test's own namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from module_utils.kube.manifest import Json
from tests.objects import thing


def config(name: str, namespace: str, **data: str) -> Json:
    """Return a ConfigMap."""
    return thing("v1", "ConfigMap", name, namespace, data=data)


def crd(group: str, kind: str = "Widget", versions: Sequence[str] = ("v1",), **spec: Any) -> Json:
    """Return a CRD of a namespaced kind; the first version is the one that is stored."""
    plural = f"{kind.lower()}s"
    names = {
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": plural,
        "singular": kind.lower(),
    }
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return thing(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        f"{plural}.{group}",
        spec={
            "group": group,
            "names": names,
            "scope": "Namespaced",
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": place == 0,
                    "schema": {"openAPIV3Schema": schema},
                }
                for place, version in enumerate(versions)
            ],
            **spec,
        },
    )


def deployment(name: str, namespace: str, image: str = "registry.example.com/m:1") -> Json:
    """Return a Deployment of one pod, which the lab makes ready."""
    labels = {"app": name}
    return thing(
        "apps/v1",
        "Deployment",
        name,
        namespace,
        spec={
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "manager", "image": image}]},
            },
        },
    )


def service(name: str, namespace: str) -> Json:
    """Return the Service of `deployment`."""
    ports = [{"port": 443, "targetPort": 9443, "protocol": "TCP"}]
    return thing("v1", "Service", name, namespace, spec={"ports": ports, "selector": {"app": name}})


def large(namespace: str, size: int) -> list[Json]:
    """Return a bundle of many objects of ten kinds."""
    kinds: list[Json] = []
    for number in range(size // 10):
        name = f"{namespace}-{number}"
        rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
        subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
        rbac = "rbac.authorization.k8s.io/v1"
        kinds += [
            crd(f"g{number}.{namespace}.example.com"),
            thing("v1", "ServiceAccount", name, namespace),
            thing(rbac, "ClusterRole", name, rules=rules),
            thing(rbac, "ClusterRoleBinding", name, subjects=[subject], roleRef=role),
            thing(rbac, "Role", name, namespace, rules=rules),
            config(name, namespace, text="a" * 100),
            thing("v1", "Secret", name, namespace, stringData={"password": "x"}),
            service(name, namespace),
            deployment(name, namespace)
            | {"spec": {**deployment(name, namespace)["spec"], "replicas": 0}},
            thing(
                "policy/v1",
                "PodDisruptionBudget",
                name,
                namespace,
                spec={"maxUnavailable": 1, "selector": {"matchLabels": {"app": name}}},
            ),
        ]
    return kinds
