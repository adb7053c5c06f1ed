# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials with which a model is fetched: whether whoever fetches it gets them, and whether anybody reads them."""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.kserve.secrets import secret_texts
from ..kinds.view import ServiceView, Workload
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.schema_check import child_path
from ..kube.text import few

NOT_FETCHED = Check(
    "fetch-credentials",
    WARNING,
    finds="{name} is set on the container {engine}, but the init container {fetcher} fetches the model, and does not get it",
    fix="keep it in a Secret, and list that in `secrets` of the service account of the pod",
)
UNREAD = Check(
    "secret-entry",
    WARNING,
    finds="Secret {namespace}/{secret} has {key}, which {fetcher} does not get: KServe reads no such key",
    fix="use one of the keys that it reads, or bring the model another way",
)
NO_KEYS = Check(
    "secret-without-keys",
    WARNING,
    finds="the account {account} lists Secret {namespace}/{secret} with {has}, and KServe reads {wanted}: {fetcher} asks for the model without credentials",
    fix="name the entries as KServe reads them",
)
LISTED = Check(
    "name-missing",
    WARNING,
    finds="{by} names Secret {namespace}/{secret}, which is not among the given objects: {fetcher} asks for the model without credentials",
    fix="create it first; there is {others}",
)
PLAIN_HTTP = Check(
    "secret-entry",
    WARNING,
    finds='the Secret or KServe\'s configuration says "{value}" for plain HTTP, where KServe only takes "0": {fetcher} calls {url}',
    fix='write serving.kserve.io/s3-usehttps: "0" on the Secret, or http:// in front of the endpoint',
)
#: What makes an account's pods known to the cloud by themselves.
_IDENTITIES = (
    "eks.amazonaws.com/role-arn",
    "iam.gke.io/gcp-service-account",
    "azure.workload.identity/client-id",
)
#: Secrets that are for something else than a bucket.
_OTHER_TYPES = (
    "kubernetes.io/service-account-token",
    "kubernetes.io/dockerconfigjson",
    "kubernetes.io/dockercfg",
    "kubernetes.io/tls",
)
#: What the address of a model begins with → the variables that its credentials come in. Others may be asked without.
_COMES_IN = {
    "s3://": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
    "gs://": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "hf://": ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"),
}
#: The same for variables that say how a model is fetched, and where else they are set.
_SETTINGS = {
    "s3://": (
        ("AWS_ENDPOINT_URL", "S3_ENDPOINT", "S3_USE_HTTPS", "S3_VERIFY_SSL"),
        "write it as an annotation serving.kserve.io/s3-… of the Secret with the keys",
    ),
    "hf://": (
        ("HF_ENDPOINT",),
        "set it in the container of the ClusterStorageContainer that fetches such models",
    ),
}
_SHOWN = 5
#: How people say no to TLS.
_NO = frozenset({"false", "no", "off", "n", "f"})


@check(NOT_FETCHED)
def not_fetched(view: ServiceView) -> Iterator[Problem]:
    """Yield credentials and addresses that the server has, but the container that fetches the model lacks."""
    for workload in view.serving:
        if not workload.fetcher:
            continue
        given = _names(workload.engine_container) - _names(_fetcher(workload))
        for scheme in _schemes(view):
            settings, way = _SETTINGS.get(scheme, ((), ""))
            fixes = {**dict.fromkeys(_COMES_IN[scheme], ""), **dict.fromkeys(settings, way)}
            for name in (each for each in fixes if each in given):
                yield NOT_FETCHED.at(
                    workload.in_engine("env"),
                    name=name,
                    engine=workload.engine,
                    fetcher=workload.fetcher,
                    fix=fixes[name],
                )


