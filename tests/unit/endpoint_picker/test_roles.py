# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters of a disaggregated configuration and the roles of the pool's pods have to agree, as the release reads them."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.endpoint_picker.check import check_document
from module_utils.endpoint_picker.presets import preset
from module_utils.endpoint_picker.releases import release_of
from module_utils.endpoint_picker.roles import role_findings


def deployment(role: str | None, **labels: str) -> dict[str, Any]:
    """Return a Deployment whose pods have a role."""
    both = {"app": "chat", **labels, **({"llm-d.ai/role": role} if role else {})}
    return {"kind": "Deployment", "spec": {"template": {"metadata": {"labels": both}}}}


POOL = {"spec": {"selector": {"matchLabels": {"app": "chat"}}}}


def rules(target: str, name: str, *workloads: dict[str, Any], pooled: bool = True) -> list[str]:
    """Return the rules of what was found. pooled: whether there is a pool, which selects some of them."""
    release = release_of(target)
    report = check_document(preset(name, release), release)
    return [
        finding.rule
        for finding in role_findings(workloads, POOL if pooled else None, report, release)
    ]


@pytest.mark.parametrize(
    ("target", "roles", "found"),
    [
        ("llmd:0.9", ["prefill", "decode"], []),
        ("llmd:0.9", ["prefill", None], []),
        ("llmd:0.9", ["prefill-decode"], []),
        ("llmd:0.9", ["both"], []),
        ("llmd:0.6", ["prefill", "both"], []),
        # Until 0.6 the filter of prefill does not take pods that do both.
        ("llmd:0.6", ["both"], ["role-without-pods"]),
        ("llmd:0.6", ["prefill-decode"], ["role-without-pods"] * 2 + ["role-without-filter"]),
        ("llmd:0.9", ["decode"], ["role-without-pods"]),
        ("llmd:0.9", ["prefill"], ["role-without-pods"]),
        ("llmd:0.9", ["prefill", "decode", "encode"], ["role-without-filter"]),
        ("llmd:0.9", [], []),
    ],
)
def test_each_profile_needs_pods_of_its_role(
    target: str, roles: list[str | None], found: list[str]
) -> None:
    assert rules(target, "pd", *map(deployment, roles)) == found


@pytest.mark.parametrize(
    ("roles", "found"),
    [
        (["prefill", "decode"], ["role-unused"]),
        (["prefill", None], ["role-unused"]),
        (["encode", "prefill", "both"], ["role-unused"]),
        (["prefill"], []),
        (["both", "decode"], []),
    ],
)
def test_pods_of_one_stage_need_a_filter_that_keeps_them_apart(
    roles: list[str | None], found: list[str]
) -> None:
    assert rules("llmd:0.9", "default", *map(deployment, roles)) == found


def test_roles_do_not_matter_where_no_filter_looks_at_them() -> None:
    assert rules("llmd:0.9", "default", deployment("encode")) == []


def test_only_pods_of_the_pool_count() -> None:
    elsewhere = deployment("prefill", app="other")
    assert rules("llmd:0.9", "pd", deployment("decode"), elsewhere) == ["role-without-pods"]
    assert rules("llmd:0.9", "pd", deployment("decode"), elsewhere, pooled=False) == []
    assert rules("llmd:0.9", "pd", elsewhere) == ["pool-without-pods"]


def test_pods_and_leaders_of_groups_are_read_too() -> None:
    pod = {"kind": "Pod", "metadata": {"labels": {"app": "chat", "llm-d.ai/role": "prefill"}}}
    template = deployment("decode")["spec"]["template"]
    group = {
        "kind": "LeaderWorkerSet",
        "spec": {"leaderWorkerTemplate": {"leaderTemplate": template, "workerTemplate": {}}},
    }
    assert rules("llmd:0.9", "pd", pod, group) == []
