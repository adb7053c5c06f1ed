# SPDX-License-Identifier: GPL-3.0-or-later
"""The credentials with which the init container fetches a model. Source: KServe v0.17.0; reference/kserve-llmisvc.md §3.7."""

from __future__ import annotations

from collections.abc import Mapping

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.reference import Reference
from ..resolved import Resolved
from ..secrets import secret_texts
from .errors import ArtifactError
from .init_container import init_env, with_env, with_mount
from .s3 import s3_environment

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


def with_credentials(pod: Json, resolved: Resolved, reader: Reader, account: Json | None) -> Json:
    """Return a pod whose init container has the credentials of an account. None: the namespace's `default`.

    Raises ArtifactError where a Secret is proved missing.
    """
    of_default = account is None
    if account is None:
        account = reader.get(Reference("v1", "ServiceAccount", resolved.namespace, "default"))
    if account is None:
        return pod
    credentials = resolved.config.credentials
    annotations = (account.get("metadata") or {}).get("annotations") or {}
    if annotations.get(_ROLE_ANNOTATION):
        pod = with_env(pod, [*init_env(pod), *s3_environment(annotations, {}, credentials.s3)])
    named = resolved.service.annotations.get(credentials.secret_annotation or "-", "")
    names = [named] if named else [str(entry.get("name")) for entry in account.get("secrets") or ()]
    for name in names:
        secret = reader.get(Reference("v1", "Secret", resolved.namespace, name))
        if secret is None and reader.complete:
            raise ArtifactError(
                f'Secret "{name}" not found',
                "metadata.annotations" if named else "spec.template.serviceAccountName",
                f"create Secret {resolved.namespace}/{name}, or do not name it"
                + (f" in {credentials.secret_annotation}" if named else ""),
                of_default_account=of_default and not named,
            )
        if secret is not None:
            pod = _with_secret(pod, name, secret, resolved)
    return pod


def _with_secret(pod: Json, name: str, secret: Json, resolved: Resolved) -> Json:
    """Add what one Secret is for: the first that fits."""
    data = secret_texts(secret)
    config = resolved.config.credentials
    secret_key = config.s3.get("s3SecretAccessKeyName") or "awsSecretAccessKey"
    gcs_file = config.gcs_file or _GCS_FILE
    if secret_key in data:
        access_key = config.s3.get("s3AccessKeyIDName") or "awsAccessKeyID"
        annotations = (secret.get("metadata") or {}).get("annotations") or {}
        keys = [
            _from_secret("AWS_ACCESS_KEY_ID", name, access_key),
            _from_secret("AWS_SECRET_ACCESS_KEY", name, secret_key),
        ]
        return _with_merged(pod, [*keys, *s3_environment(annotations, data, config.s3)])
    if gcs_file in data:
        pod = _with_volume(pod, _GCS_VOLUME, name, _GCS_PATH)
        variable = {"name": "GOOGLE_APPLICATION_CREDENTIALS", "value": f"{_GCS_PATH}{gcs_file}"}
        return with_env(pod, [*init_env(pod), variable])
    if "HDFS_NAMENODE" in data and not _has_azure(data) and "https-host" not in data:
        return _with_volume(pod, _HDFS_VOLUME, name, _HDFS_PATH)
    return with_env(pod, [*init_env(pod), *_variables(name, data)])


def _has_azure(data: Mapping[str, str]) -> bool:
    return any(
        key in data
        for key in ("AZ_CLIENT_ID", "AZURE_CLIENT_ID", "AZURE_ACCESS_TOKEN", _AZURE_STORAGE_KEY)
    )


def _variables(name: str, data: Mapping[str, str]) -> list[Json]:
    if any(key in data for key in ("AZ_CLIENT_ID", "AZURE_CLIENT_ID", "AZURE_ACCESS_TOKEN")):
        return _azure(name, data)
    if _AZURE_STORAGE_KEY in data:
        return [_from_secret(_AZURE_STORAGE_KEY, name, _AZURE_STORAGE_KEY)]
    if "https-host" in data:
        header = {"name": f"{data['https-host']}-headers", "value": data.get("headers", "")}
        return [header] if "headers" in data else []
    return [_from_secret("HF_TOKEN", name, "HF_TOKEN")] if "HF_TOKEN" in data else []


def _azure(name: str, data: Mapping[str, str]) -> list[Json]:
    keys = {variable: _OLD_AZURE.get(variable, variable) for variable in _AZURE}
    keys = {variable: key if key in data else variable for variable, key in keys.items()}
    return [
        _from_secret(variable, name, key)
        for variable, key in keys.items()
        if key in data or variable == _ALWAYS
    ]


def _with_merged(pod: Json, variables: list[Json]) -> Json:
    """Add variables; of one that is there the value alone is replaced."""
    env = init_env(pod)
    places = {variable["name"]: place for place, variable in enumerate(env)}
    for variable in variables:
        place = places.get(variable["name"])
        if place is None:
            env.append(variable)
        elif "value" in variable:
            env[place] = {**env[place], "value": variable["value"]}
    return with_env(pod, env)


def _with_volume(pod: Json, volume: str, secret: str, path: str) -> Json:
    return with_mount(
        pod,
        {"name": volume, "secret": {"secretName": secret}},
        {"name": volume, "mountPath": path, "readOnly": True},
    )


def _from_secret(variable: str, secret: str, key: str) -> Json:
    return {"name": variable, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}
