# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets never leave: whatever an object holds, what is shown of it holds no secret, and all the rest."""

from __future__ import annotations

import base64
import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.engine.owner_object import record
from module_utils.kube.manifest import Json
from module_utils.kube.redact import LAST_APPLIED, mask, redact, redact_text
from module_utils.kube.secret_forms import hide_forms
from tests.objects import thing

CANARY = "canary-3f9a"

SECRET_NAMES = (
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "hf-token",
    "VLLM_API_KEY",
    "OPENAI_APIKEY",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "DB_PASSWORD",
    "LDAP_PASSWD",
    "TLS_PRIVATE_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "client.secret",
    "KEY",
    "OPENAI_KEY",
    "VALKEY_PASSPHRASE",
    "BASIC_AUTH",
    "API_TOKENS",
)
HARMLESS_NAMES = (
    "PORT",
    "HOME",
    "HF_HOME",
    "CUDA_VISIBLE_DEVICES",
    "VLLM_PORT",
    "TOKENIZERS_PARALLELISM",
    "MAX_NUM_TOKENS",
    "KEYBOARD",
)


def _pod(**container: Any) -> Json:
    return thing(
        "apps/v1",
        "Deployment",
        "chat",
        spec={"template": {"spec": {"containers": [{"name": "vllm", **container}]}}},
    )


def _env(name: str, value: str = CANARY) -> Json:
    return _pod(env=[{"name": "FIRST", "value": "1"}, {"name": name, "value": value}])


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_secret_environment_value_is_masked(name: str) -> None:
    shown = redact(_env(name))
    assert CANARY not in json.dumps(shown)
    assert name in json.dumps(shown)


@pytest.mark.parametrize("name", HARMLESS_NAMES)
def test_harmless_environment_value_is_shown(name: str) -> None:
    assert redact(_env(name)) == _env(name)


def test_reference_to_a_secret_is_shown_since_it_holds_none() -> None:
    reference = {"secretKeyRef": {"name": "hub-token", "key": "token"}}
    manifest = _pod(env=[{"name": "HF_TOKEN", "valueFrom": reference}])
    assert redact(manifest) == manifest


@pytest.mark.parametrize("field", ["data", "stringData"])
def test_secret_shows_its_keys_and_no_value(field: str) -> None:
    secret = {"kind": "Secret", "type": "Opaque", field: {"tls.key": CANARY, "x": CANARY}}
    shown = redact(secret)
    assert CANARY not in json.dumps(shown)
    assert set(shown[field]) == {"tls.key", "x"}
    assert shown["type"] == "Opaque"


def test_data_of_a_config_map_is_shown() -> None:
    manifest = {
        "kind": "ConfigMap",
        "data": {"token-budget": "100", "a.json": '{"a": 1}', "b": "{"},
    }
    assert redact(manifest) == manifest


def test_copy_of_the_object_in_an_annotation_is_masked() -> None:
    for kind in ("Secret", "ConfigMap", "ModelService"):
        manifest = {
            "kind": kind,
            "metadata": {"annotations": {LAST_APPLIED: CANARY, "note": "shown"}},
        }
        shown = redact(manifest)
        assert CANARY not in json.dumps(shown)
        assert shown["metadata"]["annotations"]["note"] == "shown"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--api-key", CANARY], ["--api-key", None]),
        (["--api-key=" + CANARY, "--port=1"], ["--api-key=", "--port=1"]),
        (["--hf-token=" + CANARY], ["--hf-token="]),
        (["--hf_token", CANARY, "--x"], ["--hf_token", None, "--x"]),
        (["--db-password=a=" + CANARY], ["--db-password="]),
        (["--token=a\n" + CANARY], ["--token="]),
        (["--max-num-batched-tokens=8192"], ["--max-num-batched-tokens=8192"]),
        (["--max-num-batched-tokens", "8192"], ["--max-num-batched-tokens", "8192"]),
        (["--tokenizer", "acme/chat"], ["--tokenizer", "acme/chat"]),
        (["--tokenizer-mode=auto"], ["--tokenizer-mode=auto"]),
        (["--secure-serving", "--cert-path=/x"], ["--secure-serving", "--cert-path=/x"]),
        (["token", "secret", 1], ["token", "secret", 1]),
    ],
)
def test_value_of_a_secret_flag_is_masked(arguments: list[Any], shown: list[str | None]) -> None:
    (container,) = redact(_pod(args=arguments))["spec"]["template"]["spec"]["containers"]
    assert CANARY not in json.dumps(container)
    assert len(container["args"]) == len(shown)
    for found, wanted in zip(container["args"], shown, strict=True):
        if wanted is None or str(wanted).endswith("="):
            assert "<masked " in found
            assert found.startswith(wanted or "")
        else:
            assert found == wanted


