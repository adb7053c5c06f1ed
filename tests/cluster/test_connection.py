# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection on a real API server: what it answers to each request, and what its refusals become."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from module_utils.cluster import errors
from module_utils.cluster.connection import Cluster, connect
from module_utils.kube.reference import Reference
from tests.lab import cluster as lab
from tests.lab import kubeconfig as lab_kubeconfig
from tests.lab.faults import Fault, refuse, seen
from tests.lab.proxy import Proxy
from tests.objects import thing

MANAGER = "test-connection"


@pytest.fixture
def cluster(control_plane: lab.Cluster) -> Iterator[Cluster]:
    """A connection of the administrator."""
    auth = {"kubeconfig": str(control_plane.kubeconfig), "environment": {}}
    with connect(auth, deadline=120) as connection:
        yield connection


def config_map(namespace: str, name: str = "one", **data: str) -> dict[str, Any]:
    return thing(
        "v1", "ConfigMap", name, namespace, metadata={"labels": {"test": "yes"}}, data=data
    )


def reference(namespace: str, name: str = "one") -> Reference:
    return Reference("v1", "ConfigMap", namespace, name)


def deployment(namespace: str, **container: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "one", "namespace": namespace},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": "one"}},
            "template": {
                "metadata": {"labels": {"app": "one"}},
                "spec": {"containers": [{"name": "main", "image": "x", **container}]},
            },
        },
    }


def test_apply_says_whether_it_created_and_a_second_one_changes_nothing(
    cluster: Cluster, namespace: str
) -> None:
    first = cluster.apply(config_map(namespace, a="1"), manager=MANAGER)
    second = cluster.apply(config_map(namespace, a="1"), manager=MANAGER)
    assert (first.created, second.created) == (True, False)
    assert first.object["metadata"] == second.object["metadata"]


def test_dry_run_stores_nothing(cluster: Cluster, namespace: str) -> None:
    assert cluster.apply(config_map(namespace), manager=MANAGER, dry_run=True).created
    assert cluster.get(reference(namespace)) is None
    assert cluster.stats.writes == 0


def test_conflict_names_the_field_and_its_manager(cluster: Cluster, namespace: str) -> None:
    cluster.apply(config_map(namespace, a="1"), manager="somebody-else")
    with pytest.raises(errors.Conflict) as caught:
        cluster.apply(config_map(namespace, a="2"), manager=MANAGER)
    assert [(c.field, c.manager) for c in caught.value.conflicts] == [(".data.a", "somebody-else")]
    assert cluster.stats.retries == 0
    forced = cluster.apply(config_map(namespace, a="2"), manager=MANAGER, force=True)
    assert forced.object["data"] == {"a": "2"}


def test_status_is_applied_as_a_subresource(cluster: Cluster, namespace: str) -> None:
    cluster.apply(deployment(namespace), manager=MANAGER)
    status = {key: value for key, value in deployment(namespace).items() if key != "spec"}
    status["status"] = {"conditions": [{"type": "Ours", "status": "True"}]}
    stored = cluster.apply(status, manager=MANAGER, subresource="status").object
    assert "Ours" in [condition["type"] for condition in stored["status"]["conditions"]]


@pytest.mark.parametrize(
    ("container", "message"),
    [
        ({"imag": "x"}, "field not declared in schema"),
        ({"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}, "duplicate entries"),
        ({"image": ""}, "spec.template.spec.containers[0].image: Required value"),
    ],
)
def test_an_object_that_is_refused_is_invalid_and_not_sent_again(
    cluster: Cluster, namespace: str, container: dict[str, Any], message: str
) -> None:
    with pytest.raises(errors.Invalid) as caught:
        cluster.apply(deployment(namespace, **container), manager=MANAGER)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"apply Deployment {namespace}/one: ")
    assert cluster.stats.requests == 1


def test_refused_secrets_show_no_value(cluster: Cluster, namespace: str) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "one", "namespace": namespace},
        "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": base64.b64encode(b"hunter2 is not JSON").decode()},
    }
    for broken in (secret, {**secret, "data": {"k": "hunter2!"}}, {**secret, "data": "hunter2"}):
        with pytest.raises(errors.ApiError) as caught:
            cluster.apply(broken, manager=MANAGER)
        error = caught.value
        assert "hunter2" not in repr((str(error), error.details, error.message, error.args))


