# SPDX-License-Identifier: GPL-3.0-or-later
"""How the init container reaches an S3 endpoint. Source: KServe pkg/credentials/s3/s3_secret.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....kube.manifest import Json

_PREFIX = "serving.kserve.io/s3-"

#: Variable and key of a Secret → annotation (behind the prefix), key of `credentials.s3` in inferenceservice-config.
_SETTINGS = {
    "S3_VERIFY_SSL": ("verifyssl", "s3VerifySSL"),
    "awsAnonymousCredential": ("useanoncredential", "s3UseAnonymousCredential"),
    "AWS_DEFAULT_REGION": ("region", "s3Region"),
    "S3_USER_VIRTUAL_BUCKET": ("usevirtualbucket", "s3UseVirtualBucket"),
    "S3_USE_ACCELERATE": ("useaccelerate", "s3UseAccelerate"),
    "AWS_CA_BUNDLE": ("cabundle", "s3CABundle"),
    "AWS_CA_BUNDLE_CONFIGMAP": ("cabundle-configmap", "s3CABundleConfigMap"),
}
_HTTPS_OF = {"https": "1", "http": "0"}
_ENDPOINT = ("S3_ENDPOINT", "endpoint", "s3Endpoint")
_USE_HTTPS = ("S3_USE_HTTPS", "usehttps", "s3UseHttps")


def secret_keys(config: Mapping[str, str]) -> frozenset[str]:
    """Return the entries of a Secret that KServe reads for S3. config: the block `s3` of its credentials."""
    named = (
        config.get("s3AccessKeyIDName") or "awsAccessKeyID",
        config.get("s3SecretAccessKeyName") or "awsSecretAccessKey",
    )
    return frozenset({*_SETTINGS, _ENDPOINT[0], _USE_HTTPS[0], *named})


def s3_environment(
    annotations: Mapping[str, str], data: Mapping[str, str], config: Mapping[str, str]
) -> list[Json]:
    """Return the variables that say how S3 is reached. An annotation wins over an entry of a Secret, that over the config.

    What is there and empty wins, too, and then says nothing.
    """

    def value(key: str, annotation: str, setting: str) -> str:
        for source, name in ((annotations, f"{_PREFIX}{annotation}"), (data, key)):
            if name in source:
                return source[name]
        return config.get(setting) or ""

    found = [*_endpoint(value(*_ENDPOINT).strip(), value(*_USE_HTTPS))]
    found += [(key, value(key, *names)) for key, names in _SETTINGS.items()]
    return [{"name": key, "value": text} for key, text in found if text]


def _endpoint(endpoint: str, use_https: str) -> Iterator[tuple[str, str]]:
    """Yield how an endpoint is called; a scheme in it, in upper or lower case, wins over the setting."""
    if not endpoint:
        return
    url = endpoint
    scheme = endpoint.lower().partition("://")[0] if "://" in endpoint else ""
    if scheme in _HTTPS_OF:
        endpoint, use_https = endpoint[len(scheme) + 3 :], _HTTPS_OF[scheme]
    else:
        url = f"http://{endpoint}" if use_https == "0" else f"https://{endpoint}"
    yield "S3_USE_HTTPS", use_https
    yield "S3_ENDPOINT", endpoint
    yield "AWS_ENDPOINT_URL", url