def test_service_that_a_record_holds_as_text_is_masked_too() -> None:
    """The ConfigMap that stands in for a custom resource where its kind is not installed."""
    document = {
        "apiVersion": "model.otterscale.io/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": "chat", "namespace": "team-a"},
        "spec": {
            "engine": {"env": [{"name": "HF_TOKEN", "value": CANARY}, {"name": "A", "value": "b"}]}
        },
    }
    made = json.loads(record(document, "default").body)
    assert CANARY in json.dumps(made)
    shown = redact(made)
    assert CANARY not in json.dumps(shown)
    assert '"value": "b"' in shown["data"]["service"]


def test_mask_shows_whether_a_value_changed_and_nothing_more() -> None:
    assert mask("one") == mask("one")
    assert mask("one") != mask("two")
    assert len(mask("x" * 1000)) == len(mask("x"))
    before, after = redact(_env("HF_TOKEN", "one")), redact(_env("HF_TOKEN", "two"))
    assert before != after


def test_masking_leaves_the_object_itself_as_it_was() -> None:
    secret = {"kind": "Secret", "data": {"a": CANARY}, **_env("HF_TOKEN")}
    secret["metadata"]["annotations"] = {LAST_APPLIED: CANARY}
    before = deepcopy(secret)
    redact(secret)
    assert secret == before


TEXT = st.text('aé"\n=', max_size=4)
HARMLESS = TEXT.map(lambda text: f"plain {text}")
TREES: st.SearchStrategy[Any] = st.recursive(
    HARMLESS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HARMLESS, inner, max_size=3),
    max_leaves=4,
)
CANARIES = st.sampled_from(
    [CANARY, base64.b64encode(CANARY.encode()).decode(), f"{CANARY}\n{CANARY}", f'"{CANARY}"']
)


def _planted(canary: str) -> st.SearchStrategy[Any]:
    """Return places that hold a secret by their form."""
    name = st.sampled_from(SECRET_NAMES)
    variable = name.map(lambda text: {"name": text, "value": canary})
    flag = st.sampled_from(["--api-key", "--token", "--db-password"])
    return st.one_of(
        variable,
        st.lists(variable, min_size=1, max_size=3),
        flag.map(lambda text: [text, canary]),
        flag.map(lambda text: ["--verbose", f"{text}={canary}"]),
    )


@given(st.data(), CANARIES, st.sampled_from(["Secret", "Deployment", "ModelService", "ConfigMap"]))
def test_no_canary_leaves_however_deep_it_is_planted(
    data: st.DataObject, canary: str, kind: str
) -> None:
    value = data.draw(_planted(canary))
    for step in data.draw(st.lists(HARMLESS | st.integers(0, 2), max_size=5)):
        siblings = data.draw(TREES)
        value = (
            {step: value, "plain sibling": siblings} if isinstance(step, str) else [siblings, value]
        )
    manifest: Json = {"kind": kind, "metadata": {"name": "x"}, "spec": value}
    if kind == "Secret":
        manifest |= {"data": {"a": canary}, "stringData": {"b": canary}}
    if data.draw(st.booleans()):
        manifest["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(manifest)}
    shown = json.dumps(redact(manifest))
    assert CANARY not in shown
    assert canary not in shown


@given(TREES)
def test_what_holds_no_secret_is_shown_as_it_is(value: Any) -> None:
    manifest = {"kind": "Deployment", "spec": value}
    assert redact(manifest) == manifest


def test_what_is_switched_on_is_no_secret() -> None:
    annotations = {"security.example.com/enable-auth": "true", "example.com/auth": CANARY}
    shown = redact({"kind": "Pod", "metadata": {"annotations": annotations}})["metadata"]
    assert shown["annotations"] == {**annotations, "example.com/auth": mask(CANARY)}


@pytest.mark.parametrize("blob", ["x", "a1", "-.", "a ", "1"])
def test_a_megabyte_is_looked_through_once(blob: str) -> None:
    """A search that began anew at each character took hours, and this test would not end."""
    text = blob * (900_000 // len(blob))
    assert hide_forms(text, lambda dummy: "hidden") == text


@pytest.mark.parametrize(
    "text",
    [
        '{"key": "nvidia.com/gpu", "operator": "Exists"}',
        "{'key': 'infra'}",
        'tolerations[0] {\\"key\\": \\"infra\\"} is not known',
        "secretKeyRef: {name: hf, key: 'token'}",
        '{"matchExpressions": [{"key":"zone","operator":"In","values":["a"]}]}',
    ],
)
def test_key_of_a_label_taint_or_entry_is_no_secret(text: str) -> None:
    assert redact_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"https://a.example.com/v1?key={CANARY}",
        f'KEY="{CANARY}"',
        f'{{"name": "key", "value": "{CANARY}"}}',
        f'{{"api_key": "{CANARY}"}}',
        f'{{"x-key": "{CANARY}"}}',
        f"{{'key': 'a', 'token': '{CANARY}'}}",
    ],
)
def test_what_a_key_unlocks_stays_hidden(text: str) -> None:
    assert CANARY not in redact_text(text)
