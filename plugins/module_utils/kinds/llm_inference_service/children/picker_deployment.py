# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployment of the endpoint picker, which chooses a pod for each request."""

from __future__ import annotations

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from ....kube.release import Since
from ...kserve.pod import changed, container_of, without
from ...kserve.releases import KServe
from .. import labels, names
from ..certificate.request import certificate_hash
from ..pod import MAIN
from ..resolved import Resolved
from ..tracing import with_picker_tracing
from .picker_config import config_arguments
from .picker_migrations import keeps_tokenizer, migrated
from .picker_rewrites import WITH_TOKENIZER, rewritten
from .picker_wiring import wired
from .tokenizer import NAME as TOKENIZER
from .tokenizer import has_tokenizer, with_tokenizer

_ELECTION_FLAGS = ("--ha-enable-leader-election", "-ha-enable-leader-election")
#: With it the picker reads a renewed certificate by itself, and need not be started anew.
_RELOAD_FLAG = "--enable-cert-reload"
#: Whether a renewed certificate starts the picker anew.
_RESTARTS: Since[bool] = Since({KServe.V0_17: True, KServe.V0_18: False})


def picker_deployment(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the Deployment, None where the picker is somebody else's.

    Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go@v0.17.0 to v0.19.0. The labels of its pods are its own and its selector.
    """
    if not resolved.managed_picker:
        return None
    scheduler: Json = resolved.at("router", "scheduler")
    said = scheduler.get("annotations") or {}
    pod = with_tokenizer(scheduler["template"], resolved, reader)
    given = pod
    pod = changed(pod, MAIN, lambda main: _configured(given, main, said, resolved))
    main = container_of(pod, MAIN)
    if main is not None and not keeps_tokenizer(main, said, resolved):
        pod = without(pod, TOKENIZER, "containers")
    pod = wired(pod, said, resolved)
    selector = {**labels.picker(resolved.name), **(scheduler.get("labels") or {})}
    annotations = {
        **said,
        **_restart(resolved, reader, pod),
    }
    return Child(
        stage=Stage.WORKLOAD,
        manifest=Manifest(
            api_version=gvk.APPS,
            kind="Deployment",
            name=names.picker(resolved.name),
            namespace=resolved.namespace,
            labels=selector,
            body={
                "spec": filled(
                    {
                        "replicas": scheduler.get("replicas"),
                        "selector": {"matchLabels": selector},
                        "strategy": {"type": "Recreate"},
                        "template": {
                            "metadata": filled({"labels": selector, "annotations": annotations}),
                            "spec": pod,
                        },
                    }
                )
            },
        ),
    )


def _configured(pod: Json, main: Json, annotations: Json, resolved: Resolved) -> Json:
    """Return the picker's container with its configuration, rewritten for what is beside it and for its release."""
    release = resolved.settings.release
    arguments = [str(word) for word in main.get("args") or ()]
    replicas = resolved.at("router", "scheduler", "replicas") or 1
    if replicas > 1 and not any(flag in arguments for flag in _ELECTION_FLAGS):
        arguments.append(_ELECTION_FLAGS[0])
    traced = with_picker_tracing(
        {**main, "args": [*arguments, *config_arguments(resolved, arguments)]}, resolved
    )
    arguments = traced["args"]
    if has_tokenizer(pod, release):
        arguments = rewritten(arguments, release, WITH_TOKENIZER)
    main = {**traced, "args": arguments}
    return migrated(pod, main, annotations, resolved)


def _restart(resolved: Resolved, reader: Reader, pod: Json) -> Json:
    """Return the annotation that starts the picker anew when the certificate changes."""
    main = container_of(pod, MAIN)
    if not _RESTARTS.at(resolved.settings.release):
        return {}
    digest = certificate_hash(resolved, reader)
    if digest is None or main is None or _RELOAD_FLAG in main["args"]:
        return {}
    return {resolved.config.certificates.restart_annotation: digest}
