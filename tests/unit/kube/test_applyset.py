# SPDX-License-Identifier: GPL-3.0-or-later
"""What marks a set, as KEP-3659 has it."""

from __future__ import annotations

from pathlib import Path

import yaml

from module_utils.kube.applyset import TOOLING, GroupKind, group_kinds_text, namespaces_text, set_id
from module_utils.kube.reference import Reference

PARENT = Reference("v1", "ConfigMap", "default", "demo")


def test_the_id_is_a_label_value_that_depends_on_the_whole_name() -> None:
    assert set_id(PARENT) == "applyset-6dAHdOng1govwjgvU19ChjzFH8yFbMYk2yCB2_KxvME-v1"
    others = [PARENT._replace(name="d"), PARENT._replace(namespace="x"), PARENT._replace(kind="Y")]
    assert len({set_id(each) for each in [PARENT, *others]}) == 4


def test_kinds_and_namespaces_are_written_sorted_and_read_back() -> None:
    kinds = [
        GroupKind("apps", "Deployment"),
        GroupKind("", "ConfigMap"),
        GroupKind("", "ConfigMap"),
    ]
    text = group_kinds_text(kinds)
    assert text == "ConfigMap,Deployment.apps"
    assert {GroupKind.parse(each) for each in text.split(",")} == set(kinds)
    assert namespaces_text(["b", "default", "", "a"], PARENT) == "a,b"


def test_the_tool_names_the_version_of_the_collection() -> None:
    galaxy = yaml.safe_load((Path(__file__).parents[3] / "galaxy.yml").read_text(encoding="utf-8"))
    assert f"modelops.inference/v{galaxy['version']}" == TOOLING
