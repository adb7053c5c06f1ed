# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials and place of a model that a service or a cache describes by `storage`: key, path and parameters.

Source: KServe pkg/credentials/service_account_credentials.go@v0.17.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ....kube.go_json import go_json
from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.text import few
from ..secrets import secret_texts
from ..storage_config import Credentials
from .refused import StorageRefused
from .target import Target

_DEFAULT_SECRET, _DEFAULT_KEY = "storage-config", "default"
_TYPES = ("s3", "hdfs", "webhdfs")
#: How many keys of a Secret a message names.
_SHOWN = 5
_WITH_BUCKET = ("s3",)
#: Stands for the scheme where the type of storage is known only from a Secret.
SCHEME_PLACEHOLDER = "<scheme-placeholder>"


@dataclass(frozen=True, slots=True)
class StorageSpec:
    """What a service says about its storage. key: of the Secret, empty for the default one."""

    key: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Place:
    """Type and bucket of a storage, as far as they are known, and the variables that come of its Secret."""

    type: str
    bucket: str
    env: tuple[Json, ...] = ()


def with_storage_spec(
    target: Target,
    spec: StorageSpec,
    annotations: Mapping[str, str],
    config: Credentials,
    namespace: str,
    reader: Reader,
) -> Target:
    """Return an init container that knows where its model is and how to get there. Raises StorageRefused."""
    secret = annotations.get(config.secret_annotation, config.spec_secret or _DEFAULT_SECRET)
    parameters = spec.parameters
    place = _Place(parameters.get("type", ""), parameters.get("bucket", ""))
    key = spec.key or (f"{_DEFAULT_KEY}_{place.type}" if place.type else _DEFAULT_KEY)
    text = _entry(spec, key, secret, namespace, reader)
    if text is not None:
        place = _described(text, place, key, secret)
        reference = {"secretKeyRef": {"name": secret, "key": key}}
        place = replace(place, env=(*place.env, {"name": "STORAGE_CONFIG", "valueFrom": reference}))
    if not place.type:
        raise StorageRefused(
            "unable to determine storage type",
            "model.storage",
            f'set the type in parameters.type, or in key "{key}" of Secret {namespace}/{secret}: one of {", ".join(_TYPES)}',
        )
    target = target.with_env(*place.env)
    args = _addressed(target.container["args"], place)
    target = Target({**target.container, "args": args}, target.volumes)
    if not parameters:
        return target
    value = go_json(dict(parameters), sort_keys=True)
    return target.with_env({"name": "STORAGE_OVERRIDE_CONFIG", "value": value})


def _entry(spec: StorageSpec, key: str, name: str, namespace: str, reader: Reader) -> str | None:
    """Return what the Secret says under a key, None where nothing does and nothing must. Raises StorageRefused."""
    secret = reader.get(Reference("v1", "Secret", namespace, name))
    if secret is None:
        if not spec.key or not reader.complete:
            return None
        raise StorageRefused(
            f'can\'t read storage secret {name}: secrets "{name}" not found',
            "model.storage.key",
            f"create Secret {namespace}/{name} with this key",
        )
    texts = secret_texts(secret)
    text = texts.get(key)
    if text is None and spec.key:
        raise StorageRefused(
            f"specified storage key {key} not found in storage secret {name}",
            "model.storage.key",
            f"add it to Secret {namespace}/{name}, or name one of its keys: {few(sorted(texts), _SHOWN) or 'it has none'}",
        )
    return text


def _described(text: str, place: _Place, key: str, secret: str) -> _Place:
    """Return a place with what the Secret says of it; nothing of that is read where the service names the type itself."""
    if place.type:
        return place
    described = _json(text, key, secret)
    found = described.get("type", "")
    if "type" in described and found not in _TYPES:
        raise StorageRefused(
            f"storage type must be one of [{', '.join(_TYPES)}]. storage type [{found}] is not supported",
            "model.storage",
            f'correct "type" under key "{key}" of Secret {secret}',
        )
    bundle = described.get("cabundle_configmap")
    env = () if bundle is None else ({"name": "AWS_CA_BUNDLE_CONFIGMAP", "value": bundle},)
    return _Place(found, place.bucket or described.get("bucket", ""), env)


def _json(text: str, key: str, secret: str) -> Mapping[str, str]:
    try:
        value = json.loads(text)
    except ValueError as error:
        # The error of a parser may repeat what is in the Secret; its place is enough.
        where = f"at character {getattr(error, 'pos', 0)}"
        raise _no_json(where, key, secret) from None
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise _no_json("it is no object of texts", key, secret)
    return value


def _no_json(what: str, key: str, secret: str) -> StorageRefused:
    return StorageRefused(
        f"invalid json encountered in key {key} of storage secret {secret}: {what}",
        "model.storage.key",
        f"correct Secret {secret}",
    )


def _addressed(args: list[str], place: _Place) -> list[str]:
    """Return arguments whose addresses have a scheme. Raises StorageRefused where they need a bucket and nobody says it."""
    placeholder = f"{SCHEME_PLACEHOLDER}://"
    if not args or not args[0].startswith(placeholder):
        return args
    if place.type in _WITH_BUCKET and not place.bucket:
        raise StorageRefused(
            f"format [{place.type}] requires a bucket but one wasn't found in storage data or parameters",
            "model.storage",
            "set it in parameters.bucket, or in the Secret",
        )
    begin = f"{place.type}://" + (f"{place.bucket}/" if place.type in _WITH_BUCKET else "")
    return [
        begin + word[len(placeholder) :] if number % 2 == 0 else word
        for number, word in enumerate(args)
    ]
