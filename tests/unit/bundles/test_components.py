# SPDX-License-Identifier: GPL-3.0-or-later
"""From which release to which a component may go."""

from __future__ import annotations

import pytest

from module_utils.bundles.components import COMPONENTS, refused_release
from module_utils.kube.apply_order import set_stage
from module_utils.kube.reference import Reference


@pytest.mark.parametrize(
    ("component", "new", "old", "rule"),
    [
        ("kserve", "v0.17.1", "v0.17.0", ""),
        ("kserve", "v0.18.0", "v0.17.1", ""),
        ("kserve", "v0.19.0", "v0.17.1", "skipped-release"),
        ("kserve", "v1.0.0", "v0.20.0", ""),
        ("kserve", "v0.16.0", "v0.17.0", "downgrade"),
        ("lws", "v0.9.0", "v0.7.0", ""),
        ("gateway_api", "v1.4.1", "v1.5.0", "downgrade"),
        ("model_operator", "v0.9.0-alpha.2", "v0.9.0", "downgrade"),
        ("kserve", "main", "v0.17.0", ""),
        ("kserve", "v0.19.0", "", ""),
        ("", "v1", "v2", ""),
    ],
)
def test_downgrades_and_skipped_releases_are_refused(
    component: str, new: str, old: str, rule: str
) -> None:
    found = [each.rule for each in refused_release(COMPONENTS.get(component), new, old)]
    assert found == ([rule] if rule else [])


def test_every_component_that_is_needed_exists() -> None:
    for component in COMPONENTS.values():
        named = [name for brought in component.made_for.values() for name in brought]
        assert {*component.needs.values(), *named} <= COMPONENTS.keys()


@pytest.mark.parametrize(
    ("version", "beneath"),
    [
        ("v0.16.0", {}),
        ("v0.17.1", {"gateway_api": "v1.4.1", "inference_extension": "v1.3.0", "lws": "v0.7.0"}),
        ("v0.19.0", {"gateway_api": "v1.4.1", "inference_extension": "v1.3.1", "lws": "v0.8.0"}),
        ("v0.20.0", {"gateway_api": "v1.5.1", "inference_extension": "v1.5.0", "lws": "v0.8.0"}),
        ("v0.21.0", {"gateway_api": "v1.5.1", "inference_extension": "v1.5.0", "lws": "v0.10.0"}),
        ("main", {}),
        ("", {}),
    ],
)
def test_a_release_of_kserve_stands_on_releases_of_others(
    version: str, beneath: dict[str, str]
) -> None:
    found = COMPONENTS["kserve"].stands_on(version)
    assert found == ({"cert_manager": "v1.17.0", **beneath} if beneath else {})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("apiextensions.k8s.io/v1", "CustomResourceDefinition"), ("v1", "Namespace")),
        (("v1", "Namespace"), ("v1", "ServiceAccount")),
        (("rbac.authorization.k8s.io/v1", "Role"), ("rbac.authorization.k8s.io/v1", "RoleBinding")),
        (("v1", "Service"), ("cert-manager.io/v1", "Certificate")),
        (("cert-manager.io/v1", "Certificate"), ("apps/v1", "Deployment")),
        (
            ("apps/v1", "DaemonSet"),
            ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
        ),
        (
            ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
            ("a.example.com/v1", "A"),
        ),
    ],
)
def test_what_others_stand_on_comes_first(before: tuple[str, str], after: tuple[str, str]) -> None:
    def stage(kind: tuple[str, str]) -> int:
        return set_stage(Reference(*kind, "", "x"))

    assert stage(before) < stage(after)


@pytest.mark.parametrize(
    ("version", "needed"), [("v0.17.0", True), ("v0.19.1", True), ("v0.20.0", False), ("", False)]
)
def test_both_pools_are_needed_until_a_release_that_needs_one(version: str, needed: bool) -> None:
    kinds = [str(kind) for kind in COMPONENTS["kserve_llmisvc"].needed(version)]
    assert "InferencePool.inference.networking.k8s.io" in kinds
    assert ("InferencePool.inference.networking.x-k8s.io" in kinds) is needed
