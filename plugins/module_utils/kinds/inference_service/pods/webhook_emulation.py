# SPDX-License-Identifier: GPL-3.0-or-later
"""The webhook's work done in a component's pod template, for clusters in which no webhook does it.

Source: KServe pkg/webhook/admission/pod/mutator.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Callable

from ....kube.manifest import Json
from ....kube.reader import NotAllowed, Reader
from ....kube.reference import Reference
from ...kserve.storage.refused import StorageRefused
from ..errors import Unbuildable
from ..labels import COMPONENT
from ..names import Role
from ..resolved import Resolved
from .mutation.mutate import mutated
from .mutation.subject import Subject

#: From a pod template to the same with model, agent and metrics brought in.
Mutator = Callable[[Json], Json]
#: Where KServe's bundle registers its webhooks for services and for pods.
POD_WEBHOOKS = Reference(
    "admissionregistration.k8s.io/v1",
    "MutatingWebhookConfiguration",
    "",
    "inferenceservice.serving.kserve.io",
)
#: The one among them that changes pods.
_POD_WEBHOOK = "inferenceservice.kserve-webhook-server.pod-mutator"


def is_rendered(resolved: Resolved, reader: Reader) -> bool:
    """Tell whether pods are finished here: as the settings say, else where no webhook of KServe does it in the cluster."""
    wanted = resolved.settings.pod_mutation
    if wanted != "auto":
        return wanted == "rendered"
    try:
        found = reader.get(POD_WEBHOOKS) or {}
    except NotAllowed:
        # Work that is done twice does no harm: the webhook leaves what is there already.
        return True
    return not any(each.get("name") == _POD_WEBHOOK for each in found.get("webhooks") or ())


def may_look(resolved: Resolved, reader: Reader) -> bool:
    """Tell whether it is known who finishes pods: by the settings, or because the webhook may be looked for."""
    if resolved.settings.pod_mutation != "auto":
        return True
    try:
        reader.get(POD_WEBHOOKS)
    except NotAllowed:
        return False
    return True


def mutator(resolved: Resolved, reader: Reader) -> Mutator:
    """Return what makes a pod template of what the template's component is: finished here, or left to the webhook.

    A template is a map of `metadata` and `spec`, with the defaults of its mode. The function raises Unbuildable.
    """
    if not is_rendered(resolved, reader):
        return _as_it_is
    return lambda template: _finished(template, resolved, reader)


def _as_it_is(template: Json) -> Json:
    return template


def _finished(template: Json, resolved: Resolved, reader: Reader) -> Json:
    """Return a template as the webhook would leave its pods.

    What the webhook does to sidecars that others bring later, Istio's and Knative's, is not done. Raises Unbuildable.
    """
    metadata = template.get("metadata") or {}
    labels = metadata.get("labels") or {}
    subject = Subject(
        name="",
        namespace=resolved.service.namespace,
        labels=labels,
        annotations=metadata.get("annotations") or {},
        spec=template["spec"],
        config=resolved.config,
        kserve_namespace=resolved.settings.kserve_namespace,
        reader=reader,
        release=resolved.settings.release,
        logger=resolved.service.spec["predictor"].get("logger"),
        template=True,
    )
    try:
        done = mutated(subject)
    except StorageRefused as error:
        role: Role = labels[COMPONENT]
        raise Unbuildable(
            error.message,
            role=role,
            path=f"spec.{role}.{error.field}",
            advice=error.advice,
            rule="pod",
        ) from None
    annotations = dict(done.annotations)
    return {**template, "metadata": {**metadata, "annotations": annotations}, "spec": done.spec}
