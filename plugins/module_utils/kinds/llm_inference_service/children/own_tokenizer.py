# SPDX-License-Identifier: GPL-3.0-or-later
"""The server that counts tokens for the endpoint picker, which needs a part of the model, and its Service.

Source: KServe pkg/controller/v1alpha2/llmisvc/tokenizer.go at aaac4e294dae.
"""

from __future__ import annotations

from ....kube import gvk
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from ...kserve.pod import container_of
from ...kserve.storage.initializer import MODEL_PATH
from .. import labels, names
from ..accounts import live_picker
from ..artifacts.attach import Account, with_model
from ..artifacts.errors import ArtifactError
from ..artifacts.place import Place
from ..errors import Unbuildable
from ..own_tokenizer import PORT, makes_own_tokenizer
from ..pod import MAIN
from ..resolved import Resolved

_PORT_NAME = "render-http"
_PLACE = Place(MAIN, f"{MODEL_PATH}/base")
_TEMPLATE = ("router", "scheduler", "tokenizer", "template")


def own_tokenizer(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the Deployment, None where no picker of the service asks for tokens. Raises Unbuildable."""
    if not makes_own_tokenizer(resolved):
        return None
    own = labels.tokenizer(resolved.name)
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": own},
        "template": {"metadata": {"labels": own}, "spec": _pod(resolved, reader)},
    }
    return _child(resolved, Stage.WORKLOAD, gvk.APPS, "Deployment", spec)


def own_tokenizer_service(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the Service by which the picker finds the tokenizer, None where there is none."""
    if not makes_own_tokenizer(resolved):
        return None
    port = {"name": _PORT_NAME, "port": PORT, "targetPort": _PORT_NAME, "protocol": "TCP"}
    spec = {"selector": labels.tokenizer(resolved.name), "ports": [port]}
    return _child(resolved, Stage.SERVICE, "v1", "Service", spec)


def _child(resolved: Resolved, stage: Stage, api_version: str, kind: str, spec: Json) -> Child:
    return Child(
        stage=stage,
        manifest=Manifest(
            api_version=api_version,
            kind=kind,
            name=names.tokenizer(resolved.name),
            namespace=resolved.namespace,
            labels=labels.tokenizer(resolved.name),
            body={"spec": spec},
        ),
    )


def _pod(resolved: Resolved, reader: Reader) -> Json:
    """Return its pod with the model, by the credentials of the picker."""
    pod: Json = resolved.at(*_TEMPLATE) or {}
    if container_of(pod, MAIN) is None:
        # Where only a ConfigMap asks for tokens, KServe takes no preset for it.
        raise _unbuildable(
            f"no container found with name {MAIN}",
            ".".join(("spec", *_TEMPLATE)),
            "write tokenizer: {} into router.scheduler, so that the preset is taken, or give the whole pod",
        )
    try:
        return with_model(pod, resolved, reader, Account(live_picker(resolved, reader)), _PLACE)
    except ArtifactError as error:
        raise _unbuildable(error.message, error.path, error.advice) from None


def _unbuildable(message: str, path: str, advice: str) -> Unbuildable:
    failed = "failed to build expected tokenizer deployment: failed to attach model artifacts to tokenizer deployment"
    return Unbuildable(
        f"Failed to reconcile scheduler: {failed}: {message}",
        condition="SchedulerWorkloadReady",
        reason="SchedulerReconcileError",
        path=path,
        advice=advice,
        rule="model",
    )
