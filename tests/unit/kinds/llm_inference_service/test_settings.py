# SPDX-License-Identifier: GPL-3.0-or-later
"""The task's settings as the environment of KServe's controller."""

from __future__ import annotations

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.releases import BACKING
from module_utils.kinds.llm_inference_service.settings import Settings, make_settings
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError
from module_utils.kube.release import newest_proved

#: Options → what is told, by field.
WRONG: dict[str, tuple[Json, dict[str, str], list[str]]] = {
    "an unknown release": (
        {},
        {"kserve": "0.16"},
        ["releases.kserve", "auto, 0.17 (proved), 0.18 ("],
    ),
    "a release that nobody knows yet": (
        {},
        {"kserve": "0.99"},
        ["auto, 0.17 (proved), 0.18 ("],
    ),
    "a namespace that is none": ({"kserve_namespace": "A b"}, {}, ["settings.kserve_namespace"]),
    "a prefix that no name has": ({"config_prefix": "Next_"}, {}, ["settings.config_prefix"]),
    "another type": ({"versioned_config": "maybe"}, {}, ["settings.versioned_config"]),
    "all at once": (
        {"cluster_domain": "-", "wildcard_hostname": "*"},
        {},
        ["settings.cluster_domain", "settings.wildcard_hostname"],
    ),
}


def test_without_options_the_controllers_own_defaults_hold() -> None:
    assert make_settings({}, {}) == Settings(release=newest_proved(BACKING))
    assert (
        make_settings({"gateway_name": "read by another kind"}, {"kserve": "v0.17"}) == Settings()
    )


def test_each_release_is_a_set_of_data() -> None:
    for release in (KServe.V0_17, KServe.V0_18, KServe.V0_19):
        assert make_settings({}, {"kserve": f"v{release}"}).release is release


def test_options_are_taken_as_ansible_means_them() -> None:
    found = make_settings({"versioned_config": "no", "config_prefix": "modelops-"}, {})
    assert (found.versioned_config, found.config_prefix) == (False, "modelops-")


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_setting_is_named(name: str) -> None:
    options, releases, told = WRONG[name]
    with pytest.raises(InputError) as caught:
        make_settings(options, releases)
    assert all(text in str(caught.value) for text in told)
