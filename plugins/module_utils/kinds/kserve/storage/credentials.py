# SPDX-License-Identifier: GPL-3.0-or-later
"""The credentials with which a container reaches where models are kept.

Source: KServe pkg/credentials/service_account_credentials.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.release import Since
from ..releases import KServe
from ..secrets import secret_texts
from ..storage_config import Credentials
from .s3 import s3_environment
from .target import Target

_ROLE_ANNOTATION = "eks.amazonaws.com/role-arn"
_GCS_PATH, _GCS_VOLUME, _GCS_FILE = (
    "/var/secrets/",
    "user-gcp-sa",
    "gcloud-application-credentials.json",
)
_HDFS_PATH, _HDFS_VOLUME = "/var/secrets/kserve-hdfscreds", "hdfs-secrets"
_AZURE_STORAGE_KEY = "AZURE_STORAGE_ACCESS_KEY"
#: In the order in which they are written; the first four have an older spelling.
_AZURE = (
    "AZURE_SUBSCRIPTION_ID",
    "AZURE_TENANT_ID",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    _AZURE_STORAGE_KEY,
    "AZURE_ACCESS_TOKEN",
    "AZURE_ACCESS_EXPIRES_ON_SECONDS",
    "AZURE_ACCOUNT_NAME",
    "AZURE_SERVICE_URL",
)
_OLD_AZURE = {key: key.replace("AZURE_", "AZ_") for key in _AZURE[:4]}
_ALWAYS = "AZURE_TENANT_ID"
_HUGGING_FACE: Mapping[str, str] = {"hf://": "HF_TOKEN"}
#: By which hubs of models let clients in; of a Secret the first that it has. Source: pkg/credentials/ms/ms_secret.go at aaac4e294dae.
_TOKENS: Since[Mapping[str, str]] = Since(
    {
        KServe.V0_17: _HUGGING_FACE,
        KServe.V0_21: {**_HUGGING_FACE, "modelscope://": "MODELSCOPE_API_TOKEN"},
    }
)


def credential_entries(config: Credentials, release: KServe) -> Mapping[str, tuple[str, ...]]:
    """Return by which entries of a Secret credentials are recognised, by what the address of a model then begins with."""
    key, secret_key = _s3_keys(config)
    return {
        "s3://": (key, secret_key),
        "gs://": (config.gcs_file or _GCS_FILE,),
        "https://": (*_OLD_AZURE.values(), *_AZURE, "https-host"),
        "hdfs://": ("HDFS_NAMENODE",),
        **{scheme: (token,) for scheme, token in _TOKENS.at(release).items()},
    }


def _s3_keys(config: Credentials) -> tuple[str, str]:
    return (
        config.s3.get("s3AccessKeyIDName") or "awsAccessKeyID",
        config.s3.get("s3SecretAccessKeyName") or "awsSecretAccessKey",
    )


class SecretMissing(Exception):
    """A Secret is proved missing. by_annotation: an annotation of the service names it, not the account."""

    def __init__(self, name: str, *, by_annotation: bool) -> None:
        self.name = name
        self.by_annotation = by_annotation
        super().__init__(name)


def with_credentials(
    target: Target,
    account: Json,
    annotations: Mapping[str, str],
    config: Credentials,
    namespace: str,
    reader: Reader,
    *,
    release: KServe,
    by_reference: bool = False,
) -> Target:
    """Return a container that has the credentials of an account.

    annotations: the service's; one of them may name the Secret. by_reference: no text of a Secret is copied, as KServe copies
    headers for https. Raises SecretMissing.
    """
    of_account = (account.get("metadata") or {}).get("annotations") or {}
    if _ROLE_ANNOTATION in of_account:
        target = target.with_env(*s3_environment(of_account, {}, config.s3))
    named = annotations.get(config.secret_annotation or "-", "")
    names = [named] if named else [str(entry.get("name")) for entry in account.get("secrets") or ()]
    for name in names:
        secret = reader.get(Reference("v1", "Secret", namespace, name))
        if secret is None and reader.complete:
            raise SecretMissing(name, by_annotation=bool(named))
        if secret is not None:
            tokens = tuple(_TOKENS.at(release).values())
            target = _with_secret(target, name, secret, config, tokens, by_reference=by_reference)
    return target


def _with_secret(
    target: Target,
    name: str,
    secret: Json,
    config: Credentials,
    tokens: Sequence[str],
    *,
    by_reference: bool,
) -> Target:
    """Add what one Secret is for: the first that fits."""
    data = secret_texts(secret)
    access_key, secret_key = _s3_keys(config)
    gcs_file = config.gcs_file or _GCS_FILE
    if secret_key in data:
        annotations = (secret.get("metadata") or {}).get("annotations") or {}
        keys = [
            _from_secret("AWS_ACCESS_KEY_ID", name, access_key),
            _from_secret("AWS_SECRET_ACCESS_KEY", name, secret_key),
        ]
        variables = [*keys, *s3_environment(annotations, data, config.s3)]
        return Target(_with_merged(target.container, variables), target.volumes)
    if gcs_file in data:
        variable = {"name": "GOOGLE_APPLICATION_CREDENTIALS", "value": f"{_GCS_PATH}{gcs_file}"}
        return _with_volume(target, _GCS_VOLUME, name, _GCS_PATH).with_env(variable)
    if "HDFS_NAMENODE" in data and not _has_azure(data) and "https-host" not in data:
        return _with_volume(target, _HDFS_VOLUME, name, _HDFS_PATH)
    return target.with_env(*_variables(name, data, tokens, by_reference=by_reference))


def _has_azure(data: Mapping[str, str]) -> bool:
    return any(
        key in data
        for key in ("AZ_CLIENT_ID", "AZURE_CLIENT_ID", "AZURE_ACCESS_TOKEN", _AZURE_STORAGE_KEY)
    )


def _variables(
    name: str, data: Mapping[str, str], tokens: Sequence[str], *, by_reference: bool
) -> list[Json]:
    if any(key in data for key in ("AZ_CLIENT_ID", "AZURE_CLIENT_ID", "AZURE_ACCESS_TOKEN")):
        return _azure(name, data)
    if _AZURE_STORAGE_KEY in data:
        return [_from_secret(_AZURE_STORAGE_KEY, name, _AZURE_STORAGE_KEY)]
    if "https-host" in data:
        if "headers" not in data:
            return []
        variable = f"{data['https-host']}-headers"
        if by_reference:
            return [_from_secret(variable, name, "headers")]
        return [{"name": variable, "value": data["headers"]}]
    return [_from_secret(token, name, token) for token in tokens if token in data][:1]


def _azure(name: str, data: Mapping[str, str]) -> list[Json]:
    keys = {variable: _OLD_AZURE.get(variable, variable) for variable in _AZURE}
    keys = {variable: key if key in data else variable for variable, key in keys.items()}
    return [
        _from_secret(variable, name, key)
        for variable, key in keys.items()
        if key in data or variable == _ALWAYS
    ]


def _with_merged(container: Json, variables: list[Json]) -> Json:
    """Add variables; of one that is there the value alone is replaced."""
    env = list(container.get("env") or ())
    places = {variable["name"]: place for place, variable in enumerate(env)}
    for variable in variables:
        place = places.get(variable["name"])
        if place is None:
            env.append(variable)
        elif "value" in variable:
            env[place] = {**env[place], "value": variable["value"]}
    return {**container, "env": env}


def _with_volume(target: Target, volume: str, secret: str, path: str) -> Target:
    return target.with_mount({"name": volume, "secret": {"secretName": secret}}, path)


def _from_secret(variable: str, secret: str, key: str) -> Json:
    return {"name": variable, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}
