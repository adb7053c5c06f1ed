# SPDX-License-Identifier: GPL-3.0-or-later
"""Field ownership as the API server records it is read right, in every form of the grammar."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.kube import managed_fields
from module_utils.kube.manifest import Json
from tests.objects import thing

ENV_FIRST = 'k:{"name":"FIRST"}'
PORT = 'k:{"containerPort":8000,"protocol":"TCP"}'
ITEM: Json = {".": {}, "f:name": {}, "f:value": {}}


def _live(*entries: Json) -> Json:
    return {"metadata": {"managedFields": list(entries)}}


def _entry(manager: str = "ours", operation: str = "Apply", **more: Any) -> Json:
    return {"manager": manager, "operation": operation, "fieldsV1": {"f:data": {}}, **more}


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ([_entry()], True),
        ([_entry("theirs"), _entry()], True),
        ([_entry(subresource="")], True),
        ([_entry(operation="Update")], False),
        ([_entry("theirs")], False),
        ([_entry("ours.status")], False),
        ([_entry(subresource="status")], False),
        ([{}], False),
        ([], False),
    ],
)
def test_only_our_own_apply_of_the_object_itself_counts(entries: list[Json], found: bool) -> None:
    assert (managed_fields.apply_entry(_live(*entries), "ours") is not None) is found


def test_object_without_managed_fields_has_no_apply_of_anybody() -> None:
    assert managed_fields.apply_entry({"metadata": {}}, "ours") is None
    assert managed_fields.apply_entry({"metadata": {"managedFields": None}}, "ours") is None


def test_status_that_we_applied_is_found_by_its_subresource() -> None:
    status = _entry(subresource="status")
    assert managed_fields.apply_entry(_live(_entry(), status), "ours", "status") == status


def test_what_identifies_an_object_is_never_owned() -> None:
    manifest = thing(
        "v1",
        "ConfigMap",
        "a",
        "b",
        metadata={"labels": {"c": "d"}},
        data={"name": "x", "kind": "y"},
    )
    assert managed_fields.tracked(manifest) == {
        "metadata": {"labels": {"c": "d"}},
        "data": {"name": "x", "kind": "y"},
    }


def test_manifest_with_a_name_alone_owns_nothing() -> None:
    assert not managed_fields.tracked(
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a", "namespace": "b"}}
    )


@pytest.mark.parametrize(
    ("key", "item", "exact", "defaulted"),
    [
        ({"name": "a"}, {"name": "a", "x": 1}, True, True),
        ({"name": "a"}, {"name": "b"}, False, False),
        ({"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80}, False, True),
        ({"containerPort": 80, "protocol": "TCP"}, {"protocol": "TCP"}, False, True),
        (
            {"containerPort": 80, "protocol": "UDP"},
            {"containerPort": 80, "protocol": "TCP"},
            False,
            False,
        ),
        ({"port": 80}, {"port": "80"}, False, False),
        ({"name": "a"}, "a", False, False),
        ({"name": "a"}, None, False, False),
    ],
)
def test_list_item_is_found_by_its_key(key: Json, item: Any, exact: bool, defaulted: bool) -> None:
    assert managed_fields.matches(key, item) is exact
    assert managed_fields.matches(key, item, defaulted=True) is defaulted


@pytest.mark.parametrize(
    ("value", "fields", "part"),
    [
        ({"a": 1, "b": 2}, {"f:a": {}}, {"a": 1}),
        ({"a": 1}, {"f:a": {}, "f:gone": {}}, {"a": 1}),
        ({"a": {"b": 1, "c": 2}}, {"f:a": {}}, {"a": {"b": 1, "c": 2}}),
        ({"a": {"b": 1, "c": 2}}, {"f:a": {".": {}}}, {"a": {"b": 1, "c": 2}}),
        ({"a": {"b": 1, "c": 2}}, {"f:a": {".": {}, "f:b": {}}}, {"a": {"b": 1}}),
        ({"a": [1, 2]}, {"f:a": {}}, {"a": [1, 2]}),
        (
            [{"name": "FIRST", "value": "1"}, {"name": "OTHER", "value": "2"}],
            {ENV_FIRST: ITEM},
            [{"name": "FIRST", "value": "1"}],
        ),
        (
            [{"name": "FIRST", "value": "1", "theirs": 1}],
            {ENV_FIRST: {".": {}, "f:value": {}}},
            [{"value": "1", "name": "FIRST"}],
        ),
        (
            [
                {"containerPort": 8000, "protocol": "UDP"},
                {"containerPort": 8000, "protocol": "TCP"},
            ],
            {PORT: {".": {}, "f:containerPort": {}}},
            [{"containerPort": 8000, "protocol": "TCP"}],
        ),
        (["x", "y", "z"], {'v:"x"': {}, 'v:"z"': {}}, ["x", "z"]),
        (["größe", "<&>"], {'v:"größe"': {}, 'v:"\\u003c\\u0026\\u003e"': {}}, ["größe", "<&>"]),
        ([1, 2, 3], {"v:2": {}, "v:3": {}}, [2, 3]),
        ("text", {"f:was-a-map": {}}, "text"),
        (None, {"f:a": {}}, None),
    ],
)
def test_part_of_an_object_that_is_owned(value: Any, fields: Json, part: Any) -> None:
    assert managed_fields.project(value, fields) == part


ATOMIC: Json = {"properties": {"a": {"x-kubernetes-map-type": "atomic"}}}
KEYED: Json = {"properties": {"a": {"properties": {"b": {"x-kubernetes-list-type": "map"}}}}}


@pytest.mark.parametrize(
    ("value", "fields", "schema", "sent"),
    [
        ({"a": 1, "default": 2}, {"f:a": {}}, {}, {"a": 1}),
        ({"a": {"default": 1}}, {"f:a": {}}, {}, {"a": {}}),
        ({"a": {"b": 1}}, {"f:a": {}}, ATOMIC, {"a": {"b": 1}}),
        ({"a": {"b": 1, "default": 2}}, {"f:a": {"f:b": {}}}, {}, {"a": {"b": 1}}),
        ({"a": [{"b": 1}]}, {"f:a": {}}, {}, {"a": [{"b": 1}]}),
        # An empty list of keyed items leaves no mark, nor does a map of them.
        ({"a": {"b": []}, "c": 1}, {"f:c": {}}, KEYED, {"a": {"b": []}, "c": 1}),
        ({"a": {"b": [], "default": 1}, "c": 1}, {"f:c": {}}, KEYED, {"c": 1}),
        ({"a": {"b": []}}, {"f:a": {}}, KEYED, {"a": {"b": []}}),
        ({"a": {"b": [], "c": 1}}, {"f:a": {"f:c": {}}}, KEYED, {"a": {"b": [], "c": 1}}),
        ({"a": 1}, {"f:a": {}, "f:gone": {}}, {}, {"a": 1}),
        (
            {"m": {"x": {"b": 1}}},
            {"f:m": {"f:x": {}}},
            {"properties": {"m": {"additionalProperties": ATOMIC["properties"]["a"]}}},
            {"m": {"x": {"b": 1}}},
        ),
        (
            {"m": {"x": {"default": 1}}},
            {"f:m": {"f:x": {}}},
            {"properties": {"m": {"additionalProperties": True}}},
            {"m": {"x": {}}},
        ),
        (
            [{"name": "FIRST", "value": "1", "default": 2}, {"name": "OTHER"}],
            {ENV_FIRST: ITEM},
            {},
            [{"name": "FIRST", "value": "1"}],
        ),
        (["x", "y"], {'v:"x"': {}}, {}, ["x"]),
    ],
)
def test_what_was_sent_is_told_from_what_the_server_added(
    value: Any, fields: Json, schema: Json, sent: Any
) -> None:
    assert managed_fields.authored(value, fields, schema) == sent


def test_items_keep_their_order_in_the_object_not_in_the_record() -> None:
    fields: Json = {'k:{"name":"a"}': {}, 'k:{"name":"b"}': {}}
    items = [{"name": "b"}, {"name": "a"}]
    assert managed_fields.project(items, fields) == items


def test_leaves_are_named_as_people_write_paths() -> None:
    fields: Json = {
        "f:spec": {
            "f:replicas": {},
            "f:selector": {},
            "f:env": {ENV_FIRST: ITEM},
            "f:ports": {PORT: {".": {}}},
        },
        "f:metadata": {"f:finalizers": {".": {}, 'v:"a/b"': {}}},
    }
    assert sorted(managed_fields.leaves(fields)) == [
        'metadata.finalizers["a/b"]',
        "spec.env[name=FIRST].name",
        "spec.env[name=FIRST].value",
        "spec.ports[containerPort=8000,protocol=TCP]",
        "spec.replicas",
        "spec.selector",
    ]


def test_items_of_sets_are_read_however_the_server_escapes_them() -> None:
    value = 'quote " <&> é 日本'
    plain = f"v:{json.dumps(value, ensure_ascii=False)}"
    for step in (plain, f"v:{json.dumps(value)}", plain.replace("&", "\\u0026")):
        assert managed_fields.set_items({".": {}, step: {}}) == [value]
