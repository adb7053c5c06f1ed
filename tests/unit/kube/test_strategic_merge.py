# SPDX-License-Identifier: GPL-3.0-or-later
"""One object over another, as Kubernetes merges them."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kube.manifest import Json
from module_utils.kube.pod_merge_keys import POD_SPEC, as_go_writes
from module_utils.kube.strategic_merge import MergeError, Shape, merge


def named(*names: str) -> list[Json]:
    return [{"name": name} for name in names]


MERGES: dict[str, tuple[Json, Json, Json]] = {
    "maps are merged key by key": (
        {"nodeSelector": {"a": "1", "b": "2"}},
        {"nodeSelector": {"b": "3"}},
        {"nodeSelector": {"a": "1", "b": "3"}},
    ),
    "other lists are replaced": (
        {"tolerations": [{"key": "team"}]},
        {"tolerations": [{"key": "gpu"}]},
        {"tolerations": [{"key": "gpu"}]},
    ),
    "a null takes a field away": (
        {"hostname": "a", "subdomain": "b"},
        {"hostname": None},
        {"subdomain": "b"},
    ),
    "a null takes nothing away where there is nothing": (
        {},
        {"securityContext": {"runAsUser": None, "fsGroup": 1}},
        {"securityContext": {"fsGroup": 1}},
    ),
    "false and zero are values": (
        {"terminationGracePeriodSeconds": 30},
        {"terminationGracePeriodSeconds": 0},
        {"terminationGracePeriodSeconds": 0},
    ),
    "containers are known by name, their ports by number, mounts by path": (
        {
            "containers": [
                {
                    "name": "main",
                    "image": "a",
                    "ports": [{"containerPort": 80, "name": "x"}],
                    "volumeMounts": [{"mountPath": "/a", "name": "v"}],
                }
            ]
        },
        {
            "containers": [
                {
                    "name": "main",
                    "ports": [{"containerPort": 80, "name": "y"}],
                    "volumeMounts": [{"mountPath": "/b", "name": "v"}],
                }
            ]
        },
        {
            "containers": [
                {
                    "name": "main",
                    "image": "a",
                    "ports": [{"containerPort": 80, "name": "y"}],
                    "volumeMounts": [
                        {"mountPath": "/b", "name": "v"},
                        {"mountPath": "/a", "name": "v"},
                    ],
                }
            ]
        },
    ),
    "an empty list keeps what is there": (
        {"containers": named("a")},
        {"containers": []},
        {"containers": named("a")},
    ),
}

#: base, over, result: names of items of a keyed list.
ORDERS = [
    (["a", "z"], ["b", "z"], ["b", "a", "z"]),
    (["busybox"], ["busybox-2"], ["busybox-2", "busybox"]),
    (["x", "y"], ["y"], ["x", "y"]),
    (["x", "y"], ["y", "x"], ["y", "x"]),
    (["a", "b", "c"], ["c", "n"], ["a", "b", "c", "n"]),
    ([], ["b", "a"], ["b", "a"]),
]


@pytest.mark.parametrize("name", MERGES)
def test_parts_are_merged_as_kubernetes_does(name: str) -> None:
    base, over, wanted = MERGES[name]
    assert merge(base, over, POD_SPEC) == wanted


@pytest.mark.parametrize(("base", "over", "wanted"), ORDERS)
def test_items_come_in_the_order_of_kubernetes(
    base: list[str], over: list[str], wanted: list[str]
) -> None:
    merged = merge({"volumes": named(*base)}, {"volumes": named(*over)}, POD_SPEC)
    assert [volume["name"] for volume in merged["volumes"]] == wanted


def test_a_volume_of_another_kind_keeps_both_sources() -> None:
    base = {"volumes": [{"name": "v", "emptyDir": {}}]}
    merged = merge(base, {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}, POD_SPEC)
    assert merged["volumes"] == [{"name": "v", "emptyDir": {}, "hostPath": {"path": "/"}}]


def test_an_item_without_its_key_is_an_error() -> None:
    with pytest.raises(MergeError, match="declared merge key: name"):
        merge({"volumes": named("a")}, {"volumes": [{"emptyDir": {}}]}, POD_SPEC)


def test_raw_json_cannot_be_merged_below_its_first_level() -> None:
    shape = Shape(raw="RawExtension")
    assert merge({"kind": "a"}, {"kind": "b", "plugins": []}, shape) == {"kind": "b", "plugins": []}
    with pytest.raises(MergeError, match='struct RawExtension for the json field "plugins"'):
        merge({"plugins": []}, {"plugins": []}, shape)


names = st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)


@given(names, names)
def test_no_item_is_lost_and_nothing_is_changed_in_place(base: list[str], over: list[str]) -> None:
    left, right = {"volumes": named(*base)}, {"volumes": named(*over)}
    before = copy.deepcopy((left, right))
    merged = merge(left, right, POD_SPEC).get("volumes", [])
    found = [volume["name"] for volume in merged]
    assert sorted(found) == sorted({*base, *over})
    assert [name for name in found if name in over] == over
    assert [name for name in found if name not in over] == [
        name for name in base if name not in over
    ]
    assert (left, right) == before


def test_nulls_of_a_new_part_are_dropped_also_in_lists() -> None:
    new = {"a": None, "list": [None, {"b": None, "c": [{"d": None}]}]}
    assert merge({}, {"part": new}) == {"part": {"list": [None, {"c": [{}]}]}}


@given(names)
def test_nothing_over_something_is_that(base: list[str]) -> None:
    pod = {"volumes": named(*base)}
    assert merge(pod, {}, POD_SPEC) == pod == merge({}, pod, POD_SPEC) == merge(pod, pod, POD_SPEC)


WRITTEN: dict[str, tuple[Json, Json]] = {
    "nulls and empty texts": ({"a": None, "image": "", "group": ""}, {"group": ""}),
    "numbers that are no pointers": (
        {"periodSeconds": 0, "replicas": 0, "readOnly": False, "optional": False},
        {"replicas": 0, "optional": False},
    ),
    "what somebody named may be empty": ({"labels": {"a": ""}}, {"labels": {"a": ""}}),
    "quantities": (
        {"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}, "sizeLimit": "0.5Gi"},
        {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}, "sizeLimit": "512Mi"},
    ),
    "arguments stay": ({"args": ["", "a"]}, {"args": ["", "a"]}),
    "raw JSON stays": (
        {"config": {"inline": {"a": None, "b": ""}}},
        {"config": {"inline": {"a": None, "b": ""}}},
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_values_are_written_as_go_writes_them(name: str) -> None:
    given_value, wanted = WRITTEN[name]
    assert as_go_writes(given_value) == wanted
