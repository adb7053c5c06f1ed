# SPDX-License-Identifier: GPL-3.0-or-later
"""applyset on a real API server: installed in order, unchanged at no write, pruned of its own, other people's left alone."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from module_utils.kube.manifest import Json
from tests.lab import build
from tests.lab.client import Client
from tests.lab.cluster import Cluster, grant
from tests.lab.faults import writes
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.bundles import config, crd, deployment, large
from .support.entries import Entries

PART_OF = "applyset.kubernetes.io/part-of"


def done(result: Json) -> dict[str, str]:
    """Return what was done, by `Kind/name`."""
    assert not result.get("failed"), result["msg"]
    return {f"{each['kind']}/{each['name']}": each["action"] for each in result["objects"]}


def refused(result: Json) -> str:
    """Return the message of a run that wrote nothing."""
    assert result.get("failed"), result
    assert not result["changed"]
    assert "Traceback" not in result["msg"]
    return str(result["msg"])


def test_a_set_is_marked_as_kubectl_marks_one(
    entries: Entries, client: Client, namespace: str
) -> None:
    result = entries.applyset(
        name="demo",
        namespace=namespace,
        definition=[config("one", namespace, a="1"), deployment("web", namespace)],
    )
    assert done(result) == {
        "ConfigMap/demo": "created",
        "ConfigMap/one": "created",
        "Deployment/web": "created",
    }
    parent = client.get("v1", "ConfigMap", "demo", namespace)
    assert parent is not None
    assert parent["metadata"]["labels"] == {"applyset.kubernetes.io/id": result["id"]}
    annotations = parent["metadata"]["annotations"]
    assert annotations["applyset.kubernetes.io/contains-group-kinds"] == "ConfigMap,Deployment.apps"
    assert annotations["applyset.kubernetes.io/tooling"].startswith("modelops.inference/v")
    member = client.get("v1", "ConfigMap", "one", namespace)
    assert member is not None
    assert member["metadata"]["labels"][PART_OF] == result["id"]


def kubectl_set(
    lab: Cluster, name: str, namespace: str, file: Path
) -> subprocess.CompletedProcess[str]:
    """Apply a file with kubectl as a set of its own."""
    words = ["apply", "--prune", f"--applyset=configmaps/{name}", "-n", namespace, "-f", str(file)]
    return subprocess.run(
        [build.program("kubectl"), *words],
        env={**os.environ, "KUBECTL_APPLYSET": "true", "KUBECONFIG": str(lab.kubeconfig)},
        check=False,
        capture_output=True,
        text=True,
    )


def test_kubectl_leaves_a_set_of_this_tool_alone(
    entries: Entries, client: Client, lab: Cluster, namespace: str, tmp_path: Path
) -> None:
    done(entries.applyset(name="ours", namespace=namespace, definition=config("one", namespace)))
    manifest = tmp_path / "two.json"
    manifest.write_text(json.dumps(config("two", namespace, a="1")))
    refusal = kubectl_set(lab, "ours", namespace, manifest)
    assert refusal.returncode
    assert "modelops.inference" in refusal.stderr
    assert client.get("v1", "ConfigMap", "one", namespace) is not None


def test_the_id_is_the_one_that_kubectl_computes(
    entries: Entries, client: Client, lab: Cluster, namespace: str, tmp_path: Path
) -> None:
    manifest = tmp_path / "one.json"
    manifest.write_text(json.dumps(config("one", namespace, a="1")))
    assert kubectl_set(lab, "theirs", namespace, manifest).returncode == 0
    message = refused(
        entries.applyset(name="theirs", namespace=namespace, definition=config("two", namespace))
    )
    assert "kubectl" in message
    theirs = client.get("v1", "ConfigMap", "theirs", namespace)
    found = entries.applyset(state="gathered", name="theirs", namespace=namespace)
    assert theirs is not None
    assert found["id"] == theirs["metadata"]["labels"]["applyset.kubernetes.io/id"]
    assert [each["name"] for each in found["members"]] == ["one"]


def test_a_second_install_of_a_large_bundle_writes_nothing_and_asks_little(
    counted: Entries, proxy: Proxy, namespace: str
) -> None:
    objects = large(namespace, 400)
    options = {"name": "large", "namespace": namespace, "definition": objects}
    first = counted.applyset(**options)
    assert len(done(first)) == 401
    # One write for each object, a trial for those that may be refused (CRDs and Deployments), and the looks.
    assert proxy.count(writes()) <= 400 + 10
    trials = sum(each.dry_run for each in proxy.records)
    assert trials <= 80
    # How often a wait looks depends on the machine.
    assert proxy.requests - proxy.writes - trials <= 200
    proxy.reset()
    again = counted.applyset(**options)
    assert done(again) == {}
    assert again["unchanged"] == 400
    assert not again["changed"]
    assert proxy.count(writes()) == 0
    assert proxy.requests <= 40
    done(counted.applyset(state="absent", name="large", namespace=namespace, keep_crds=False))


def test_what_leaves_the_bundle_goes_and_what_others_made_stays(
    entries: Entries, client: Client, namespace: str
) -> None:
    client.create(config("theirs", namespace, a="1"))
    both = [config("one", namespace, a="1"), config("two", namespace, a="1")]
    options = {"name": "demo", "namespace": namespace}
    done(entries.applyset(**options, definition=both))
    predicted = entries.applyset(**options, definition=both[:1], check_mode=True)
    assert done(predicted) == {"ConfigMap/two": "deleted"}
    assert client.get("v1", "ConfigMap", "two", namespace) is not None
    assert done(entries.applyset(**options, definition=both[:1])) == {"ConfigMap/two": "deleted"}
    assert client.get("v1", "ConfigMap", "two", namespace) is None
    assert client.get("v1", "ConfigMap", "theirs", namespace) is not None


def test_more_deletions_than_allowed_change_nothing(
    entries: Entries, client: Client, namespace: str
) -> None:
    many = [config(f"c{number}", namespace, a="1") for number in range(9)]
    options = {"name": "demo", "namespace": namespace}
    done(entries.applyset(**options, definition=many))
    message = refused(entries.applyset(**options, definition=many[:1]))
    assert "max_deletions: 8" in message
    assert client.get("v1", "ConfigMap", "c8", namespace) is not None
    assert len(done(entries.applyset(**options, definition=many[:1], max_deletions=8))) == 8


def test_drift_is_seen_and_repaired(entries: Entries, client: Client, namespace: str) -> None:
    options = {
        "name": "demo",
        "namespace": namespace,
        "definition": config("one", namespace, a="1"),
    }
    done(entries.applyset(**options))
    client.patch(config("one", namespace), {"data": {"a": "2", "b": "3"}})
    found = entries.applyset(state="gathered", **options)
    assert [(each["name"], each["what"]) for each in found["drift"]] == [
        ("one", "data is not ours any more")
    ]
    repaired = entries.applyset(**options, diff=True)
    assert done(repaired) == {"ConfigMap/one": "updated"}
    assert "a: '1'" in repaired["diff"][0]["after"]
    live = client.get("v1", "ConfigMap", "one", namespace)
    assert live is not None
    assert live["data"] == {"a": "1", "b": "3"}
    assert entries.applyset(state="gathered", **options)["drift"] == []


def helm_release(manifest: Json) -> Json:
    """Return an object as Helm marks those of a release."""
    annotations = {
        "meta.helm.sh/release-name": "kserve-crd",
        "meta.helm.sh/release-namespace": "ops",
    }
    labels = {"app.kubernetes.io/managed-by": "Helm"}
    return {
        **manifest,
        "metadata": {**manifest["metadata"], "annotations": annotations, "labels": labels},
    }


def test_objects_of_others_are_named_and_taken_only_on_request(
    entries: Entries, client: Client, namespace: str
) -> None:
    definition = crd(f"{namespace}.example.com")
    client.create(helm_release(definition))
    done(entries.applyset(name="other", namespace=namespace, definition=config("one", namespace)))
    client.create(config("two", namespace, a="1"))
    options = {
        "name": "demo",
        "namespace": namespace,
        "definition": [definition, config("one", namespace), config("two", namespace)],
    }
    message = refused(entries.applyset(**options))
    assert "Helm release ops/kserve-crd" in message
    assert f"the set ConfigMap {namespace}/other" in message
    assert f"ConfigMap {namespace}/two exists already and it is not part of this set" in message
    assert message.count("adopt: true") == 3
    taken = entries.applyset(**options, adopt=True)
    assert set(done(taken).values()) == {"created", "adopted"}
    assert any("Helm release" in warning for warning in taken["warnings"])
    assert done(entries.applyset(**options)) == {}
    done(entries.applyset(state="absent", name="demo", namespace=namespace, keep_crds=False))


@pytest.mark.parametrize("state", ["present", "gathered"])
def test_all_problems_of_a_bundle_are_told_at_once(
    entries: Entries, namespace: str, tmp_path: Path, state: str
) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\nda")
    (tmp_path / "b.yaml").write_text("- 1\n  b: [")
    cut_off = entries.applyset(state=state, name="demo", namespace=namespace, src=[str(tmp_path)])
    assert "a.yaml" in refused(cut_off)
    assert "b.yaml" in refused(cut_off)
    wrong = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"labels": {"a": 1}}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"}, "spec": None},
        "text",
    ]
    message = refused(
        entries.applyset(state=state, name="demo", namespace=namespace, definition=wrong)
    )
    for text in (
        "metadata.name",
        "metadata.labels.a",
        "spec: it is empty",
        "str is not a manifest",
    ):
        assert text in message
    twice = [
        config("one", namespace),
        config("one", ""),
        thing("unknown.example.com/v1", "Thing", "x", namespace),
        thing("cert-manager.io/v1", "Unknowns", "x", namespace, spec={}),
    ]
    message = refused(
        entries.applyset(state=state, name="demo", namespace=namespace, definition=twice)
    )
    assert f"ConfigMap {namespace}/one is in definition[0] as well" in message
    assert "no Thing of unknown.example.com/v1" in message
    assert "install cert-manager" in message


def test_nobody_without_rights_writes_half_a_bundle(
    lab: Cluster, client: Client, namespace: str
) -> None:
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    definition = [config("one", namespace, a="1"), deployment("web", namespace)]
    options = {"name": "demo", "namespace": namespace, "definition": definition}
    message = refused(robot.applyset(**options))
    assert "configmaps" in message
    assert f"system:serviceaccount:{namespace}:robot" in message
    look = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]}
    write = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "patch"]}
    grant(lab, f"{namespace}/robot", [look, write], namespace)
    message = refused(robot.applyset(**options))
    assert "may not create, patch deployments.apps" in message
    assert client.get("v1", "ConfigMap", "one", namespace) is None


def test_what_the_api_server_refuses_is_found_before_any_write(
    entries: Entries, client: Client, namespace: str
) -> None:
    wrong = deployment("web", f"{namespace}-new")
    wrong["spec"]["selector"]["matchLabels"] = {"app": "other"}
    unknown = config("two", namespace)
    unknown["date"] = {"a": "b"}
    space = thing("v1", "Namespace", f"{namespace}-new")
    definition = [space, config("one", namespace), unknown, wrong]
    message = refused(entries.applyset(name="demo", namespace=namespace, definition=definition))
    assert f"Deployment {namespace}-new/web: spec.template.metadata.labels: the selector" in message
    assert f"{namespace}-new/web would be refused" not in message
    assert f"ConfigMap {namespace}/two would be refused" in message
    assert client.get("v1", "Namespace", f"{namespace}-new") is None
    assert client.get("v1", "ConfigMap", "one", namespace) is None


def test_what_leads_nowhere_is_told_and_what_the_cluster_has_is_not(
    entries: Entries, client: Client, namespace: str
) -> None:
    client.apply(thing("v1", "ServiceAccount", "theirs", namespace))
    subjects = [
        {"kind": "ServiceAccount", "name": name, "namespace": namespace}
        for name in ("theirs", "nobodys")
    ]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    binding = {
        **thing("rbac.authorization.k8s.io/v1", "RoleBinding", "readers", namespace),
        "roleRef": role,
        "subjects": subjects,
    }
    options = {"name": "demo", "namespace": namespace, "definition": [binding]}
    for check_mode in (True, False):
        result = entries.applyset(**options, check_mode=check_mode)
        assert done(result)["RoleBinding/readers"] == "created"
        (warning,) = result["warnings"]
        assert f"RoleBinding {namespace}/readers: subjects[1]: names ServiceAccount" in warning
    assert entries.applyset(**options)["warnings"] == []


def test_service_in_a_set_is_told_where_no_controller_runs(
    entries: Entries, namespace: str
) -> None:
    model = {"modelFormat": {"name": "sklearn"}, "storageUri": "s3://models/iris"}
    spec = {"predictor": {"model": model}}
    service = thing("serving.kserve.io/v1beta1", "InferenceService", "iris", namespace, spec=spec)
    options = {"name": "demo", "namespace": namespace, "definition": [service]}
    (warning,) = entries.applyset(**options, check_mode=True)["warnings"]
    assert f"{namespace}/iris: no controller in the set or the cluster" in warning


def test_without_force_a_field_of_somebody_else_stops_the_whole_set(
    entries: Entries, client: Client, namespace: str
) -> None:
    options = {"name": "demo", "namespace": namespace}
    done(entries.applyset(**options, definition=config("one", namespace, a="1")))
    client.patch(config("one", namespace), {"data": {"a": "2"}})
    both = [config("one", namespace, a="1"), config("two", namespace)]
    message = refused(entries.applyset(**options, definition=both, force_conflicts=False))
    assert f"ConfigMap {namespace}/one has fields that others own: .data.a of " in message
    assert client.get("v1", "ConfigMap", "two", namespace) is None
    assert done(entries.applyset(**options, definition=both))["ConfigMap/one"] == "updated"


def test_an_empty_bundle_removes_nothing(
    entries: Entries, client: Client, namespace: str, tmp_path: Path
) -> None:
    done(entries.applyset(name="demo", namespace=namespace, definition=config("one", namespace)))
    (tmp_path / "empty.yaml").write_text("# nothing\n---\n# here\n")
    message = refused(entries.applyset(name="demo", namespace=namespace, src=[str(tmp_path)]))
    assert "hold no object" in message
    assert client.get("v1", "ConfigMap", "one", namespace) is not None


def test_a_missing_or_ending_namespace_is_found_before_any_write(
    entries: Entries, client: Client, namespace: str
) -> None:
    held = {
        **thing("v1", "Namespace", f"{namespace}-ending"),
    }
    held["metadata"]["finalizers"] = ["example.com/held"]
    client.create(held)
    client.delete(held)
    definition = [
        config("one", namespace),
        config("two", f"{namespace}-missing"),
        config("three", f"{namespace}-ending"),
    ]
    try:
        message = refused(entries.applyset(name="demo", namespace=namespace, definition=definition))
    finally:
        client.patch(held, {"metadata": {"finalizers": None}})
    assert f'namespace "{namespace}-missing" does not exist' in message
    assert f'namespace "{namespace}-ending" is being deleted' in message
    assert client.get("v1", "ConfigMap", "one", namespace) is None


def test_a_field_that_others_add_stays_and_a_scaled_workload_keeps_its_replicas(
    entries: Entries, client: Client, namespace: str
) -> None:
    web = deployment("web", namespace)
    web["spec"]["replicas"] = 1
    scaler = thing(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        "web",
        namespace,
        spec={
            "minReplicas": 1,
            "maxReplicas": 5,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        },
    )
    options = {"name": "demo", "namespace": namespace, "definition": [web, scaler]}
    done(entries.applyset(**options))
    client.patch(web, {"spec": {"replicas": 3, "minReadySeconds": 1}})
    assert done(entries.applyset(**options)) == {}
    live = client.get("apps/v1", "Deployment", "web", namespace)
    assert live is not None
    assert (live["spec"]["replicas"], live["spec"]["minReadySeconds"]) == (3, 1)
