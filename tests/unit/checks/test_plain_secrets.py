# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets in plain text are told at their field, and never shown; what only has the name of one is none."""

from __future__ import annotations

from typing import Any

import pytest

from .checked import told_by
from .services import custom, graph, llm, llm_inference_service, model, model_service, runtime
from .surroundings import CONFIG

Json = dict[str, Any]
RULE = ("secret-in-text",)
KEY, TOKEN = "sk-abcdefghijklmnop1234", "hf_abcdefghijklmnopqrst"


def annotated(service: Json, **annotations: str) -> Json:
    service["metadata"].setdefault("annotations", {}).update(
        {f"acme.com/{name}": value for name, value in annotations.items()}
    )
    return service


def env(**values: str) -> list[Json]:
    return [{"name": name, "value": value} for name, value in values.items()]


def picked(*args: str) -> Json:
    pod = {"containers": [{"name": "main", "args": list(args)}]}
    return llm(router={"route": {}, "gateway": {}, "scheduler": {"template": pod}})


@pytest.mark.parametrize(
    ("service", "field"),
    [
        (llm(f"--api-key={KEY}"), "spec.template.containers[0].args[0]"),
        (llm("--api-key", "token-abc123"), "spec.template.containers[0].args[1]"),
        (llm("--additional-config", f'{{"hub_token": "{TOKEN}"}}'), "spec.template.containers[0].args[1]"),
        (picked(f"--auth-token={KEY}"), "spec.router.scheduler.template.containers[0].args[0]"),
        (llm_inference_service(prefill={"template": {"containers": [{"name": "main", "env": env(HF_TOKEN=TOKEN)}]}}),
            "spec.prefill.template.containers[0].env[0]"),
        (model_service(engine={"env": env(VLLM_API_KEY=KEY)}), "spec.engine.env[0]"),
        (custom(f"export HF_TOKEN={TOKEN}; exec serve", command=["sh", "-c"]), "spec.predictor.containers[0].args[0]"),
        (custom(env=env(AWS_ACCESS_KEY_ID="AKIAIOSFODNN7EXAMPLE")), "spec.predictor.containers[0].env[0]"),
        (custom(env=env(DATABASE_URL="postgres://app:s3cret-pw@db:5432/x")), "spec.predictor.containers[0].env[0]"),
        (model(storageUri="https://user:s3cret-pw@models.example.com/m.zip"), "spec.predictor.model.storageUri"),
        (annotated(graph(), token=TOKEN), 'metadata.annotations["acme.com/token"]'),
    ],
)  # fmt: skip
def test_a_secret_is_told_and_not_shown(service: Json, field: str) -> None:
    (message,) = told_by(RULE, service, CONFIG, runtime())
    assert message.startswith(f"{field}: ")
    assert "there is a secret in plain text in " in message
    assert not any(secret in message for secret in (KEY, TOKEN, "s3cret", "AKIA", "abc123"))


def test_a_secret_of_a_runtime_is_told_there() -> None:
    lent = runtime("--model_name=x", f"--api-key={KEY}")
    (message,) = told_by(RULE, model(), CONFIG, lent)
    assert message.startswith(
        "spec.containers[0].args[1]: ClusterServingRuntime own: there is a secret in plain text in --api-key"
    )
    assert KEY not in message


@pytest.mark.parametrize(
    "service",
    [
        llm("--api-key=$(VLLM_API_KEY)", env=[{"name": "VLLM_API_KEY", "value": "EMPTY"}]),
        llm("--max-tokens=100000000", "--served-model-name=token-classifier-2", "--stop-token=</s>"),
        custom(env=env(GOOGLE_APPLICATION_CREDENTIALS="/var/secrets/key.json", HF_TOKEN_PATH="/var/token/hf")),
        custom(env=env(STORE_SECRET="models-s3-1", TOKENIZER="acme/tokenizer-2", MAX_TOKEN="123456789")),
        custom(env=env(AUTH_TOKEN_URL="https://login.example.com/oauth2/token", PARTITION_KEY="tenant-12345")),
        custom(env=[{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub-1", "key": "token1234"}}}]),
        annotated(model(), secretName="models-s3-1"),
        model(storageUri="hf://acme/chat:refs-pr-12345"),
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_secret_is_not(service: Json) -> None:
    assert told_by(RULE, service, CONFIG, runtime()) == []
