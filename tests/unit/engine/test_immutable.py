# SPDX-License-Identifier: GPL-3.0-or-later
"""A field that the API server never lets change is found before the write that it would refuse."""

from __future__ import annotations

import pytest

from module_utils.engine.immutable import FIELDS, immutable_field, made_anew
from module_utils.kube.manifest import Json

from .recorded import case, cases

ROLE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"}


def _deployment(**labels: str) -> Json:
    return {"kind": "Deployment", "spec": {"selector": {"matchLabels": labels}, "replicas": 1}}


def _binding(**role: str) -> Json:
    return {"kind": "RoleBinding", "roleRef": {**ROLE, **role}}


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (_deployment(a="x"), _deployment(a="x"), ()),
        (_deployment(a="x"), {**_deployment(a="x"), "spec": {"replicas": 2}}, ()),
        (_deployment(a="x"), _deployment(a="y"), ("spec.selector", '{"a":"y"}', '{"a":"x"}')),
        (_deployment(a="x"), _deployment(a="x", b="y"), ("spec.selector", "pods end and start")),
        (_binding(), _binding(), ()),
        (_binding(name="a"), _binding(name="b"), ("roleRef", "recreate: [RoleBinding]", "rights")),
        ({**_binding(), "kind": "ClusterRoleBinding"}, _binding(kind="Role"), ()),
        (
            {**_binding(name="x"), "kind": "ClusterRoleBinding"},
            _binding(),
            ("recreate: [ClusterRoleBinding]",),
        ),
        ({"kind": "ConfigMap", "data": {"a": "x"}}, {"kind": "ConfigMap", "data": {"a": "y"}}, ()),
        (_deployment(a="x"), {"kind": "Deployment", "metadata": {}}, ()),
        (_deployment(a="x"), {"kind": "Deployment", "spec": None}, ()),
    ],
)
def test_difference_names_field_values_and_what_to_permit(
    ours: Json, theirs: Json, said: tuple[str, ...]
) -> None:
    found = immutable_field(ours, theirs)
    assert (found is None) is (said == ())
    told = f"{found}; {made_anew(ours['kind'])}"
    assert all(text in told for text in said), told


def test_what_the_server_stored_is_no_difference() -> None:
    known = [each for each in cases("service") if each.desired.reference.kind in FIELDS]
    assert {each.desired.reference.kind for each in known} == set(FIELDS)
    assert not [
        each for each in known if immutable_field(each.desired.manifest(each.uid), each.live)
    ]


def test_change_that_the_server_permits_is_none() -> None:
    known = case("changed", "somebody changes the image")
    assert immutable_field(known.desired.manifest(known.uid), known.live) is None
