# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects in which nothing can be wrong, and objects in which something may be: all that a bundle may hold of the plain kinds."""

from __future__ import annotations

from typing import Any

from module_utils.kube.manifest import Json
from tests.objects import thing

from .bundles import config, deployment, service

_RBAC = "rbac.authorization.k8s.io/v1"
_SUBJECT = {"kind": "ServiceAccount", "name": "a", "namespace": "default"}
_RULE = {"apiGroups": ["", "apps"], "resources": ["*"], "verbs": ["get"]}
_SELECTOR = {"matchLabels": {"app": "x"}}


def _role(kind: str = "Role", name: str = "x", **rule: Any) -> Json:
    return thing(_RBAC, kind, name, rules=[{**_RULE, **rule}])


def _binding(kind: str = "RoleBinding", to: str = "Role", **more: Any) -> Json:
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": to, "name": "system:x"}
    return thing(_RBAC, kind, "a:b", roleRef=reference, **{"subjects": [_SUBJECT], **more})


def _secret(**more: Any) -> Json:
    return thing("v1", "Secret", "x", **more)


def _service(**port: Any) -> Json:
    return thing(
        "v1", "Service", "x", spec={"ports": [{"port": 80, **port}], "selector": {"a": "b"}}
    )


def _budget(**spec: Any) -> Json:
    return thing("policy/v1", "PodDisruptionBudget", "x", spec={"selector": _SELECTOR, **spec})


def _marked(**metadata: Any) -> Json:
    made = config("x", "", a="1")
    return {**made, "metadata": {**made["metadata"], **metadata}}


CERTAIN: dict[str, Json] = {
    "config": config("x.y", "", a="1", **{"b-c_d.e": "text"}),
    "config with labels": _marked(labels={"a/b": "c"}, annotations={"d": "e f"}),
    "empty config": thing("v1", "ConfigMap", "x", data={}),
    "secret": _secret(stringData={"a": "1"}, data={"b": "YWJj"}, type="Opaque"),
    "account": thing("v1", "ServiceAccount", "x"),
    "role": _role(),
    "role of names": _role(resourceNames=["a"]),
    "cluster role": _role("ClusterRole", "system:x"),
    "role without rules": thing(_RBAC, "Role", "x", rules=[]),
    "binding": _binding(),
    "binding of a cluster role": _binding(to="ClusterRole"),
    "cluster binding": _binding("ClusterRoleBinding", "ClusterRole"),
    "service": service("x", ""),
    "service by port's name": _service(targetPort="webhook-server", name="https", protocol="UDP"),
    "budget": _budget(maxUnavailable=1),
    "budget of at least": _budget(minAvailable=0),
}

DOUBTFUL: dict[str, Json] = {
    "another kind": deployment("x", ""),
    "misspelt": {**config("x", ""), "date": {"a": "b"}},
    "number in a config": thing("v1", "ConfigMap", "x", data={"a": 1}),
    "key with a blank": thing("v1", "ConfigMap", "x", data={"a b": "1"}),
    "key that is two dots": thing("v1", "ConfigMap", "x", data={"..": "1"}),
    "large": config("x", "", a="b" * 1_000_000),
    "name in capitals": config("X", ""),
    "unknown metadata": _marked(label={"a": "b"}),
    "secret that is no base64": _secret(data={"a": "%%"}),
    "secret of a type": _secret(type="kubernetes.io/tls", stringData={"a": "1"}),
    "role without verbs": _role(verbs=[]),
    "role without groups": _role(apiGroups=[]),
    "role with a number": _role(verbs=["get", 1]),
    "role of URLs": thing(_RBAC, "ClusterRole", "x", rules=[{"nonResourceURLs": ["/m"], "verbs": ["get"]}]),
    "role with a slash": _role(name="a/b"),
    "aggregated role": {**_role("ClusterRole"), "aggregationRule": {}},
    "cluster binding of a role": _binding("ClusterRoleBinding", "Role"),
    "binding without subjects": _binding(subjects=None),
    "binding of a user": _binding(subjects=[{"kind": "User", "name": "a"}]),
    "binding without a namespace": _binding(subjects=[{"kind": "ServiceAccount", "name": "a"}]),
    "service with a dot": service("x.y", ""),
    "service of a large port": _service(port=70_000),
    "service of a long port name": _service(targetPort="a" * 16),
    "service of a protocol": _service(protocol="ICMP"),
    "service without ports": thing("v1", "Service", "x", spec={"selector": {"a": "b"}}),
    "service of two ports": thing("v1", "Service", "x", spec={"ports": [{"port": 80}, {"port": 80}]}),
    "service with an address": thing(
        "v1", "Service", "x", spec={"ports": [{"port": 80}], "clusterIP": "1.2.3.4"}
    ),
    "budget of both": _budget(minAvailable=1, maxUnavailable=1),
    "budget of a text": _budget(minAvailable="half"),
    "budget of less than nothing": _budget(minAvailable=-1),
    "budget with a blank": _budget(minAvailable=1, selector={"matchLabels": {"a": "b c"}}),
}  # fmt: skip
