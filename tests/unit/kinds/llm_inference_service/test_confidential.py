# SPDX-License-Identifier: GPL-3.0-or-later
"""Encrypted models, from KServe 0.20 on: who fetches them decrypts them."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json

from .build import document, messages_of
from .preset_world import children
from .release_pairs import settings

KEY = "kbs:///default/model-key/v1"
SECOND = settings("0.20")


def encrypted(uri: str = "hf://a/b", version: str = "v1alpha2", **asked: Any) -> Json:
    return document(version=version, model={"uri": uri, "confidential": {"enabled": True, **asked}})


def variables(given: Json) -> Json:
    pod = children(given, settings=SECOND)["Deployment", "chat-kserve"]["spec"]["template"]["spec"]
    (fetcher,) = pod["initContainers"]
    found = {each["name"]: each.get("value") for each in fetcher["env"]}
    return {name: value for name, value in found.items() if name.startswith("CONFIDENTIAL")}


def test_the_container_that_fetches_is_told_to_decrypt() -> None:
    told = {"CONFIDENTIAL_ENABLED": "true"}
    assert variables(encrypted()) == told
    assert variables(encrypted(resourceId=KEY)) == {**told, "CONFIDENTIAL_RESOURCE_ID": KEY}
    assert variables(encrypted(resourceId=KEY, enabled=False)) == {}


@pytest.mark.parametrize("key", ["x", "kbs://default/a/b", "kbs:///a/b", "kbs:///a/b/c/d"])
def test_a_key_has_the_form_that_brokers_have(key: str) -> None:
    told = messages_of(encrypted(resourceId=key), SECOND)
    assert list(told) == ["spec.model.confidential.resourceId"]
    assert messages_of(encrypted(resourceId=key, enabled=False), SECOND) == {}


@pytest.mark.parametrize("uri", ["oci://i:1", "pvc://a/b"])
def test_what_nobody_fetches_is_not_decrypted_and_that_is_said(uri: str) -> None:
    (text,) = messages_of(encrypted(uri), SECOND, "warning").values()
    assert "has no effect" in text


def test_the_older_version_has_no_such_field() -> None:
    (text,) = messages_of(encrypted(version="v1alpha1"), SECOND).values()
    assert "v1alpha2 has it" in text
