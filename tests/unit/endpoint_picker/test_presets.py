# SPDX-License-Identifier: GPL-3.0-or-later
"""Each preset loads in each release that it is written for, with nothing to warn of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from module_utils.endpoint_picker.build import default_config, disaggregated_config
from module_utils.endpoint_picker.check import check_document
from module_utils.endpoint_picker.presets import overridden, preset, preset_names
from module_utils.endpoint_picker.releases import release_of, releases
from module_utils.kube.problem import InputError


def pairs() -> Iterator[tuple[str, str]]:
    """Yield each preset with each release that can run it."""
    for name in preset_names():
        for target, release in releases().items():
            try:
                preset(name, release)
            except InputError:
                continue
            yield name, target


@pytest.mark.parametrize(("name", "target"), list(pairs()))
def test_a_preset_loads_and_nothing_is_left_to_warn_of(name: str, target: str) -> None:
    release = release_of(target)
    report = check_document(preset(name, release), release)
    assert report.verdict == "accept"
    told = [finding.rule for finding in report.findings if finding.severity != "info"]
    assert told == ([] if release.judged else ["release-unjudged"])


def test_every_preset_is_for_some_release_and_the_default_for_all() -> None:
    found = list(pairs())
    assert {name for name, dummy in found} == set(preset_names())
    assert {target for name, target in found if name == "default"} == set(releases())


def test_unknown_presets_and_presets_for_later_releases_are_refused() -> None:
    with pytest.raises(InputError, match="known are default, random"):
        preset("turbo", release_of("gaie:1.5"))
    with pytest.raises(InputError, match="later release"):
        preset("precise-prefix", release_of("llmd:0.8"))
    with pytest.raises(InputError, match="llm-d"):
        preset("pd", release_of("gaie:1.5"))


def test_overrides_are_merged_by_name() -> None:
    document = preset("default", release_of("gaie:1.5"))
    changed = overridden(
        document,
        {
            "featureGates": ["flowControl"],
            "plugins": [{"type": "max-score-picker", "parameters": {"maxNumOfEndpoints": 2}}],
            "schedulingProfiles": [
                {"name": "default", "plugins": [{"pluginRef": "queue-scorer", "weight": 5}]}
            ],
        },
    )
    assert len(changed["plugins"]) == len(document["plugins"])
    picker = next(item for item in changed["plugins"] if item["type"] == "max-score-picker")
    assert picker["parameters"] == {"maxNumOfEndpoints": 2}
    weights = {
        item["pluginRef"]: item.get("weight")
        for item in changed["schedulingProfiles"][0]["plugins"]
    }
    assert weights["queue-scorer"] == 5
    assert weights["prefix-cache-scorer"] == 3
    assert document == preset("default", release_of("gaie:1.5"))


def test_what_a_model_service_embeds_loads_where_its_operator_runs_it() -> None:
    release = release_of("llmd:0.7")
    for document in (default_config(), disaggregated_config()):
        assert check_document(document, release).verdict == "accept"
