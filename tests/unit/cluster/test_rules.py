# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of a review are read as the API server reads them."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.cluster.rules import Rules


def rules(*given: dict[str, Any], incomplete: bool = False) -> Rules:
    return Rules.of({"status": {"resourceRules": list(given), "incomplete": incomplete}})


def rule(verbs: str, groups: str, resources: str, *names: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "verbs": verbs.split(),
        "apiGroups": ["" if group == "core" else group for group in groups.split()],
        "resources": resources.split(),
    }
    return {**found, "resourceNames": list(names)} if names else found


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        (rule("patch", "apps", "deployments"), True),
        (rule("*", "*", "*"), True),
        (rule("get list patch", "core apps", "pods deployments"), True),
        (rule("get", "apps", "deployments"), False),
        (rule("patch", "core", "deployments"), False),
        (rule("patch", "apps", "deployments/status"), False),
        (rule("patch", "apps", "deployments", "chat"), True),
        (rule("patch", "apps", "deployments", "other"), False),
        ({"verbs": ["patch"]}, False),
    ],
)
def test_rule_allows_only_what_it_names(given: dict[str, Any], allowed: bool) -> None:
    assert rules(given).allow("patch", "apps", "deployments", "chat") is allowed


@pytest.mark.parametrize(
    ("resources", "allowed"),
    [("services/status", True), ("*/status", True), ("*", True), ("services", False)],
)
def test_subresource_is_a_right_of_its_own(resources: str, allowed: bool) -> None:
    found = rules(rule("patch", "core", resources))
    assert found.allow("patch", "", "services/status", "chat") is allowed


def test_rules_that_are_incomplete_say_so() -> None:
    assert rules().complete
    assert not rules(incomplete=True).complete
