# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of models and of S3, and the copies of certificates that services of a namespace share."""

from __future__ import annotations

import pytest

from module_utils.kinds.kserve.storage.s3 import s3_environment

from .build import document
from .preset_world import children, config_map, refusal, system_config

#: Address of the model → what is told.
WRONG = {
    "acme/model": "invalid model URI: acme/model",
    "ftp://host/model": "unsupported schema in model URI: ftp://host/model",
}


@pytest.mark.parametrize("uri", WRONG)
def test_a_wrong_address_is_told_with_its_field(uri: str) -> None:
    told = refusal(document(model={"uri": uri}))
    assert WRONG[uri] in told
    assert "spec.model.uri" in told
    assert "WorkerWorkloadReady False, ReconcileMultiNodeWorkloadError" in told


#: Endpoint, whether HTTPS is asked for → what the init container gets.
ENDPOINTS = {
    ("https://s3:1", "0"): ("1", "s3:1", "https://s3:1"),
    ("http://s3:1", "1"): ("0", "s3:1", "http://s3:1"),
    ("HTTP://s3:1", "1"): ("0", "s3:1", "HTTP://s3:1"),
    ("ftp://s3:1", "0"): ("0", "ftp://s3:1", "http://ftp://s3:1"),
    (" s3:1 ", "0"): ("0", "s3:1", "http://s3:1"),
    ("s3:1", "1"): ("1", "s3:1", "https://s3:1"),
    ("s3:1", ""): (None, "s3:1", "https://s3:1"),
    ("", "1"): (None, None, None),
}


@pytest.mark.parametrize(("endpoint", "https"), ENDPOINTS)
def test_endpoints_are_reached_as_they_are_written(endpoint: str, https: str) -> None:
    config = {"s3Endpoint": endpoint, "s3UseHttps": https}
    found = {each["name"]: each["value"] for each in s3_environment({}, {}, config)}
    names = ("S3_USE_HTTPS", "S3_ENDPOINT", "AWS_ENDPOINT_URL")
    assert tuple(found.get(name) for name in names) == ENDPOINTS[endpoint, https]


def test_an_annotation_wins_over_a_secret_and_that_over_the_configuration() -> None:
    annotations = {"serving.kserve.io/s3-region": "a"}
    data = {"AWS_DEFAULT_REGION": "b", "S3_VERIFY_SSL": "0"}
    config = {"s3Region": "c", "s3VerifySSL": "1", "s3UseAccelerate": "true"}
    found = {each["name"]: each["value"] for each in s3_environment(annotations, data, config)}
    assert found == {"AWS_DEFAULT_REGION": "a", "S3_VERIFY_SSL": "0", "S3_USE_ACCELERATE": "true"}


def test_an_empty_annotation_takes_back_what_the_configuration_says() -> None:
    annotations = {"serving.kserve.io/s3-region": "", "serving.kserve.io/s3-endpoint": ""}
    config = {"s3Region": "c", "s3Endpoint": "s3:1", "s3UseHttps": "1", "s3VerifySSL": "1"}
    (found,) = s3_environment(annotations, {"AWS_DEFAULT_REGION": "b"}, config)
    assert found == {"name": "S3_VERIFY_SSL", "value": "1"}


@pytest.mark.parametrize(
    ("text", "owner", "made"),
    [
        ("PEM", None, False),
        ("PEM", "other", False),
        ("PEM", "chat", True),
        ("OLD", "other", True),
        ("OLD", None, True),
    ],
)
def test_services_of_a_namespace_share_one_copy_of_the_certificates(
    text: str, owner: str | None, made: bool
) -> None:
    copy = config_map("global-ca-bundle", {"cabundle.crt": text})
    if owner is not None:
        copy["metadata"]["ownerReferences"] = [{"kind": "LLMInferenceService", "name": owner}]
    manifests = [
        system_config(storageInitializer={"caBundleConfigMapName": "corp"}),
        config_map("corp", {"cabundle.crt": "PEM"}, "kserve"),
        copy,
    ]
    assert (("ConfigMap", "global-ca-bundle") in children(document(), *manifests)) is made