def test_missing_namespace_is_named(cluster: Cluster) -> None:
    with pytest.raises(errors.NotFound, match='namespaces "not-there" not found'):
        cluster.apply(config_map("not-there"), manager=MANAGER)


def test_create_and_delete(cluster: Cluster, namespace: str) -> None:
    stored = cluster.create(config_map(namespace))
    with pytest.raises(errors.AlreadyExists):
        cluster.create(config_map(namespace))
    with pytest.raises(errors.Conflict):
        cluster.delete(reference(namespace), uid="another")
    uid, version = stored["metadata"]["uid"], stored["metadata"]["resourceVersion"]
    assert cluster.delete(reference(namespace), uid=uid, dry_run=True)
    assert cluster.get(reference(namespace)) is not None
    assert cluster.delete(reference(namespace), uid=uid, resource_version=version)
    assert not cluster.delete(reference(namespace), uid=uid)


def test_patches(cluster: Cluster, namespace: str) -> None:
    cluster.create(config_map(namespace, a="1"))
    merged = cluster.patch(reference(namespace), {"data": {"b": "2"}}, kind="merge")
    assert merged["data"] == {"a": "1", "b": "2"}
    steps = [{"op": "remove", "path": "/data/a"}]
    assert cluster.patch(reference(namespace), steps, kind="json")["data"] == {"b": "2"}
    stale = {"metadata": {"resourceVersion": "1"}, "data": {"c": "3"}}
    with pytest.raises(errors.Conflict):
        cluster.patch(reference(namespace), stale, kind="merge")


def test_metadata_only_leaves_the_rest_out(cluster: Cluster, namespace: str) -> None:
    cluster.create(config_map(namespace, a="1"))
    found = cluster.get(reference(namespace), metadata_only=True)
    assert found is not None
    assert (found["kind"], found["metadata"]["name"], "data" in found) == (
        "ConfigMap",
        "one",
        False,
    )
    items = cluster.list("v1", "ConfigMap", namespace=namespace, metadata_only=True).items
    assert {(item["apiVersion"], item["kind"]) for item in items} == {("v1", "ConfigMap")}
    assert not any("data" in item for item in items)


def test_more_than_one_page(cluster: Cluster, namespace: str) -> None:
    def make(number: int) -> Any:
        return lambda: cluster.create(config_map(namespace, f"n{number}"))

    assert all(isinstance(a, dict) for a in cluster.parallel([make(n) for n in range(501)]))
    before = cluster.stats.requests
    listing = cluster.list("v1", "ConfigMap", namespace=namespace, selector="test=yes")
    assert len({item["metadata"]["name"] for item in listing.items}) == 501
    assert cluster.stats.requests - before == 2


def test_missing_kinds_are_told_from_missing_objects(cluster: Cluster, namespace: str) -> None:
    assert cluster.get(Reference("apps/v1", "Deployment", namespace, "nothing")) is None
    # A kind of KEDA that no test installs: whether the others of its group are there makes no difference.
    scaler = Reference("keda.sh/v1alpha1", "TriggerAuthentication", namespace, "one")
    manifest = thing(scaler.api_version, scaler.kind, "one", namespace)
    for ask in (
        lambda: cluster.get(scaler),
        lambda: cluster.list(scaler.api_version, scaler.kind),
        lambda: cluster.apply(manifest, manager=MANAGER),
        lambda: cluster.delete(scaler),
        lambda: list(
            cluster.watch(scaler.api_version, scaler.kind, resource_version="0", timeout=1)
        ),
    ):
        with pytest.raises(errors.KindMissing, match="its CRD is not installed; install KEDA"):
            ask()
    with pytest.raises(errors.KindMissing, match=r"serves the kind as autoscaling/v1, autoscal"):
        cluster.get(Reference("autoscaling/v9", "HorizontalPodAutoscaler", namespace, "one"))


def test_kind_whose_definition_goes_while_it_is_listed_is_missing(
    control_plane: lab.Cluster,
) -> None:
    """What is served still names it then."""
    listed = seen("list", "deployments")
    gone = Fault(listed, refuse(404, "NotFound", "404 page not found"), times=2)
    with Proxy(control_plane, hooks=[gone]) as proxy:
        auth = {"kubeconfig": str(proxy.kubeconfig), "environment": {}}
        with connect(auth, deadline=120) as connection:
            with pytest.raises(errors.KindMissing, match="has no Deployment of apps/v1"):
                connection.list("apps/v1", "Deployment")
            assert connection.list("apps/v1", "Deployment").resource_version
    assert len(gone.struck) == 2


