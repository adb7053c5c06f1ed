# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that lead nowhere: an error where pods would never start, a warning else, nothing where nobody can know."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import Problem
from ansible_collections.modelops.inference.plugins.module_utils.kube.reader import (
    GivenObjects,
    NotAllowed,
    Reader,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.objects import Cluster
from tests.unit.modules.task import run

from .checked import warnings
from .services import CLAIM, from_secret, llm_inference_service, model, routed, runtime
from .surroundings import CONFIG, NAMESPACE, class_of, secret

Json = dict[str, Any]


def with_pod(**pod: Any) -> Json:
    return llm_inference_service(template={"containers": [{"name": "main"}], **pod})


def with_env(**source: Any) -> Json:
    variable = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"key": "token", **source}}}
    return llm_inference_service(template={"containers": [{"name": "main", "env": [variable]}]})


def told(service: Json, reader: Reader) -> Problem | None:
    return warnings(service, reader).get("name-missing")


@pytest.mark.parametrize(
    ("service", "text"),
    [
        (with_env(name="absent"), "Secret team-a/absent, which does not exist"),
        (with_pod(serviceAccountName="absent"), "failed to fetch"),
        (with_pod(runtimeClassName="absent"), "RuntimeClass absent"),
        (with_pod(priorityClassName="absent"), "PriorityClass absent"),
        (
            with_pod(volumes=[{"name": "v", "configMap": {"name": "absent"}}]),
            "ConfigMap team-a/absent",
        ),
        (
            with_pod(
                volumes=[{"name": "v", "projected": {"sources": [{"secret": {"name": "absent"}}]}}]
            ),
            "volumes[v].projected.sources[0].secret names Secret",
        ),
        (with_pod(resourceClaims=[CLAIM]), "ResourceClaimTemplate team-a/one-gpu"),
        (
            with_pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "absent"}}]),
            "PersistentVolumeClaim team-a/absent",
        ),
        (with_pod(nodeName="absent"), "Node absent"),
        (
            with_pod(volumes=[{"name": "v", "csi": {"driver": "csi.example.com"}}]),
            "CSIDriver csi.example.com",
        ),
        (
            with_pod(
                volumes=[{"name": "v", "azureFile": {"secretName": "absent", "shareName": "x"}}]
            ),
            "Secret team-a/absent",
        ),
        *(
            (
                with_pod(volumes=[{"name": "v", kind: {"secretRef": {"name": "absent"}, **more}}]),
                "Secret team-a/absent",
            )
            for kind, more in (
                ("cephfs", {"monitors": ["a"]}),
                ("iscsi", {"targetPortal": "a", "iqn": "b", "lun": 0}),
                ("rbd", {"monitors": ["a"], "image": "b"}),
            )
        ),
    ],
)
def test_what_keeps_pods_from_starting_is_an_error(service: Json, text: str) -> None:
    found = told(service, Cluster([NAMESPACE]))
    if found is None:
        # What the controller itself looks for is told in its words, and nothing is compiled then.
        assert text == "failed to fetch"
        return
    assert text in found.message
    assert found.severity == "error"


def test_what_pods_start_without_is_a_warning() -> None:
    found = told(with_pod(imagePullSecrets=[{"name": "absent"}]), Cluster([NAMESPACE]))
    assert found is not None
    assert found.severity == "warning"


def test_secret_with_which_an_account_pulls_images_is_looked_up() -> None:
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "own", "namespace": "team-a"},
        "imagePullSecrets": [{"name": "there"}, {"name": "absent"}],
    }
    cluster = Cluster([NAMESPACE, account, secret("there", "x")])
    found = told(with_pod(serviceAccountName="own"), cluster)
    assert found is not None
    assert found.severity == "warning"
    assert found.path == "spec.template.serviceAccountName"
    assert "ServiceAccount team-a/own names Secret team-a/absent" in found.message


@pytest.mark.parametrize(
    ("service", "field"),
    [
        (llm_inference_service(model={"uri": "pvc://absent/chat"}), "spec.model.uri"),
        (model(storageUri="pvc://absent"), "spec.predictor.model.storageUri"),
    ],
)
def test_claim_of_a_model_is_told_at_its_address(service: Json, field: str) -> None:
    found = told(service, Cluster([NAMESPACE, CONFIG, runtime()]))
    assert found is not None
    assert found.path == field


@pytest.mark.parametrize(
    "service",
    [
        with_env(name="absent", optional=True),
        with_pod(volumes=[{"name": "v", "secret": {"secretName": "absent", "optional": True}}]),
        with_pod(priorityClassName="system-node-critical"),
        with_pod(volumes=[{"name": "v", "configMap": {"name": "kube-root-ca.crt"}}]),
        with_env(name="chat-kserve-self-signed-certs", key="tls.crt"),
    ],
)
def test_what_need_not_be_there_is_not_missed(service: Json) -> None:
    found = warnings(service, Cluster([NAMESPACE]))
    assert not {"name-missing", "key-missing"} & found.keys()


def test_nobody_can_have_put_anything_into_a_new_namespace() -> None:
    found = told(with_env(name="absent"), Cluster())
    assert found is not None
    assert found.severity == "warning"


@pytest.mark.parametrize(
    ("objects", "severity"),
    [
        ([], None),
        ([secret("unlike", "token")], "warning"),
        ([secret("absend", "token")], "warning"),
    ],
)
def test_without_a_cluster_only_what_contradicts_is_told(
    objects: list[Json], severity: str | None
) -> None:
    found = told(with_env(name="absent"), GivenObjects(objects))
    assert (found.severity if found else None) == severity


def test_classes_that_are_given_are_all_that_there_are() -> None:
    service = with_pod(runtimeClassName="nvidia")
    found = told(service, GivenObjects([class_of("RuntimeClass", "nvidia-cdi")]))
    assert found is not None
    assert found.severity == "error"
    assert 'did you mean "nvidia-cdi"?' in found.message


def test_each_object_is_told_once() -> None:
    variables = [{**from_secret("absent"), "name": name} for name in ("A", "B")]
    service = llm_inference_service(template={"containers": [{"name": "main", "env": variables}]})
    found = [
        each for each in everything(service, Cluster([NAMESPACE])) if each.rule == "name-missing"
    ]
    assert len(found) == 1


class Closed(Cluster):
    """A cluster in which nobody may look at Secrets."""

    def get(self, reference: Reference) -> Json | None:
        if reference.name == "absent":
            raise NotAllowed
        return super().get(reference)


def test_a_right_that_is_missing_loses_one_kind_alone() -> None:
    main = {"name": "main", "env": [from_secret("absent")]}
    service = llm_inference_service(
        model={"uri": "pvc://models/chat"},
        template={"containers": [main], "runtimeClassName": "nowhere"},
    )
    found = [each.message for each in everything(service, Closed([NAMESPACE]))]
    assert [each for each in found if "RuntimeClass nowhere, which does not exist" in each]
    assert [each for each in found if "reading Secrets is not allowed" in each]


def everything(service: Json, reader: Reader) -> list[Problem]:
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.registry import WRITTEN

    from .checked import checked

    kind = WRITTEN[service["apiVersion"], service["kind"]]
    settings = kind.settings({}, {})
    loaded = kind.load(service, settings)
    return checked(loaded.service, settings, reader)


def test_what_another_service_of_the_run_makes_is_there() -> None:
    guest = routed({"name": "chad-kserve-workload-svc", "port": 8000})
    told = {
        number: "backend-missing" in str(run(state="rendered", services=services)["services"])
        for number, services in enumerate(([guest], [guest, llm_inference_service(name="chad")]))
    }
    assert told == {0: True, 1: False}
