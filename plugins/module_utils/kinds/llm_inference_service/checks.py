# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that only an LLMInferenceService can have: they speak of presets, of certificates, of what KServe's controller reports."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.release import Since
from ..check import WARNING, Check, check
from ..kserve.releases import KServe
from ..view import ServiceView
from .certificate.request import secret_reference
from .presets.builtin import OWN, PREFIX
from .resolved import Resolved
from .router.references import invalid_references

#: Keeps a service from models that stand on the nodes already.
_NO_LOCAL_MODEL = "serving.kserve.io/disable-localmodel"
#: Whether models that stand on the nodes already are read there.
_READS_LOCAL_MODELS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})

OWN_PRESETS = Check(
    "own-presets",
    WARNING,
    finds="namespace {namespace} shows no {presets}, so the collection's own are used",
    fix=f"set settings.config_prefix: {PREFIX} to use them without this warning",
)
REFERENCE = Check(
    "router-reference",
    WARNING,
    finds="{message}",
    fix="requests reach the service once it is there",
)
CERTIFICATE = Check(
    "certificate-left-out",
    WARNING,
    finds="the Secret {namespace}/{name}, which all pods mount, is left out: its keys are made when the service is applied",
    fix="to see it here, give it in cluster_objects",
)
LOCAL_MODEL = Check(
    "local-model",
    WARNING,
    finds="KServe {release} looks for a LocalModelCache of the model on the nodes; this collection does not, and the model is fetched",
    fix=f"set the annotation {_NO_LOCAL_MODEL} if this is meant",
)


@check(OWN_PRESETS, costly=True)
def own_presets(view: ServiceView) -> Iterator[Problem]:
    """Yield that presets are missing in the cluster and others take their place."""
    resolved: Resolved = view.basis
    prefix = resolved.settings.config_prefix
    own = [each.removeprefix(f"{OWN} ") for each in resolved.sources if each.startswith(OWN)]
    if own and prefix != PREFIX:
        all_own = len(own) == len(resolved.sources)
        presets = "presets" if all_own else ", ".join(f"{prefix}{name}" for name in own)
        yield OWN_PRESETS.at("", namespace=resolved.settings.kserve_namespace, presets=presets)


@check(REFERENCE, reads=("Gateways", "HTTPRoutes"))
def references(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways and routes that are not there, as KServe's controller reports them."""
    resolved: Resolved = view.basis
    invalid = None if resolved.stopped else invalid_references(resolved, reader)
    if invalid is not None:
        yield REFERENCE.at("spec.router", message=invalid.message)


@check(CERTIFICATE, reads=("Secrets",))
def certificate(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield that a rendered service lacks its certificate."""
    resolved: Resolved = view.basis
    reference = secret_reference(resolved)
    if not (resolved.stopped or reader.complete or reader.get(reference)):
        yield CERTIFICATE.at("", namespace=reference.namespace, name=reference.name)


@check(LOCAL_MODEL, costly=True)
def local_models(view: ServiceView) -> Iterator[Problem]:
    """Yield that a model is fetched which KServe would look for on the nodes."""
    resolved: Resolved = view.basis
    release = resolved.settings.release
    uses = _READS_LOCAL_MODELS.at(release) and resolved.config.local_models
    if uses and _NO_LOCAL_MODEL not in resolved.service.annotations:
        yield LOCAL_MODEL.at("spec.model.uri", release=release)


CHECKS = (own_presets, references, certificate, local_models)
