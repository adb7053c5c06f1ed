# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the proxy reads from a request."""

from __future__ import annotations

import pytest

from tests.lab.proxy_record import Resource, record, resource_of

DEPLOYMENTS = "/apis/apps/v1/namespaces/team-a/deployments"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/v1/pods", Resource("", "v1", "pods")),
        ("/api/v1/namespaces", Resource("", "v1", "namespaces")),
        ("/api/v1/namespaces/a", Resource("", "v1", "namespaces", "", "a")),
        ("/api/v1/namespaces/a/finalize", Resource("", "v1", "namespaces", "", "a", "finalize")),
        ("/api/v1/namespaces/a/pods", Resource("", "v1", "pods", "a")),
        ("/api/v1/namespaces/a/pods/p/log", Resource("", "v1", "pods", "a", "p", "log")),
        (f"{DEPLOYMENTS}/web", Resource("apps", "v1", "deployments", "team-a", "web")),
        (
            f"{DEPLOYMENTS}/web/status",
            Resource("apps", "v1", "deployments", "team-a", "web", "status"),
        ),
        ("/apis/apps/v1", Resource()),
        ("/apis", Resource()),
        ("/api/v1", Resource()),
        ("/readyz", Resource()),
        ("/", Resource()),
    ],
)
def test_path_names_resource(path: str, expected: Resource) -> None:
    assert resource_of(path) == expected


@pytest.mark.parametrize(
    ("method", "target", "content_type", "verb", "write"),
    [
        ("GET", f"{DEPLOYMENTS}?labelSelector=a%3Db", "", "list", False),
        ("GET", f"{DEPLOYMENTS}?watch=true", "", "watch", False),
        ("GET", f"{DEPLOYMENTS}/web", "", "get", False),
        ("POST", DEPLOYMENTS, "application/json", "create", True),
        ("PUT", f"{DEPLOYMENTS}/web", "application/json", "update", True),
        ("PATCH", f"{DEPLOYMENTS}/web", "application/merge-patch+json", "patch", True),
        ("PATCH", f"{DEPLOYMENTS}/web?force=true", "application/apply-patch+yaml", "apply", True),
        ("PATCH", f"{DEPLOYMENTS}/web?dryRun=All", "application/apply-patch+yaml", "apply", False),
        ("DELETE", f"{DEPLOYMENTS}/web", "", "delete", True),
        ("DELETE", DEPLOYMENTS, "", "deletecollection", True),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", "create", False),
        ("GET", "/version", "", "get", False),
    ],
)
def test_verb_and_write(
    method: str, target: str, content_type: str, verb: str, write: bool
) -> None:
    made = record(1, method, target, {"Content-Type": content_type}, b"")
    assert (made.verb, made.is_write) == (verb, write)


def test_body_is_data_only_where_it_is_json() -> None:
    assert record(1, "POST", "/api/v1/pods", {}, b'{"a": 1}').json == {"a": 1}
    assert record(1, "POST", "/api/v1/pods", {}, b"a: 1").json is None
    assert record(1, "GET", "/api/v1/pods", {}, b"").json is None
