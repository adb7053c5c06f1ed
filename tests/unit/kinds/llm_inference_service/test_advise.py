# SPDX-License-Identifier: GPL-3.0-or-later
"""What is accepted and will not do what its author wants is warned about, with the way out."""

from __future__ import annotations

import json

import pytest

from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects
from tests.unit.checks.checked import checked

from .build import document
from .preset_world import account, config_map, preset, secret, world


def warnings(given: Json, *manifests: Json) -> dict[str, str]:
    """Return the warnings about a service in the small cluster: rule → message."""
    service = load(given, Settings()).service
    assert service is not None
    return {found.rule: str(found) for found in checked(service, Settings(), world(*manifests))}


def own_main(name: str) -> Json:
    value = {"secretKeyRef": {"name": "hub", "key": name}}
    return {"containers": [{"name": "main", "env": [{"name": name, "valueFrom": value}]}]}


def test_an_ordinary_service_is_warned_about_nothing() -> None:
    assert warnings(document()) == {}


@pytest.mark.parametrize(
    ("name", "uri"),
    [("HF_TOKEN", "hf://acme/chat"), ("AWS_SECRET_ACCESS_KEY", "s3://models/chat")],
)
def test_credentials_of_the_server_do_not_fetch_the_model(name: str, uri: str) -> None:
    told = warnings(document(template=own_main(name), model={"uri": uri}))["fetch-credentials"]
    assert name in told
    assert "storage-initializer" in told
    assert "service account" in told
    mounted = document(template=own_main(name), model={"uri": "pvc://claim/path"})
    assert "fetch-credentials" not in warnings(mounted)


@pytest.mark.parametrize(
    ("name", "uri", "way"),
    [
        ("HF_ENDPOINT", "hf://acme/chat", "ClusterStorageContainer"),
        ("AWS_ENDPOINT_URL", "s3://models/chat", "serving.kserve.io/s3-"),
    ],
)
def test_addresses_that_the_server_has_do_not_fetch_the_model(
    name: str, uri: str, way: str
) -> None:
    told = warnings(document(template=own_main(name), model={"uri": uri}))["fetch-credentials"]
    assert name in told
    assert way in told
    elsewhere = document(template=own_main(name), model={"uri": "pvc://claim/path"})
    assert "fetch-credentials" not in warnings(elsewhere)


def test_credentials_that_reach_both_are_fine() -> None:
    manifests = [account("default", "hub"), secret("hub", {"HF_TOKEN": "value"})]
    assert warnings(document(template=own_main("HF_TOKEN")), *manifests) == {}


def test_an_entry_for_s3_that_nobody_reads_is_told_without_its_value() -> None:
    data = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "hidden"}
    manifests = [account("default", "s3"), secret("s3", data)]
    told = warnings(document(model={"uri": "s3://b/m"}), *manifests)
    assert set(told) == {"secret-entry"}
    assert "Secret team-a/s3 has AWS_SESSION_TOKEN" in told["secret-entry"]
    assert "hidden" not in told["secret-entry"]


def test_a_certificate_that_cannot_be_rendered_is_told() -> None:
    service = load(document(), Settings()).service
    assert service is not None
    found = checked(service, Settings(), GivenObjects())
    assert "certificate-left-out" in {problem.rule for problem in found}


def test_a_gateway_that_is_not_there_is_told() -> None:
    router = {"route": {}, "gateway": {"refs": [{"name": "gone", "namespace": "team-a"}]}}
    told = warnings(document(router=router))["router-reference"]
    assert "Gateway team-a/gone does not exist" in told


def picker(scorer: str) -> Json:
    plugins = [scorer, "max-score-picker"]
    profile = {"name": "default", "plugins": [{"pluginRef": name} for name in plugins]}
    return {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [{"type": name} for name in ("single-profile-handler", *plugins)],
        "schedulingProfiles": [profile],
    }


def with_picker(config: Json) -> Json:
    return document(router={"scheduler": {"config": config}, "route": {}})


@pytest.mark.parametrize("referred", [False, True])
def test_a_configuration_that_keeps_the_picker_from_starting_is_told(referred: bool) -> None:
    wrong = picker("queue-scorrer")
    stored = config_map("epp", {"epp": json.dumps(wrong)})
    given = {"ref": {"name": "epp", "key": "epp"}} if referred else {"inline": wrong}
    told = warnings(with_picker(given), stored)["picker-advice"]
    place = f"spec.router.scheduler.config{'.ref' if referred else ''}"
    for part in (f"{place}: plugins[1].type", "queue-scorrer", "llmd:0.4"):
        assert part in told


def test_a_configuration_with_which_the_picker_starts_is_fine() -> None:
    assert "picker-advice" not in warnings(with_picker({"inline": picker("queue-scorer")}))
    elsewhere = {"pool": {"ref": {"name": "mine"}}, "config": {"inline": {"kind": "wrong"}}}
    assert "picker-advice" not in warnings(document(router={"scheduler": elsewhere}))


def test_the_release_of_a_picker_is_that_of_its_image() -> None:
    image = "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0"
    template = {"containers": [{"name": "main", "image": image}]}
    scheduler = {"config": {"inline": picker("queue-scorrer")}, "template": template}
    told = warnings(document(router={"scheduler": scheduler, "route": {}}))["picker-advice"]
    assert "checked for the picker llmd:0.10" in told


def test_what_a_later_picker_drops_is_told_with_its_release() -> None:
    given = picker("queue-scorer")
    given["plugins"].append({"type": "pd-profile-handler"})
    told = warnings(with_picker({"inline": given}))["picker-later"]
    for part in ("plugins[3].type", "llmd:0.11", "migrate_from llmd:0.4"):
        assert part in told
    assert "picker-later" not in warnings(with_picker({"inline": picker("queue-scorer")}))


def test_what_cannot_be_built_is_no_warning() -> None:
    broken = preset("b", {"labels": {"a": "{{ .Gone }}"}}, "team-a")
    assert warnings(document(baseRefs=[{"name": "b"}]), broken) == {}
