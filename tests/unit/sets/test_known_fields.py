# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that objects of common kinds do not have are named where a set is rendered without an API server."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.module_runner import outcome
from module_utils.modules import applyset
from tests.unit.modules.task import checked

Json = dict[str, Any]
POD: Json = {
    "metadata": {"labels": {"app": "a"}},
    "spec": {"containers": [{"name": "a", "image": "registry.example.com/a:1"}]},
}
ROLE = "rbac.authorization.k8s.io/v1"


def rendered(manifest: Json) -> Json:
    """Render a set of one object."""
    options = {"name": "own", "state": "rendered", "definition": [manifest]}
    return outcome(
        applyset.run,
        checked(applyset.ARGUMENT_SPEC, options),
        applyset.EMPTY,
        check_mode=False,
        diff=False,
        environment={},
        progress=lambda dummy: None,
    )


def made(api_version: str, kind: str, **fields: Any) -> Json:
    """Return an object."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, **fields}


def workload(kind: str, **spec: Any) -> Json:
    """Return a workload."""
    selector = {"matchLabels": {"app": "a"}}
    return made("apps/v1", kind, spec={"selector": selector, "template": POD, **spec})


def with_pod(**fields: Any) -> Json:
    """Return a Deployment whose pods have fields."""
    return workload("Deployment", template={**POD, "spec": {**POD["spec"], **fields}})


@pytest.mark.parametrize(
    ("manifest", "field", "near"),
    [
        (workload("Deployment", replica=3), "spec.replica", "replicas"),
        (workload("StatefulSet", servicename="a"), "spec.servicename", "serviceName"),
        (workload("DaemonSet", updateStrategie={}), "spec.updateStrategie", "updateStrategy"),
        (with_pod(nodeselector={}), "spec.template.spec.nodeselector", "nodeSelector"),
        (
            made("batch/v1", "Job", spec={"backOffLimit": 3, "template": POD}),
            "spec.backOffLimit",
            "backoffLimit",
        ),
        (
            made("v1", "Service", spec={"ports": [{"port": 80, "targetport": 8080}]}),
            "spec.ports[0].targetport",
            "targetPort",
        ),
        (made("v1", "ConfigMap", dta={"a": "b"}), "dta", "data"),
        (made("v1", "ServiceAccount", imagePullSecret=[]), "imagePullSecret", "imagePullSecrets"),
        (
            made(ROLE, "Role", rules=[{"apiGroup": [""], "resources": ["pods"], "verbs": ["get"]}]),
            "rules[0].apiGroup",
            "apiGroups",
        ),
    ],
)
def test_field_of_another_name_is_named(manifest: Json, field: str, near: str) -> None:
    result = rendered(manifest)
    assert result["failed"]
    assert f"{field}: " in result["msg"]
    assert near in result["msg"]


@pytest.mark.parametrize(
    "manifest",
    [
        workload("Deployment", replicas=3, strategy={"type": "Recreate"}),
        workload("StatefulSet", serviceName="a", podManagementPolicy="Parallel"),
        with_pod(nodeSelector={"a": "b"}, hostUsers=False),
        made("v1", "ConfigMap", data={"a": "b"}, immutable=True),
        made("example.com/v1", "Thing", whatever=1),
    ],
)
def test_fields_that_are_there_or_not_known_are_rendered(manifest: Json) -> None:
    assert not rendered(manifest).get("failed")
