# SPDX-License-Identifier: GPL-3.0-or-later
"""From KServe 0.19 on, configuration and arguments for an older picker are brought to what the picker of the pods reads."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from module_utils.kube.manifest import Json

from .build import document
from .preset_world import ROUTER, children, refusal
from .release_pairs import CLAIM, settings

SAYS = {"app.kubernetes.io/version": "0.7.0"}
HANDLER, ALWAYS, BY_PREFIX = (
    "disagg-profile-handler",
    "always-disagg-pd-decider",
    "prefix-based-pd-decider",
)


def plugin(kind: str, **parameters: Any) -> Json:
    """Return a plugin of a configuration."""
    return {"type": kind, **({"parameters": parameters} if parameters else {})}


def service(
    plugins: list[Json],
    profiles: list[Json] | None = None,
    says: Json | None = None,
    arguments: list[str] | None = None,
) -> Json:
    """Return a service with a configuration. says: annotations of the picker's pods."""
    inline = {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": plugins,
        "schedulingProfiles": profiles or [],
    }
    scheduler: Json = {"config": {"inline": inline}, "annotations": SAYS if says is None else says}
    if arguments is not None:
        scheduler["template"] = {"containers": [{"name": "main", "args": arguments}]}
    return document(**CLAIM, router={**ROUTER, "scheduler": scheduler})


def arguments_of(given: Json, release: str = "0.19") -> list[str]:
    """Return the arguments of the picker."""
    found = children(given, settings=settings(release))
    pod = found["Deployment", "chat-kserve-router-scheduler"]["spec"]["template"]["spec"]
    arguments: list[str] = pod["containers"][0]["args"]
    return arguments


def configuration(given: Json, release: str = "0.19") -> Json:
    """Return the configuration of the picker."""
    found: Json = yaml.safe_load(arguments_of(given, release)[-1])
    return found


#: Plugins that an author writes → what the picker gets.
ROWS: dict[str, tuple[list[Json], list[Json]]] = {
    "the handler of headers": (
        [plugin("prefill-header-handler")],
        [plugin("disagg-headers-handler")],
    ),
    "a decider by name": (
        [plugin(BY_PREFIX), plugin("pd-profile-handler", deciderPluginName=BY_PREFIX, threshold=9)],
        [plugin(BY_PREFIX), plugin(HANDLER, deciders={"prefill": BY_PREFIX})],
    ),
    "every prompt": (
        [plugin("queue-scorer"), plugin("pd-profile-handler", threshold=0)],
        [plugin("queue-scorer"), plugin(ALWAYS), plugin(HANDLER, deciders={"prefill": ALWAYS})],
    ),
    "long prompts": (
        [plugin("pd-profile-handler", threshold=101)],
        [
            plugin(BY_PREFIX, nonCachedTokens=26),
            plugin(HANDLER, deciders={"prefill": BY_PREFIX}),
        ],
    ),
    "a decider that is there already": (
        [plugin(ALWAYS), plugin("pd-profile-handler", threshold=0)],
        [plugin(ALWAYS), plugin(HANDLER, deciders={"prefill": ALWAYS})],
    ),
    "what is of today": (
        [plugin(HANDLER, deciders={"prefill": ALWAYS}, threshold=7)],
        [plugin(HANDLER, deciders={"prefill": ALWAYS}, threshold=7)],
    ),
    "the size of hashes": (
        [plugin("prefix-cache-scorer", hashBlockSize=5, blockSize=3)],
        [plugin("prefix-cache-scorer", blockSize=3)],
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_plugins_are_those_of_picker_0_7(name: str) -> None:
    plugins, told = ROWS[name]
    assert configuration(service(plugins))["plugins"] == told
    assert configuration(service(plugins), "0.18")["plugins"] == plugins


def test_a_number_with_a_fraction_stays_what_it_is() -> None:
    given = service([plugin("queue-scorer", threshold=1.5)])
    assert configuration(given)["plugins"] == [plugin("queue-scorer", threshold=1.5)]


@pytest.mark.parametrize(
    ("version", "changed"),
    [
        ("0.6.9", False),
        ("0.7.0-rc.1", False),
        ("0.7.0", True),
        ("0.10.0", True),
        ("1.0.0+x", True),
        ("", False),
    ],
)
def test_only_pickers_from_0_7_on_get_them(version: str, changed: bool) -> None:
    given = service([plugin("prefill-header-handler")], says={"app.kubernetes.io/version": version})
    (found,) = configuration(given)["plugins"]
    assert (found["type"] == "disagg-headers-handler") is changed


def test_profiles_refer_to_the_new_names() -> None:
    named = [{"type": "prefill-header-handler", "name": "prefill-header-handler"}]
    profiles = [{"name": "p", "plugins": [{"pluginRef": "prefill-header-handler"}]}]
    found = configuration(service(named, profiles))
    assert found["plugins"] == [
        {"type": "disagg-headers-handler", "name": "disagg-headers-handler"}
    ]
    assert found["schedulingProfiles"][0]["plugins"] == [{"pluginRef": "disagg-headers-handler"}]


def test_flags_that_the_picker_refuses_become_a_plugin() -> None:
    flags = [
        "--kv-cache-usage-percentage-metric",
        "vllm:kv",
        "--lora-info-metric=vllm:lora",
        "--v=4",
    ]
    given = service([plugin("queue-scorer")], arguments=flags)
    assert arguments_of(given)[:-1] == ["--v=4", "--config-text"]
    assert configuration(given)["plugins"][-1] == {
        "name": "model-server-protocol-metrics",
        "type": "model-server-protocol-metrics",
        "parameters": {
            "engineLabelKey": "inference.networking.k8s.io/engine-type",
            "defaultEngine": "vllm",
            "engineConfigs": [{"name": "vllm", "kvUsageSpec": "vllm:kv", "loraSpec": "vllm:lora"}],
        },
    }
    assert arguments_of(given, "0.18")[:4] == flags


def test_flags_beside_a_file_are_refused() -> None:
    arguments = ["--config-file", "/etc/picker.yaml", "--cache-info-metric", "x"]
    scheduler = {
        "annotations": SAYS,
        "template": {"containers": [{"name": "main", "args": arguments}]},
    }
    given = document(**CLAIM, router={**ROUTER, "scheduler": scheduler})
    assert "--cache-info-metric" in refusal(given, settings=settings("0.19"))
    assert refusal(given, settings=settings("0.18")) == ""


def test_what_is_no_version_is_refused() -> None:
    given = service([], says={"app.kubernetes.io/version": "v0.7"})
    told = refusal(given, settings=settings("0.19"))
    assert 'failed to parse version "v0.7"' in told
    assert "spec.router.scheduler.annotations" in told


@pytest.mark.parametrize(("release", "added"), [("0.19", True), ("0.20", False)])
def test_the_new_name_of_the_metrics_counts_from_the_release_on_that_knows_it(
    release: str, added: bool
) -> None:
    named = [plugin("queue-scorer"), plugin("core-metrics-extractor")]
    given = service(named, arguments=["--cache-info-metric", "some:metric"])
    types = [each["type"] for each in configuration(given, release)["plugins"]]
    assert ("model-server-protocol-metrics" in types) is added
