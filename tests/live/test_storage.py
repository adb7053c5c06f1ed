# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Models that KServe's own package fetches from S3 by an account's keys, and from a hub; a model on a volume; and models that cannot be had.

The engine, which says where its model is from, is a stand-in, and so is the hub.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import urllib3

from tests.cluster.support.entries import Entries
from tests.cluster.support.llm_services import llm
from tests.lab.client import Client
from tests.lab.fixtures import fresh_namespace

from . import bucket
from .asking import Answer, until
from .kserve import READY_WITHIN, trusting
from .sources import Sources

Json = dict[str, Any]
#: By service: where its model is, and what its files say.
FETCHED = {
    "from-bucket": (f"s3://{bucket.BUCKET}/{bucket.MODEL}", "FromBucket"),
    "from-hub": ("hf://acme/chat", "FromHub"),
}
ON_VOLUME = "from-volume"
#: By service: a model that cannot be had, and words of KServe's package about it.
ABSENT = {
    "denied": (f"s3://{bucket.DENIED}/{bucket.MODEL}", ("S3 error [403]: Forbidden",)),
    "absent": (f"s3://{bucket.BUCKET}/nothing", ("No model found in nothing",)),
}


@pytest.fixture(scope="module")
def strict_namespace(client: Client) -> Any:
    """A namespace that takes pods of the level `restricted` alone."""
    with fresh_namespace(client, "live") as name:
        labels = {"pod-security.kubernetes.io/enforce": "restricted"}
        named = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        client.patch(named, {"metadata": {"labels": labels}})
        yield name


@pytest.fixture(scope="module")
def result(
    client: Client,
    secured: Entries,
    fetching: Sources,
    shared_namespace: str,
    strict_namespace: str,
) -> Json:
    """What one task says of all of them, once each is ready or cannot become so."""
    client.apply_all(fetching.credentials("models", shared_namespace))
    client.apply_all(fetching.volume("models", strict_namespace))
    uris = {name: uri for name, (uri, dummy) in {**FETCHED, **ABSENT}.items()}
    services = [service(name, shared_namespace, uri) for name, uri in uris.items()]
    for each in services:
        each["spec"]["template"] = {"serviceAccountName": "models"}
    services.append(service(ON_VOLUME, strict_namespace, "pvc://models/chat"))
    found = secured.run(*services, wait=True, wait_timeout=READY_WITHIN)
    assert found.get("failed"), found
    return found


def service(name: str, namespace: str, uri: str) -> Json:
    made = llm(name, namespace)
    made["spec"]["model"]["uri"] = uri
    return made


def say(client: Client, asked: Json) -> Answer:
    """Ask the pods of a service without a gateway."""
    pool, url = trusting(client, asked)
    model = asked["spec"]["model"]["name"]
    body = {"model": model, "messages": [{"role": "user", "content": "Who are you?"}]}
    said = f"POST {url}/v1/chat/completions"
    try:
        answer = pool.request("POST", f"{url}/v1/chat/completions", body=json.dumps(body))
    except urllib3.exceptions.HTTPError as error:
        return Answer(said, 0, str(error))
    return Answer(said, answer.status, answer.data.decode())


@pytest.mark.parametrize("name", FETCHED)
def test_model_that_kserves_own_package_fetches_is_served_by_a_stand_in_engine(
    result: Json,
    client: Client,
    shared_namespace: str,
    answered: Callable[[object], None],
    name: str,
) -> None:
    assert state(result, name)["ready"] is True, result
    answer = until(200, lambda: say(client, service(name, shared_namespace, FETCHED[name][0])))
    assert FETCHED[name][1] in answer.text, answer.text
    answered(f"{FETCHED[name][0]}: {answer.json()['choices'][0]['message']['content']}")


def test_model_on_a_volume_is_served_by_a_stand_in_engine_under_pod_security_restricted(
    result: Json, client: Client, strict_namespace: str, answered: Callable[[object], None]
) -> None:
    assert state(result, ON_VOLUME)["ready"] is True, result
    answer = until(200, lambda: say(client, service(ON_VOLUME, strict_namespace, "")))
    assert "FromVolume" in answer.text, answer.text
    answered(f"pvc://models/chat: {answer.json()['choices'][0]['message']['content']}")


@pytest.mark.parametrize("name", ABSENT)
def test_model_that_cannot_be_had_is_told_in_the_words_of_kserves_own_package_before_a_stand_in(
    result: Json, name: str
) -> None:
    found = state(result, name)
    assert found["ready"] is False
    for text in (name, *ABSENT[name][1]):
        assert text in result["msg"], result["msg"]


def state(result: Json, name: str) -> Json:
    """What a result says of a service."""
    found: Json = next(each for each in result["services"] if each["name"] == name)
    return found
