# SPDX-License-Identifier: GPL-3.0-or-later
"""What pods are made of that the API accepts, and that does not do what its author wants."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.command_line import flags
from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.reader import Reader
from ...kserve.modes import KNATIVE
from ...kserve.pod import container_of
from ..errors import Unbuildable
from ..resolved import Resolved
from ..runtimes.runtime import Runtime
from .annotations import SOURCE_URI
from .build import models_refused
from .component import Component, Components
from .containers import SERVER, readers
from .knative_features import FEATURES, switched_off
from .webhook_emulation import POD_WEBHOOKS, is_rendered, may_look, mutator

#: Variables of a model server that the init container would need to fetch the model.
_CREDENTIALS = ("HF_TOKEN", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_FETCHED = ("hf://", "s3://")


def pod_advice(resolved: Resolved, found: Components, reader: Reader) -> Iterator[Problem]:
    """Yield the warnings about the pods of a service."""
    if not may_look(resolved, reader):
        yield Problem(
            "",
            f"{POD_WEBHOOKS} may not be read, so it is not known whether KServe's webhook finishes pods: they are finished in their "
            "templates, which is right in either case; set pod_mutation: rendered, or webhook",
            "warning",
            rule="pod-mutation",
        )
    for component in found.items:
        if component.role == "predictor" and found.runtime is not None:
            yield from _arguments(component, found.runtime)
        yield from _models(component, resolved, reader)
        yield from _model_image(component, resolved)
        yield from _credentials(component)
        yield from _agent(component, resolved, reader)
        yield from _features(component, resolved, reader)


def _arguments(component: Component, runtime: Runtime) -> Iterator[Problem]:
    """Yield flags that the runtime and the service give with different values: both are passed on, the service's last."""
    server = container_of(component.pod, SERVER) or {}
    of_runtime = container_of(runtime.spec, SERVER) or {}
    count = len(of_runtime.get("args") or ())
    args = server.get("args") or []
    theirs = dict(flags({**server, "command": [], "args": args[:count]}))
    ours = dict(flags({**server, "command": [], "args": args[count:]}))
    for flag, value in ours.items():
        if flag.startswith("--") and theirs.get(flag, value) != value:
            yield Problem(
                "spec.predictor.model.args",
                f'{flag} is "{value}" here and "{theirs[flag]}" in {runtime}, and the server gets both: KServe puts the '
                "arguments of the service behind those of its runtime; leave it out here, or use a runtime without it",
                "warning",
                rule="argument-twice",
            )


def _models(component: Component, resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    """Yield that models are left out, as KServe does it in Knative mode."""
    error = models_refused(component, resolved, reader)
    if error is not None and resolved.mode == KNATIVE:
        yield Problem(
            f"spec.{component.role}.{error.field}",
            f"{error.message}: in Knative mode KServe goes on without the models; {error.advice}",
            "warning",
            rule="storage-uris",
        )


def _model_image(component: Component, resolved: Resolved) -> Iterator[Problem]:
    """Yield that a server next to a model in an image loses its securityContext."""
    storage = resolved.config.storage
    in_image = component.annotations.get(SOURCE_URI, "").startswith("oci://")
    if not in_image or not storage.enable_modelcar or storage.uid_modelcar is None:
        return
    for name in readers(component.pod):
        lost = _lost(container_of(component.pod, name) or {}, storage.uid_modelcar)
        if lost:
            yield Problem(
                f"spec.{component.role}",
                f"the model stands in an image, so {name} gets the securityContext {{runAsUser: {storage.uid_modelcar}}} and "
                f"loses {', '.join(lost)}: Pod Security `restricted` refuses such a pod; take uidModelcar out of the block "
                "storageInitializer of inferenceservice-config, or fetch the model another way",
                "warning",
                rule="modelcar-user",
            )


def _lost(container: Json, user: int) -> list[str]:
    context = container.get("securityContext") or {}
    return sorted(key for key, value in context.items() if (key, value) != ("runAsUser", user))


def _credentials(component: Component) -> Iterator[Problem]:
    """Yield credentials that the server has, and not the init container that fetches the model."""
    if not component.annotations.get(SOURCE_URI, "").startswith(_FETCHED):
        return
    server = container_of(component.pod, SERVER) or {}
    for name in sorted({str(each.get("name")) for each in server.get("env") or ()}):
        if name in _CREDENTIALS:
            yield Problem(
                f"spec.{component.role}",
                f"{name} is set on {SERVER}, and the init container that fetches the model does not get it: keep it in a Secret "
                f"and name that in `secrets` of a ServiceAccount, and the account in spec.{component.role}.serviceAccountName",
                "warning",
                rule="fetch-credentials",
            )


def _agent(component: Component, resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    """Yield that Knative's proxy knows nothing of an agent that stands in the template."""
    wanted = component.has_agent or component.multi_model
    if wanted and resolved.mode == KNATIVE and is_rendered(resolved, reader):
        yield Problem(
            f"spec.{component.role}",
            "logger, batcher and multi-model serving need an agent that KServe's webhook puts behind Knative's proxy when a pod is "
            "created; without that webhook Knative sends requests past it; use Standard mode, or keep the webhook",
            "warning",
            rule="agent-knative",
        )


def _features(component: Component, resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    """Yield what Knative will not take of a pod as it is set up."""
    if resolved.mode != KNATIVE:
        return
    metadata = {"labels": component.labels, "annotations": component.annotations}
    try:
        finished = mutator(resolved, reader)({"metadata": metadata, "spec": component.pod})
    except Unbuildable:
        return
    missing = switched_off(finished["spec"], reader)
    if missing:
        yield Problem(
            f"spec.{component.role}",
            f"Knative refuses these pods while {', '.join(missing)} {'are' if len(missing) > 1 else 'is'} off: "
            f"write `enabled` in {FEATURES}, or use Standard mode",
            "warning",
            rule="knative-features",
        )
