# SPDX-License-Identifier: GPL-3.0-or-later
"""Known kinds need no discovery, unknown ones one request, and names cannot leave their place in a path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.cluster.connection import connect
from module_utils.cluster.errors import KindMissing
from module_utils.cluster.kinds import KindFacts, facts
from module_utils.kube.reference import Reference
from tests.unit.cluster import faulty
from tests.unit.cluster.faulty import FakeTime, answer, serving, status


@pytest.mark.parametrize(
    ("api_version", "kind", "path"),
    [
        ("v1", "Secret", "/api/v1/namespaces/a/secrets/x"),
        ("v1", "Namespace", "/api/v1/namespaces/x"),
        ("apps/v1", "Deployment", "/apis/apps/v1/namespaces/a/deployments/x"),
        (
            "rbac.authorization.k8s.io/v1",
            "ClusterRole",
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/x",
        ),
        (
            "model.otterscale.io/v1alpha1",
            "ModelService",
            "/apis/model.otterscale.io/v1alpha1/namespaces/a/modelservices/x",
        ),
        (
            "inference.networking.k8s.io/v1",
            "InferencePool",
            "/apis/inference.networking.k8s.io/v1/namespaces/a/inferencepools/x",
        ),
        (
            "networking.istio.io/v1beta1",
            "DestinationRule",
            "/apis/networking.istio.io/v1beta1/namespaces/a/destinationrules/x",
        ),
    ],
)
def test_paths_of_known_kinds(api_version: str, kind: str, path: str) -> None:
    known = facts(api_version, kind)
    assert known is not None
    assert known.path("a", "x") == path


def test_role_names_with_colons_stay_readable() -> None:
    known = facts("rbac.authorization.k8s.io/v1", "ClusterRole")
    assert known is not None
    assert known.path(name="system:node").endswith("/clusterroles/system:node")


@given(namespace=st.text(min_size=1), name=st.text(min_size=1))
def test_no_name_changes_the_path(namespace: str, name: str) -> None:
    path = KindFacts("v1", "Pod", "pods").path(namespace, name)
    assert path.count("/") == 6
    assert "?" not in path
    assert "#" not in path


GROUPS = {
    "kind": "APIGroupDiscoveryList",
    "items": [
        {
            "metadata": {"name": "foo.io"},
            "versions": [
                {
                    "version": "v1",
                    "resources": [
                        {
                            "resource": "bars",
                            "responseKind": {"kind": "Bar"},
                            "scope": "Namespaced",
                        },
                        {"resource": "hubs", "responseKind": {"kind": "Hub"}, "scope": "Cluster"},
                    ],
                }
            ],
        }
    ],
}
NOT_SERVED = answer(b"404 page not found\n", 404)
NO_OBJECT = status(404, "NotFound", name="x", kind="bars")


def ask(script: faulty.Script, *references: Reference) -> list[object]:
    with connect({"host": script.url, "environment": {}}, timing=FakeTime().timing()) as cluster:
        return [_got(cluster.get, reference) for reference in references]


def _got(get: object, reference: Reference) -> object:
    try:
        return get(reference)  # type: ignore[operator]
    except KindMissing as error:
        return error


def test_unknown_kinds_cost_one_request() -> None:
    with serving(answer(GROUPS), always=NO_OBJECT) as script:
        found = ask(
            script, Reference("foo.io/v1", "Bar", "a", "x"), Reference("foo.io/v1", "Hub", "", "x")
        )
        assert found == [None, None]
        assert [seen.path for seen in script.seen] == [
            "/apis",
            "/apis/foo.io/v1/namespaces/a/bars/x",
            "/apis/foo.io/v1/hubs/x",
        ]


def test_a_kind_that_is_not_served_is_told_from_an_object_that_is_not_there() -> None:
    gateway = Reference("gateway.networking.k8s.io/v1", "Gateway", "a", "x")
    route = Reference("gateway.networking.k8s.io/v1", "HTTPRoute", "a", "x")
    with serving(NOT_SERVED, answer(GROUPS), NOT_SERVED) as script:
        first, second = ask(script, gateway, route)
        assert "install the Gateway API CRDs" in str(first)
        assert isinstance(second, KindMissing)
        assert [seen.path for seen in script.seen][1] == "/apis"
        assert len(script.seen) == 3


def test_a_kind_under_another_version_is_named() -> None:
    with serving(always=answer(GROUPS)) as script:
        (error,) = ask(script, Reference("foo.io/v2", "Bar", "a", "x"))
        assert str(error) == "the cluster has no Bar of foo.io/v2; it serves the kind as foo.io/v1"
        assert len(script.seen) == 1


def test_servers_without_the_aggregated_form_are_asked_for_the_version() -> None:
    old = answer({"kind": "APIGroupList", "groups": []})
    version = answer({"resources": [{"name": "bars", "kind": "Bar", "namespaced": True}]})
    with serving(old, version, always=NO_OBJECT) as script:
        assert ask(script, Reference("foo.io/v1", "Bar", "a", "x")) == [None]
        assert script.seen[1].path == "/apis/foo.io/v1"
