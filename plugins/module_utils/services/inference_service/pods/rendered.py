# SPDX-License-Identifier: GPL-3.0-or-later
"""The webhook's work done in a component's pod template, for clusters in which no webhook does it.

Source: KServe v0.17.0; reference/kserve-isvc-and-install.md A9.
"""

from __future__ import annotations

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.reference import Reference
from ..errors import Unbuildable
from ..names import Role
from ..resolved import Resolved
from .component import Texts
from .mutation.mutate import mutated
from .mutation.subject import Subject
from .storage.errors import StorageRefused

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
    found = reader.get(POD_WEBHOOKS) or {}
    return not any(each.get("name") == _POD_WEBHOOK for each in found.get("webhooks") or ())


def rendered_template(
    role: Role, labels: Texts, annotations: Texts, pod: Json, resolved: Resolved, reader: Reader
) -> tuple[Texts, Json]:
    """Return annotations and pod spec of a template as the webhook would leave its pods.

    labels, annotations, pod: of the template, with the defaults of its mode. What the webhook does to sidecars that others bring
    later, Istio's and Knative's, is not done. Raises Unbuildable.
    """
    predictor = resolved.service.spec["predictor"]
    subject = Subject(
        name="",
        namespace=resolved.service.namespace,
        labels=labels,
        annotations=annotations,
        spec=pod,
        config=resolved.config,
        kserve_namespace=resolved.settings.kserve_namespace,
        reader=reader,
        logger=predictor.get("logger"),
    )
    try:
        done = mutated(subject)
    except StorageRefused as error:
        raise Unbuildable(
            error.message,
            role=role,
            path=f"spec.{role}.{error.field}",
            advice=error.advice,
            rule="pod",
        ) from None
    return done.annotations, done.spec
