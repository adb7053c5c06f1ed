# SPDX-License-Identifier: GPL-3.0-or-later
"""Which managers a bundle of KServe brings, and what each of its releases works with."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.bundles.managers import (
    CONTROLLER_MANAGER,
    LLMISVC_MANAGER,
    LOCALMODEL_MANAGER,
    LWS_MANAGER,
    NODE_AGENT,
    managers_of,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.crds import definition
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.tools.controllers_cluster import recorded

Json = dict[str, Any]
KSERVE = (CONTROLLER_MANAGER, LLMISVC_MANAGER, LOCALMODEL_MANAGER, NODE_AGENT)


def test_the_recorded_bundle_has_all_that_its_managers_work_with() -> None:
    bundle = recorded("bundle-synthetic")
    there = {Reference.of(each): each for each in bundle}
    found = managers_of(bundle)
    assert set(found) == set(KSERVE)
    webhooks = {each for each in there if each.kind.endswith("WebhookConfiguration")}
    assert webhooks == {hook.reference for m in found for hook in m.webhooks_at("v0.17.0")}
    crds = {each for each in there if each.name.endswith(".serving.kserve.io")} - webhooks
    assert crds == {kind.crd for manager in found for kind in manager.kinds_at("v0.17.0")}
    for kind in (kind for manager in found for kind in manager.kinds_at("v0.17.0")):
        defined = definition(there[kind.crd])
        assert defined is not None
        assert (set(defined.versions), defined.storage) == (set(kind.versions), kind.storage)


def test_managers_choose_a_leader_as_the_bundle_starts_them() -> None:
    bundle = recorded("bundle-synthetic")
    workloads = {
        each["metadata"]["name"]: each for each in bundle if each["apiVersion"] == "apps/v1"
    }
    chosen = {each.workload for each in KSERVE if each.chooses(workloads[each.workload])}
    assert chosen == {CONTROLLER_MANAGER.workload, LLMISVC_MANAGER.workload}


@pytest.mark.parametrize(
    ("args", "chooses"),
    [
        (["--leader-elect"], True),
        (["--leader-elect=true"], True),
        (["--leader-elect=false"], False),
        ([], False),
    ],
)
def test_a_manager_of_kserve_chooses_a_leader_only_where_it_is_told_to(
    args: list[str], chooses: bool
) -> None:
    live = {"spec": {"template": {"spec": {"containers": [{"name": "manager", "args": args}]}}}}
    assert LLMISVC_MANAGER.chooses(live) is chooses
    assert LWS_MANAGER.chooses(live)


@pytest.mark.parametrize(
    ("version", "caches", "defaulter"),
    [
        ("", False, False),
        ("v0.17.1", False, False),
        ("v0.18.0", True, False),
        ("v0.19.0", True, True),
    ],
)
def test_what_came_with_a_release_is_wanted_from_it_on(
    version: str, caches: bool, defaulter: bool
) -> None:
    kinds = {each.plural for each in LOCALMODEL_MANAGER.kinds_at(version)}
    webhooks = {each.kind for each in LLMISVC_MANAGER.webhooks_at(version)}
    assert ("localmodelnamespacecaches" in kinds, "Mutating" in webhooks) == (caches, defaulter)
