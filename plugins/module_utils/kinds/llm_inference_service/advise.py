# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API accepts of a service and cannot do what its author wants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.release import Since
from ..kserve.pod import container_of
from ..kserve.releases import KServe
from ..kserve.secrets import secret_texts
from ..kserve.storage.initializer import NAME as INITIALIZER
from .advise_picker import picker_advice
from .certificate.request import secret_reference
from .compile import children
from .errors import Unbuildable
from .pod import MAIN
from .presets.builtin import OWN, PREFIX
from .presets.resolve import resolve
from .resolved import Resolved
from .router.references import invalid_references
from .settings import Settings
from .spec import LlmInferenceService

#: Variables of a model server that the init container would need to fetch the model.
_CREDENTIALS = ("HF_TOKEN", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
#: Whether models that stand on the nodes already are read there.
_READS_LOCAL_MODELS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})
#: Keeps a service from models that stand on the nodes already.
_NO_LOCAL_MODEL = "serving.kserve.io/disable-localmodel"
#: What is read from a Secret for S3, beside the two keys that inferenceservice-config names.
_S3_KEYS = frozenset(
    {
        "S3_USE_HTTPS",
        "S3_ENDPOINT",
        "S3_VERIFY_SSL",
        "awsAnonymousCredential",
        "AWS_DEFAULT_REGION",
        "S3_USER_VIRTUAL_BUCKET",
        "S3_USE_ACCELERATE",
        "AWS_CA_BUNDLE",
        "AWS_CA_BUNDLE_CONFIGMAP",
    }
)


def advise(service: LlmInferenceService, settings: Settings, reader: Reader) -> Sequence[Problem]:
    """Return the warnings about a service. One that cannot be built has errors instead, which compile raises."""
    try:
        resolved = resolve(service, settings, reader)
        manifests = [child.manifest.to_dict() for child in children(resolved, reader)]
    except Unbuildable:
        return ()
    found = [
        *_presets(resolved),
        *_router(resolved, reader),
        *_certificate(resolved, reader),
        *_local_models(resolved),
        *picker_advice(resolved, manifests),
    ]
    for manifest in manifests:
        for pod in _pods(manifest):
            found += [*_credentials(pod), *_secrets(pod, resolved, reader)]
    return tuple(dict.fromkeys(found))


def _presets(resolved: Resolved) -> Iterator[Problem]:
    own = any(source.startswith(OWN) for source in resolved.sources)
    if own and resolved.settings.config_prefix != PREFIX:
        message = (
            f"namespace {resolved.settings.kserve_namespace} shows no presets, so the collection's own are used; "
            f"settings.config_prefix: {PREFIX} asks for them without this warning"
        )
        yield Problem("", message, "warning", rule="own-presets")


def _router(resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    invalid = None if resolved.stopped else invalid_references(resolved, reader)
    if invalid is not None:
        message = f"{invalid.message}; requests reach the service once it is there"
        yield Problem("spec.router", message, "warning", rule="router-reference")


def _certificate(resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    reference = secret_reference(resolved)
    if resolved.stopped or reader.complete or reader.get(reference) is not None:
        return
    message = (
        f"the Secret {reference.namespace}/{reference.name}, which all pods mount, is left out: its keys are made "
        "when the service is applied, or stand in cluster_objects"
    )
    yield Problem("", message, "warning", rule="certificate-left-out")


def _local_models(resolved: Resolved) -> Iterator[Problem]:
    release = resolved.settings.release
    uses = _READS_LOCAL_MODELS.at(release) and resolved.config.local_models
    if uses and _NO_LOCAL_MODEL not in resolved.service.annotations:
        message = (
            f"KServe {release} looks for a LocalModelCache of the model on the nodes; this collection does not, and the "
            f"model is fetched; the annotation {_NO_LOCAL_MODEL} says that this is meant"
        )
        yield Problem("spec.model.uri", message, "warning", rule="local-model")


def _pods(manifest: Json) -> Iterator[Json]:
    spec: Json = manifest.get("spec") or {}
    templates = spec.get("leaderWorkerTemplate") or spec
    for name in ("template", "leaderTemplate", "workerTemplate"):
        if isinstance(templates.get(name), dict):
            yield templates[name].get("spec") or {}


def _names(container: Json | None) -> set[str]:
    return {str(variable.get("name")) for variable in (container or {}).get("env") or ()}


def _credentials(pod: Json) -> Iterator[Problem]:
    """Yield the credentials that the server has and who fetches the model has not."""
    fetcher = container_of(pod, INITIALIZER, "initContainers")
    if fetcher is None:
        return
    given = _names(container_of(pod, MAIN)) - _names(fetcher)
    for name in _CREDENTIALS:
        if name in given:
            message = (
                f"{name} is set on the container {MAIN}, but the init container {INITIALIZER} fetches the model, and does "
                "not get it; list the Secret in the service account of the pod"
            )
            yield Problem("spec.template.containers", message, "warning", rule="fetch-credentials")


def _secrets(pod: Json, resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    """Yield the entries of Secrets for S3 that nobody reads."""
    config = resolved.config.credentials.s3
    known = {
        *_S3_KEYS,
        config.get("s3AccessKeyIDName") or "awsAccessKeyID",
        config.get("s3SecretAccessKeyName") or "awsSecretAccessKey",
    }
    fetcher = container_of(pod, INITIALIZER, "initContainers") or {}
    for variable in fetcher.get("env") or ():
        source = (variable.get("valueFrom") or {}).get("secretKeyRef") or {}
        if variable.get("name") != "AWS_SECRET_ACCESS_KEY" or not source.get("name"):
            continue
        name = str(source["name"])
        secret = reader.get(Reference("v1", "Secret", resolved.namespace, name))
        for key in sorted(set(secret_texts(secret or {})) - known):
            message = f"Secret {resolved.namespace}/{name} has {key}, which {INITIALIZER} does not get: KServe reads no such key"
            yield Problem("spec.model.uri", message, "warning", rule="secret-entry")
