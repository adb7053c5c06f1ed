# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API accepts of a service's pods and does not do what its author wants."""

from __future__ import annotations

from dataclasses import replace

import pytest

from module_utils.kinds.inference_service.pods.webhook_emulation import is_rendered
from module_utils.kinds.inference_service.resolved import Resolved
from module_utils.kinds.inference_service.settings import PodMutation
from module_utils.kube.manifest import Json
from module_utils.kube.problem import Problem
from module_utils.kube.reader import NotAllowed
from module_utils.kube.reference import Reference
from tests.objects import thing
from tests.parity.recorded_llm_services import Recorded
from tests.unit.checks.checked import checked

from .test_mutation import fetches
from .world import config, model, only, refusal, resolved, runtime, takes

KNATIVE = config(deploy={"defaultDeploymentMode": "Knative"})
#: Without it Knative is not there, and no service in its mode can be built.
AUTOSCALER: Json = thing("v1", "ConfigMap", "config-autoscaler", "knative-serving")
WEBHOOK: Json = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "MutatingWebhookConfiguration",
    "metadata": {"name": "inferenceservice.serving.kserve.io"},
    "webhooks": [{"name": "inferenceservice.kserve-webhook-server.pod-mutator"}],
}


def advice(predictor: Json, *manifests: Json) -> list[str]:
    """Return the rules of the warnings about a service."""
    world = resolved(predictor, AUTOSCALER, *manifests)
    return [each.rule for each in told(*world)]


def told(meant: Resolved, reader: Recorded) -> list[Problem]:
    """Return what is told of a service, but what is about its small world: it has no configuration and no domains."""
    found = checked(meant.service, meant.settings, reader)
    refused = {each.rule for each in found if each.severity == "error"}
    assert refused <= {"knative-limits"}
    return [each for each in found if each.rule not in ("system-config", "host", "gateway-missing")]


def arguments(theirs: list[str], ours: list[str]) -> list[str]:
    server = {"name": "kserve-container", "image": "a:1", "args": theirs}
    return advice(model(args=ours), runtime("a", takes(), containers=[server]))


@pytest.mark.parametrize(
    ("theirs", "ours", "warned"),
    [
        (["--port=1"], ["--port=2"], True),
        (["--port", "1"], ["--port=2"], True),
        (["--http_port=1"], ["--http-port=2"], True),
        (["--port=1"], ["--port=1"], False),
        (["--port=1"], ["--host=2"], False),
        ([], ["--port=1", "--port=2"], True),
    ],
)
def test_a_flag_with_two_values_is_told(theirs: list[str], ours: list[str], warned: bool) -> None:
    assert ("argument-twice" in arguments(theirs, ours)) == warned


URIS = [{"uri": "s3://b/m", "mountPath": "/mnt/models"}]


def test_models_that_knative_mode_leaves_out_are_told() -> None:
    predictor = {"model": {"modelFormat": {"name": "sklearn"}}, "storageUris": URIS}
    world = (runtime("a", takes()), fetches())
    assert advice(predictor, KNATIVE, *world) == ["storage-uris"]
    assert "initContainers" not in only(predictor, KNATIVE, *world).pod
    error = refusal(predictor, *world)
    assert "supportsMultiModelDownload: true" in error.problem.message
    assert error.reason == "ReconcileFailed"


def test_a_container_that_fetches_several_models_is_used() -> None:
    predictor = {"model": {"modelFormat": {"name": "sklearn"}}, "storageUris": URIS}
    able = fetches()
    able["spec"]["supportsMultiModelDownload"] = True
    assert only(predictor, runtime("a", takes()), able).pod["initContainers"]


@pytest.mark.parametrize(
    ("context", "warned"),
    [({"runAsNonRoot": True}, True), ({"runAsUser": 1010}, False), ({}, False)],
)
def test_a_security_context_that_a_model_image_replaces_is_told(
    context: Json, warned: bool
) -> None:
    server = {"name": "kserve-container", "image": "a:1", "securityContext": context}
    found = advice(
        model(storageUri="oci://example.com/m:1"), runtime("a", takes(), containers=[server])
    )
    assert found == (["modelcar-user"] if warned else [])


CLAIM: Json = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "models", "namespace": "team-a"},
    "spec": {"accessModes": ["ReadOnlyMany"], "volumeName": "v"},
}


