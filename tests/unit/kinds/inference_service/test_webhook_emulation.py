# SPDX-License-Identifier: GPL-3.0-or-later
"""Who finishes pods: KServe's webhook where there is one, else the templates themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from module_utils.kinds.inference_service.errors import Unbuildable
from module_utils.kinds.inference_service.pods.build import components
from module_utils.kinds.inference_service.pods.webhook_emulation import mutator
from module_utils.kinds.inference_service.settings import PodMutation
from module_utils.kube.manifest import Json

from .test_mutation import account, secret
from .test_pod_advice import WEBHOOK
from .world import model, resolved, runtime, takes


def template(
    predictor: Json, *manifests: Json, mutation: PodMutation = "auto"
) -> tuple[Json, Json]:
    """Return a predictor's template before and after whoever finishes it."""
    found, reader = resolved(predictor, runtime("a", takes()), *manifests)
    component = components(found, reader).items[0]
    labels, annotations = dict(component.labels), dict(component.annotations)
    before = {"metadata": {"labels": labels, "annotations": annotations}, "spec": component.pod}
    settings = replace(found.settings, pod_mutation=mutation)
    return before, mutator(replace(found, settings=settings), reader)(before)


WITHOUT_POD_WEBHOOK = {**WEBHOOK, "webhooks": [{"name": "else"}]}


@pytest.mark.parametrize(
    ("mutation", "manifests", "finished"),
    [
        ("auto", [], True),
        ("auto", [WITHOUT_POD_WEBHOOK], True),
        ("auto", [WEBHOOK], False),
        ("rendered", [WEBHOOK], True),
        ("webhook", [], False),
    ],
)
def test_templates_are_finished_where_no_webhook_does_it(
    mutation: PodMutation, manifests: list[Json], finished: bool
) -> None:
    before, after = template(model(), *manifests, mutation=mutation)
    assert (after != before) == finished
    assert ("initContainers" in after["spec"]) == finished


def test_what_the_webhook_would_refuse_is_refused_before_there_is_a_pod() -> None:
    with pytest.raises(Unbuildable) as caught:
        template({"model": {"modelFormat": {"name": "sklearn"}, "storage": {"path": "m"}}})
    assert caught.value.problem.path == "spec.predictor.model.storage"
    assert caught.value.message == "unable to determine storage type"


def test_only_metadata_and_spec_of_the_pods_change() -> None:
    before, after = template(model())
    assert after["metadata"]["labels"] == before["metadata"]["labels"]
    assert before["metadata"]["annotations"].items() <= after["metadata"]["annotations"].items()


def test_no_text_of_a_secret_stands_in_a_template() -> None:
    headers = secret("own", **{"https-host": "example.com", "headers": "X-Key: hidden"})
    predictor = {**model(storageUri="https://example.com/m"), "serviceAccountName": "reader"}
    dummy, after = template(predictor, headers, account("reader", "own"))
    assert "hidden" not in str(after)
    (container,) = after["spec"]["initContainers"]
    reference = {"secretKeyRef": {"name": "own", "key": "headers"}}
    assert {"name": "example.com-headers", "valueFrom": reference} in container["env"]