def test_watch_sees_changes_and_ends(cluster: Cluster, namespace: str) -> None:
    start = cluster.list("v1", "ConfigMap", namespace=namespace).resource_version
    timer = threading.Timer(0.2, lambda: cluster.create(config_map(namespace)))
    timer.start()
    began = time.monotonic()
    with cluster.watch(
        "v1",
        "ConfigMap",
        namespace=namespace,
        selector="test=yes",
        resource_version=start,
        timeout=3,
    ) as watch:
        events = list(watch)
    timer.join()
    assert 2.5 < time.monotonic() - began < 6
    added = [event.object for event in events if event.type == "ADDED"]
    assert [(item["kind"], item["metadata"]["name"]) for item in added] == [("ConfigMap", "one")]
    assert int(watch.resource_version) >= int(added[0]["metadata"]["resourceVersion"])


def test_known_kinds_need_one_request_each(proxy: Proxy, namespace: str) -> None:
    auth = {"kubeconfig": str(proxy.kubeconfig), "environment": {}}
    with connect(auth) as cluster:
        cluster.apply(config_map(namespace, a="1"), manager=MANAGER)
        cluster.list("gateway.networking.k8s.io/v1", "HTTPRoute")
        cluster.get(reference(namespace))
        assert proxy.requests == cluster.stats.requests == 3
        assert proxy.writes == cluster.stats.writes == 1


def test_no_permission_names_everything(control_plane: lab.Cluster, namespace: str) -> None:
    path = control_plane.service_account_kubeconfig("robot", namespace)
    user = f"system:serviceaccount:{namespace}:robot"
    with connect({"kubeconfig": str(path), "environment": {}}) as cluster:
        with pytest.raises(errors.Forbidden) as caught:
            cluster.list("apps/v1", "Deployment", namespace=namespace)
        assert str(caught.value) == (
            f"list Deployments in namespace {namespace}: deployments.apps is forbidden:"
            f' User "{user}" cannot list resource "deployments" in API group "apps"'
            f' in the namespace "{namespace}" (403 Forbidden);'
            f" grant that user the verb list on deployments.apps in namespace {namespace}"
        )
        assert cluster.who_am_i() == user
        assert cluster.allowed("list", "apps/v1", "Deployment", namespace) is False
        assert cluster.stats.writes == 0


def test_an_administrator_may_act_for_somebody_else(control_plane: lab.Cluster) -> None:
    auth = {
        "kubeconfig": str(control_plane.kubeconfig),
        "impersonate_user": "connection-ben",
        "impersonate_groups": ["one", "two"],
        "environment": {},
    }
    with connect(auth) as cluster:
        assert cluster.who_am_i() == "connection-ben"
        assert cluster.allowed("list", "v1", "Secret") is False


def test_a_service_account_with_host_and_api_key(
    control_plane: lab.Cluster, namespace: str, tmp_path: Any
) -> None:
    path = control_plane.service_account_kubeconfig("robot", namespace)
    access = lab_kubeconfig.read(path)
    (tmp_path / "ca").write_text(access.authority)
    variables = {
        "K8S_AUTH_HOST": access.server,
        "K8S_AUTH_API_KEY": access.token,
        "K8S_AUTH_SSL_CA_CERT": str(tmp_path / "ca"),
    }
    with connect({"environment": variables}) as cluster:
        assert cluster.who_am_i() == f"system:serviceaccount:{namespace}:robot"


def test_an_expired_token_is_said_to_be_expired(control_plane: lab.Cluster) -> None:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": 1577934245}).encode()).decode()
    token = f"eyJhbGciOiJSUzI1NiJ9.{claims.rstrip('=')}.c2lnbmF0dXJl"
    access = control_plane.access
    auth = {"host": access.server, "api_key": token, "validate_certs": False, "environment": {}}
    with connect(auth) as cluster:
        with pytest.raises(errors.Unauthorized, match="api_key expired on 2020-01-02") as caught:
            cluster.list("v1", "Pod")
        assert token not in str(caught.value)
        assert "not verified" in cluster.warnings[0]
