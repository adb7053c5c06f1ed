# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors name the thing, the verb and what to do, and never a secret. The Status objects are those of a server 1.36.3."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.cluster.call import Answer, Call
from module_utils.cluster.errors import Conflict, FieldConflict, Invalid, KindMissing, ServerError
from module_utils.cluster.kinds import facts
from module_utils.cluster.status import refusal
from module_utils.kube.reference import Reference


def call(kind: str = "Deployment", api_version: str = "apps/v1", verb: str = "patch") -> Call:
    reference = Reference(api_version, kind, "team-a", "qwen")
    return Call(
        verb=verb,
        method="PATCH",
        path="/x",
        subject=f"apply {reference}",
        facts=facts(api_version, kind),
        reference=reference,
    )


def said(code: int, body: Any) -> Answer:
    return Answer(code, {}, body if isinstance(body, bytes) else json.dumps(body).encode())


def status(code: int, reason: str, message: str, **details: Any) -> Answer:
    return said(code, {"kind": "Status", "reason": reason, "message": message, "details": details})


def test_conflict_names_fields_and_managers() -> None:
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "kubectl-client-side-apply" using apps/v1',
            "field": ".spec.replicas",
        },
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "hpa" with subresource "scale" using apps/v1',
            "field": '.spec.template.spec.containers[name="main"].image',
        },
    ]
    message = "Apply failed with 2 conflicts: …"
    error = refusal(call(), status(409, "Conflict", message, causes=causes))
    assert isinstance(error, Conflict)
    assert error.conflicts == (
        FieldConflict(".spec.replicas", "kubectl-client-side-apply", causes[0]["message"]),
        FieldConflict(
            '.spec.template.spec.containers[name="main"].image', "hpa", causes[1]["message"]
        ),
    )


def test_forbidden_names_verb_resource_namespace_and_user() -> None:
    message = (
        'deployments.apps "qwen" is forbidden: User "ann" cannot patch resource "deployments"'
        ' in API group "apps" in the namespace "team-a"'
    )
    error = refusal(call(), status(403, "Forbidden", message))
    assert str(error) == (
        f"apply Deployment team-a/qwen: {message} (403 Forbidden);"
        " grant that user the verb patch on deployments.apps in namespace team-a"
    )


def test_a_schema_error_with_status_500_is_invalid() -> None:
    message = "failed to create typed patch object (a/b; apps/v1): .spec.x: field not declared"
    assert isinstance(refusal(call(), status(500, "", message)), Invalid)


@pytest.mark.parametrize(
    ("code", "body"),
    [(502, b"<html><body>Bad Gateway</body></html>"), (503, b""), (500, b"[1, 2]")],
)
def test_answers_of_proxies_are_no_traceback(code: int, body: bytes) -> None:
    error = refusal(call(), said(code, body))
    assert isinstance(error, ServerError)
    assert error.status == code
    assert "<html>" not in str(error)


@pytest.mark.parametrize(
    "details", [None, "x", {"causes": None}, {"causes": [None, "x", {"field": None}]}]
)
def test_a_strange_status_is_no_traceback(details: Any) -> None:
    body = {"kind": "Status", "reason": "Invalid", "message": "m", "details": details}
    assert "m (422 Invalid)" in str(refusal(call(), said(422, body)))


@pytest.mark.parametrize(
    ("code", "reason"),
    [(422, "Invalid"), (400, "BadRequest"), (500, "InternalError"), (403, "Forbidden")],
)
def test_what_a_server_says_about_a_secret_is_not_shown(code: int, reason: str) -> None:
    causes = [{"reason": "FieldValueInvalid", "message": "hunter2 is bad", "field": "data[key]"}]
    answer = status(code, reason, 'Invalid value: "hunter2"', causes=causes)
    error = refusal(call("Secret", "v1"), answer)
    assert "hunter2" not in repr((str(error), error.details, error.message))
    assert "data[key]" in str(error)


def test_names_in_errors_about_secrets_are_shown() -> None:
    error = refusal(call("Secret", "v1"), status(404, "NotFound", 'secrets "qwen" not found'))
    assert 'secrets "qwen" not found' in str(error)


def test_a_missing_kind_says_how_to_get_it() -> None:
    missing = KindMissing("keda.sh/v1alpha1", "ScaledObject", (), "install KEDA")
    assert str(missing) == (
        "the cluster has no ScaledObject of keda.sh/v1alpha1: its CRD is not installed; install KEDA"
    )


def test_a_kind_of_another_version_says_which() -> None:
    missing = KindMissing("g/v1", "Route", ("g/v1beta1",), "install G")
    assert str(missing) == "the cluster has no Route of g/v1; it serves the kind as g/v1beta1"
