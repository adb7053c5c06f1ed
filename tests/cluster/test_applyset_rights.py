# SPDX-License-Identifier: GPL-3.0-or-later
"""The generated rights are enough to install, upgrade, check and remove a set, and each of them is needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.modelops.inference.plugins.filter.rights import applyset_privilege
from module_utils.kube.manifest import Json
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.crd_sources import KSERVE_TRAINED_MODELS
from tests.objects import thing

from .support.bundles import config, crd, deployment, service
from .support.entries import Entries
from .support.inference_services import isvc, prepare, trained_model
from .support.playbooks import WELL, Playbooks
from .test_applyset import done, refused
from .test_least_privilege import granted, robot, used

_RBAC = "rbac.authorization.k8s.io/v1"


def release(namespace: str, versions: tuple[str, ...] = ("v1", "v1alpha1")) -> list[Json]:
    """Return a controller with an account, rights, and objects of its own kind."""
    subjects = [{"kind": "ServiceAccount", "name": "manager", "namespace": namespace}]
    rules = [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"]}]
    own = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["update"]}]

    def binding(kind: str, to: str, name: str, place: str = "") -> Json:
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": to, "name": name}
        return thing(
            _RBAC, kind, f"{namespace}-{kind.lower()}", place, roleRef=role, subjects=subjects
        )

    return [
        crd(f"{namespace}.example.com", versions=versions),
        thing("v1", "ServiceAccount", "manager", namespace),
        thing(_RBAC, "ClusterRole", namespace, rules=rules),
        thing(_RBAC, "Role", "own", namespace, rules=own),
        binding("ClusterRoleBinding", "ClusterRole", namespace),
        binding("RoleBinding", "Role", "own", namespace),
        config("settings", namespace, a="1"),
        thing("v1", "Secret", "key", namespace, stringData={"a": "1"}),
        service("manager", namespace),
        deployment("manager", namespace),
        thing(f"{namespace}.example.com/{versions[0]}", "Widget", "w", namespace, spec={}),
    ]  # fmt: skip


def rights(namespace: str, bundle: list[Json], **options: Any) -> Json:
    """Return the rights for a set, as the playbook generates them."""
    rendered = Entries(None).applyset(state="rendered", name="demo", definition=bundle)
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": namespace}
    return applyset_privilege(
        rendered["manifests"], subject, name=f"{namespace}-robot", namespace=namespace, **options
    )


def test_generated_rights_are_enough_for_a_set_and_each_is_used(
    lab: Cluster, namespace: str
) -> None:
    bundle = release(namespace, ("v1alpha1",))
    found = rights(namespace, release(namespace))
    assert found["lost"] == []
    runner = robot(lab, namespace, found["manifests"])
    options = {"name": "demo", "namespace": namespace, "wait_timeout": 60.0}
    done(runner.applyset(**options, definition=bundle))
    assert done(runner.applyset(**options, definition=bundle)) == {}
    both = release(namespace, ("v1", "v1alpha1"))
    done(runner.applyset(**options, definition=both))
    # The version in which the object was stored goes.
    last = release(namespace, ("v1",))
    done(runner.applyset(**options, definition=last))
    checked = runner.applyset(**options, state="gathered", checks=True)
    assert not checked.get("failed"), checked["msg"]
    gone = runner.applyset(**options, state="absent", keep_crds=False)
    assert len(done(gone)) == len(last) + 1
    user = f"system:serviceaccount:{namespace}:robot"
    unused = granted(found["manifests"], "used") - used(lab, user)
    # Only components have leaders whose Leases are looked at, and a Lease is renewed only by a run that takes long.
    assert unused <= {("leases", "get"), ("leases", "patch"), ("serviceaccounts", "impersonate")}


def test_rights_that_a_set_grants_have_to_be_held(
    lab: Cluster, client: Client, namespace: str
) -> None:
    bundle = release(namespace)
    found = rights(namespace, bundle)
    verbs = {
        v for each in found["manifests"] for rule in each.get("rules", []) for v in rule["verbs"]
    }
    assert not verbs & {"escalate", "bind", "*"}
    held = {
        str(rule)
        for each in found["manifests"]
        if each["metadata"]["labels"]["inference.modelops.io/rights"] == "held"
        for rule in each.get("rules", [])
    }
    assert held == {str(rule) for each in bundle for rule in each.get("rules", [])}
    without = [
        each
        for each in found["manifests"]
        if each["metadata"]["name"] != f"{namespace}-robot-grants"
    ]
    runner = robot(lab, namespace, without)
    message = refused(runner.applyset(name="demo", namespace=namespace, definition=bundle))
    assert "attempting to grant RBAC permissions not currently held" in message
    assert client.get("v1", "ConfigMap", "settings", namespace) is None


def test_a_set_within_its_namespace_needs_no_right_of_the_cluster(
    lab: Cluster, namespace: str
) -> None:
    bundle = [each for each in release(namespace) if each["metadata"].get("namespace")]
    bundle = [each for each in bundle if each["kind"] != "Widget"]
    lost = rights(namespace, release(namespace), cluster_rights=False)["lost"]
    assert any(f"ClusterRole {namespace} cannot be written" in text for text in lost)
    found = rights(namespace, bundle, cluster_rights=False)
    assert {each["kind"] for each in found["manifests"]} == {"Role", "RoleBinding"}
    runner = robot(lab, namespace, found["manifests"])
    options = {"name": "demo", "namespace": namespace, "wait_timeout": 60.0}
    done(runner.applyset(**options, definition=bundle))
    assert done(runner.applyset(**options, definition=bundle)) == {}
    assert len(done(runner.applyset(**options, state="absent"))) == len(bundle) + 1


@pytest.mark.parametrize(
    ("everywhere", "told"),
    [
        (True, '"odd" is not a format of ClusterServingRuntime lab-sklearn'),
        (False, "whether its service loads it was not checked"),
    ],
)
def test_rights_for_models_reach_their_service_and_its_runtimes(
    lab: Cluster, namespace: str, everywhere: bool, told: str
) -> None:
    prepare(lab.client)
    crds.install(lab.client, crds.documents(KSERVE_TRAINED_MODELS))
    service, model = isvc("iris", namespace), trained_model("m", namespace)
    del service["spec"]["predictor"]["model"]["storageUri"]
    model["spec"]["model"]["framework"] = "odd"
    lab.client.create(service)
    found = rights(namespace, [model], cluster_rights=everywhere)
    runner = robot(lab, namespace, found["manifests"])
    result = runner.applyset(name="models", namespace=namespace, definition=[model])
    assert not result.get("failed"), result["msg"]
    (warning,) = result["warnings"]
    assert told in warning
    asked = {("inferenceservices", "get"), ("servingruntimes", "list")}
    asked |= {("clusterservingruntimes", "list")} if everywhere else set()
    rightly = granted(found["manifests"], "used")
    assert asked <= rightly & used(lab, f"system:serviceaccount:{namespace}:robot")


def test_the_playbook_writes_the_rights_to_install_without_a_cluster(tmp_path: Path) -> None:
    bundle = release("team")
    (tmp_path / "lws.json").write_text(json.dumps({"kind": "List", "items": bundle}))
    code, printed = Playbooks(tmp_path, tmp_path / "none").run(
        "rbac",
        controllers_components=[{"name": "lws", "src": "lws.json"}],
        controllers_transform={"namespaces": {"team": "ops"}},
        modelops_subject_name="robot",
    )
    assert code == WELL, printed
    written = [each for each in yaml.safe_load_all((tmp_path / "rbac.yaml").read_text()) if each]
    places = {each["metadata"].get("namespace", "") for each in written}
    assert places == {"", "default"}
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": "default"}
    assert all(each["subjects"] == [subject] for each in written if "subjects" in each)
    assert {"deployments"} <= {
        r for each in written for rule in each.get("rules", []) for r in rule["resources"]
    }
