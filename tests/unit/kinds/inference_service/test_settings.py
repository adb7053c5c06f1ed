# SPDX-License-Identifier: GPL-3.0-or-later
"""The option `settings` as this kind reads it."""

from __future__ import annotations

import pytest

from module_utils.kinds.inference_service.releases import BACKING
from module_utils.kinds.inference_service.settings import Settings, make_settings
from module_utils.kube.problem import InputError
from module_utils.kube.release import newest_proved


def test_nothing_said_is_the_controller_s_default() -> None:
    assert make_settings({}, {}) == Settings(release=newest_proved(BACKING))


def test_what_other_kinds_read_is_passed_over() -> None:
    options = {"gateway_name": "x", "config_prefix": None, "pod_mutation": "rendered"}
    assert make_settings(options, {"kserve": "v0.17"}).pod_mutation == "rendered"


@pytest.mark.parametrize(
    ("options", "releases", "said"),
    [
        ({"kserve_namespace": "KServe"}, {}, "settings.kserve_namespace"),
        ({"cluster_domain": "a..b"}, {}, "settings.cluster_domain"),
        ({"pod_mutation": "webhooks"}, {}, 'did you mean "webhook"?'),
        ({}, {"kserve": "0.16"}, "releases.kserve"),
        ({}, {"kserve": "0.99"}, '"0.99" is not one of'),
    ],
)
def test_a_wrong_setting_is_named(
    options: dict[str, str], releases: dict[str, str], said: str
) -> None:
    with pytest.raises(InputError) as error:
        make_settings(options, releases)
    assert said in str(error.value)