def test_credentials_of_the_server_do_not_fetch_the_model() -> None:
    source = {"secretKeyRef": {"name": "hub", "key": "token", "optional": True}}
    token = [{"name": "HF_TOKEN", "valueFrom": source}]
    server = runtime("a", takes("huggingface"))
    assert advice(model("huggingface", storageUri="hf://o/m", env=token), server) == [
        "fetch-credentials"
    ]
    mounted = model("huggingface", storageUri="pvc://models/m", env=token)
    assert advice(mounted, server, CLAIM) == []


@pytest.mark.parametrize(("webhook", "warned"), [([], True), ([WEBHOOK], False)])
def test_an_agent_that_knative_goes_past_is_told(webhook: list[Json], warned: bool) -> None:
    predictor = {**model(), "logger": {"mode": "all"}}
    found = advice(predictor, KNATIVE, runtime("a", takes()), *webhook)
    assert found == (["agent-knative"] if warned else [])


class Closed(Recorded):
    """A cluster in which nobody may look at webhooks."""

    def get(self, reference: Reference) -> Json | None:
        if reference.kind == WEBHOOK["kind"]:
            raise NotAllowed
        return super().get(reference)


@pytest.mark.parametrize(("mutation", "warned"), [("auto", True), ("rendered", False)])
def test_who_may_not_look_for_the_webhook_finishes_pods_and_says_so(
    mutation: PodMutation, warned: bool
) -> None:
    meant, open_ = resolved(model(), runtime("a", takes()))
    reader = Closed(open_.objects())
    meant = replace(meant, settings=replace(meant.settings, pod_mutation=mutation))
    found = told(meant, reader)
    assert [each.rule for each in found] == (["pod-mutation"] if warned else [])
    assert is_rendered(meant, reader)


def features(**switches: str) -> Json:
    data = {f"kubernetes.podspec-{name.replace('_', '-')}": word for name, word in switches.items()}
    metadata = {"name": "config-features", "namespace": "knative-serving"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


@pytest.mark.parametrize(
    ("predictor", "switches", "missing"),
    [
        (model(), {}, "kubernetes.podspec-init-containers is off"),
        (model(), {"init_containers": "Enabled"}, ""),
        (
            model(storageUri="pvc://models/m"),
            {},
            "kubernetes.podspec-persistent-volume-claim is off",
        ),
        (model(storageUri="pvc://models/m"), {"persistent_volume_claim": "allowed"}, ""),
        (
            {**model(storageUri="pvc://models/m"), "tolerations": [{"operator": "Exists"}]},
            {},
            "tolerations, kubernetes.podspec-persistent-volume-claim are off",
        ),
    ],
)
def test_features_that_knative_has_switched_off_are_told(
    predictor: Json, switches: dict[str, str], missing: str
) -> None:
    world = resolved(
        predictor, KNATIVE, AUTOSCALER, runtime("a", takes()), features(**switches), CLAIM
    )
    found = told(*world)
    assert [each.rule for each in found] == (["knative-features"] if missing else [])
    assert all(missing in each.message for each in found)


def limits(**data: str) -> Json:
    metadata = {"name": "config-defaults", "namespace": "knative-serving"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


HTTP, GRPC = {"containerPort": 8080, "name": "http1"}, {"containerPort": 9000, "name": "h2c"}


@pytest.mark.parametrize(
    ("fields", "data", "place"),
    [
        ({}, {}, ""),
        ({"ports": [HTTP]}, {}, ""),
        ({"ports": [{**HTTP, "name": "web"}]}, {}, "spec.predictor.model.ports[0].name"),
        (
            {"ports": [{**HTTP, "containerPort": 9090}]},
            {},
            "spec.predictor.model.ports[0].containerPort",
        ),
        ({"ports": [HTTP, GRPC]}, {}, "spec.predictor.model.ports[1]"),
        ({"timeout": 900}, {}, "spec.predictor.timeout"),
        ({"timeout": 900}, {"max-revision-timeout-seconds": "1200"}, ""),
        ({"containerConcurrency": 2000}, {}, "spec.predictor.containerConcurrency"),
    ],
)
def test_what_knative_does_not_take_is_told(fields: Json, data: Json, place: str) -> None:
    ports = {name: value for name, value in fields.items() if name == "ports"}
    predictor = {**model(**ports), **{k: v for k, v in fields.items() if k != "ports"}}
    found = told(*resolved(predictor, KNATIVE, AUTOSCALER, runtime("a", takes()), limits(**data)))
    assert [(each.rule, each.path) for each in found if each.rule == "knative-limits"] == (
        [("knative-limits", place)] if place else []
    )