@check(UNREAD, reads=("Secrets",))
def unread(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield entries of Secrets for S3 that nobody reads."""
    namespace = view.reference.namespace
    for workload in view.serving:
        for variable in _fetcher(workload).get("env") or ():
            source = (variable.get("valueFrom") or {}).get("secretKeyRef") or {}
            if variable.get("name") != "AWS_SECRET_ACCESS_KEY" or not source.get("name"):
                continue
            secret = str(source["name"])
            live = reader.get(Reference("v1", "Secret", namespace, secret)) or {}
            for key in sorted(set(secret_texts(live)) - view.s3_keys):
                yield UNREAD.at(
                    workload.origin,
                    namespace=namespace,
                    secret=secret,
                    key=key,
                    fetcher=workload.fetcher,
                )


@check(PLAIN_HTTP)
def plain_http(view: ServiceView) -> Iterator[Problem]:
    """Yield models that are asked for by TLS, although somebody wrote in another word that they are not to be."""
    for workload in view.serving:
        values = {
            each.get("name"): str(each.get("value") or "")
            for each in _fetcher(workload).get("env") or ()
        }
        value, url = values.get("S3_USE_HTTPS", ""), values.get("AWS_ENDPOINT_URL", "")
        if value.lower() in _NO and url.startswith("https://"):
            yield PLAIN_HTTP.at(workload.origin, value=value, fetcher=workload.fetcher, url=url)


@check(NO_KEYS, reads=("ServiceAccounts", "Secrets"))
def no_keys(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Secrets of accounts that are meant to fetch a model, but lack an entry that KServe reads."""
    schemes = _schemes(view)
    namespace = view.reference.namespace
    for workload in view.serving if len(schemes) == 1 else ():
        (scheme,) = schemes
        fetcher = _fetcher(workload)
        if not fetcher or {*_COMES_IN[scheme]} & _names(fetcher):
            continue
        name = str(workload.pod.get("serviceAccountName") or "default")
        account = reader.get(Reference("v1", "ServiceAccount", namespace, name)) or {}
        annotations = (account.get("metadata") or {}).get("annotations") or {}
        if any(each in annotations for each in _IDENTITIES):
            continue
        for listed in account.get("secrets") or ():
            secret = str(listed.get("name"))
            live = reader.get(Reference("v1", "Secret", namespace, secret)) or {}
            has = sorted(secret_texts(live))
            if has and live.get("type") not in _OTHER_TYPES and not _for_another(view, scheme, has):
                yield NO_KEYS.at(
                    workload.written("serviceAccountName"),
                    account=name,
                    namespace=namespace,
                    secret=secret,
                    has=", ".join(has),
                    wanted=" and ".join(view.credentials[scheme]),
                    fetcher=workload.fetcher,
                )


def _schemes(view: ServiceView) -> list[str]:
    """Return what the addresses of the models begin with."""
    return [each for each in _COMES_IN if any(m.value.startswith(each) for m in view.models)]


def _for_another(view: ServiceView, scheme: str, has: list[str]) -> bool:
    """Tell whether a Secret's entries are credentials for addresses of another kind than that of the model."""
    return any(
        {*entries} & {*has} for other, entries in view.credentials.items() if other != scheme
    )


@check(LISTED, reads=("ServiceAccounts", "Secrets"))
def listed(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Secrets for fetching a model that an account or annotation names, but the given objects lack."""
    namespace = view.reference.namespace
    others = [] if reader.complete else reader.list("v1", "Secret", namespace, {})
    names = {str(each["metadata"]["name"]) for each in others}
    for workload in view.serving if names else ():
        for secret, by, place in _named_secrets(view, workload, reader) if workload.fetcher else ():
            if secret not in names:
                yield LISTED.at(
                    place,
                    by=by,
                    namespace=namespace,
                    secret=secret,
                    fetcher=workload.fetcher,
                    others=few(sorted(names), _SHOWN),
                )


def _named_secrets(
    view: ServiceView, workload: Workload, reader: Reader
) -> Iterator[tuple[str, str, Place]]:
    """Yield the Secrets with which a model is fetched, what names each, and where: the annotation takes the place of the account's."""
    annotations = (view.document.get("metadata") or {}).get("annotations") or {}
    named = annotations.get(view.secret_annotation)
    if named:
        place = Place(child_path("metadata.annotations", view.secret_annotation))
        yield str(named), f"the annotation {view.secret_annotation}", place
        return
    name = str(workload.pod.get("serviceAccountName") or "default")
    account = Reference("v1", "ServiceAccount", view.reference.namespace, name)
    for each in (reader.get(account) or {}).get("secrets") or ():
        if each.get("name"):
            yield str(each["name"]), f"the account {name}", workload.written("serviceAccountName")


def _fetcher(workload: Workload) -> Json:
    """Return the init container that fetches the model, empty where a webhook brings it later."""
    for container in workload.pod.get("initContainers") or ():
        if container.get("name") == workload.fetcher:
            return dict(container)
    return {}


def _names(container: Json) -> set[str]:
    return {str(variable.get("name")) for variable in container.get("env") or ()}
