# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe 0.20 does otherwise than 0.19, each by an input of which exactly that differs."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.conditions.deployments import (
    deployment_verdict,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.conditions.routing import (
    route_references,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from tests.objects import thing

from .build import document
from .test_releases import (
    GATEWAY,
    KNATIVE_CONFIG,
    STANDARD,
    differences,
    intent_of,
    made,
    server,
    settings,
    told,
)
from .world import config, runtime, takes

Json = dict[str, Any]
OLD, NEW = "0.19", "0.20"
PREFIX = "internal.serving.kserve.io/"
TRANSFORMER = {"containers": [{"name": "kserve-container", "image": "t:1"}]}
EXPLAINER = {"containers": [{"name": "kserve-container", "image": "e:1"}]}


def served(uri: str = "s3://b/m", **fields: Any) -> Json:
    """Return a predictor whose model is found by its format."""
    return {"model": {"modelFormat": {"name": "sklearn"}, "storageUri": uri}, **fields}


def pod_of(found: dict[tuple[str, str], Json], name: str = "iris-predictor") -> Json:
    pod: Json = found["Deployment", name]["spec"]["template"]["spec"]
    return pod


def refused(given: Json, *objects: Json, release: str = NEW) -> str:
    with pytest.raises(InputError) as error:
        made(given, release, *objects)
    return str(error.value)


@pytest.mark.parametrize("mode", ["Standard", "Knative"])
def test_a_plain_service_is_as_before(mode: str) -> None:
    given = document(annotations={"deploymentMode": mode})
    assert differences(given, server(), *KNATIVE_CONFIG, old=OLD, new=NEW) == {}


@pytest.mark.parametrize("gateway", [True, False])
def test_a_predictor_with_a_name_has_it_in_all_its_objects(gateway: bool) -> None:
    ingress = GATEWAY if gateway else {"enableGatewayApi": False}
    given = document(
        predictor=served(name="v2"),
        transformer=TRANSFORMER,
        explainer=EXPLAINER,
        annotations=STANDARD,
    )
    found = made(given, NEW, server(), config(ingress=ingress))
    names = {name for kind, name in found if kind in ("Deployment", "Service", "HTTPRoute")}
    assert {name for name in names if "predictor" in name} == {"iris-v2-predictor"}
    for name in ("iris-transformer", "iris-explainer"):
        assert "iris-v2-predictor.team-a" in pod_of(found, name)["containers"][0]["args"]
    assert "iris-predictor" not in str(found)


@pytest.mark.parametrize("name", [{}, {"name": "v2"}])
@pytest.mark.parametrize("others", [{}, {"transformer": TRANSFORMER, "explainer": EXPLAINER}])
def test_a_service_is_reached_by_the_routes_that_it_has(name: Json, others: Json) -> None:
    given = document(predictor=served(**name), annotations=STANDARD, **others)
    intent = intent_of(given, NEW, server(), config(ingress=GATEWAY))
    routes = {
        one.name for one in (each.manifest for each in intent.children) if one.kind == "HTTPRoute"
    }
    assert {reference.name for dummy, reference in route_references(intent.basis)} == routes


def test_requests_go_to_the_predictor_by_its_name() -> None:
    given = document(predictor=served(name="v2"), annotations=STANDARD)
    route = made(given, NEW, server(), config(ingress=GATEWAY))["HTTPRoute", "iris"]
    assert route["spec"]["rules"][0]["backendRefs"][0]["name"] == "iris-v2-predictor"
    ingress = made(given, NEW, server(), config(ingress={"enableGatewayApi": False}))
    assert "iris-v2-predictor" in str(ingress["Ingress", "iris"])
    knative = document(predictor=served(name="v2"), annotations={"deploymentMode": "Knative"})
    found = made(knative, NEW, server(), *KNATIVE_CONFIG)
    assert ("Service", "iris-v2-predictor") in found
    assert "iris-predictor" not in str(found)


NAMED: dict[str, str] = {"V2": "is not", "2v": "is not", "v-": "is not"}


@pytest.mark.parametrize("name", NAMED)
def test_such_a_name_has_the_form_of_a_label(name: str) -> None:
    problems = load(document(predictor=served(name=name)), settings(NEW)).problems
    assert [each.path for each in problems] == ["spec.predictor.name"]


def test_fields_of_it_are_named_with_their_release() -> None:
    for field in ("name", "storageContainerName"):
        given = document(predictor=served(**{field: "v2"}))
        (problem,) = load(given, settings(OLD)).problems
        assert problem.path == f"spec.predictor.{field}"
        assert "KServe 0.20 knows it" in problem.message


KEY = "kbs:///default/key/v1"


def encrypted(uri: str = "s3://b/m", **asked: Any) -> Json:
    given = served(uri)
    given["model"]["confidential"] = {"enabled": True, **asked}
    return document(predictor=given, annotations=STANDARD)


def test_an_encrypted_model_is_decrypted_by_who_fetches_it() -> None:
    template = made(encrypted(resourceId=KEY), NEW, server())["Deployment", "iris-predictor"]
    notes = template["spec"]["template"]["metadata"]["annotations"]
    assert notes[f"{PREFIX}confidential-enabled"] == "true"
    assert notes[f"{PREFIX}confidential-resource-id"] == KEY
    (container,) = template["spec"]["template"]["spec"]["initContainers"]
    found = {each["name"]: each.get("value") for each in container["env"]}
    assert found["CONFIDENTIAL_ENABLED"] == "true"
    assert found["CONFIDENTIAL_RESOURCE_ID"] == KEY
    assert "onfidential" not in str(made(encrypted(enabled=False), NEW, server()))


def test_what_is_wrong_with_an_encrypted_model_is_told() -> None:
    where = "spec.predictor.model.confidential"
    for given, path, severity in (
        (encrypted(resourceId="x"), f"{where}.resourceId", "error"),
        (encrypted(""), where, "error"),
        (encrypted("pvc://a/b"), where, "warning"),
    ):
        (problem,) = load(given, settings(NEW)).problems
        assert (problem.path, problem.severity) == (path, severity)


def fetcher(name: str, image: str, prefix: str = "s3://", **fields: Any) -> Json:
    """Return a ClusterStorageContainer."""
    spec = {
        "container": {"name": "storage-initializer", "image": image},
        "supportedUriFormats": [{"prefix": prefix}],
        "workloadType": "initContainer",
        "supportsMultiModelDownload": True,
    }
    disabled = {"disabled": True} if fields.pop("disabled", False) else {}
    return thing(
        "serving.kserve.io/v1alpha1",
        "ClusterStorageContainer",
        name,
        spec={**spec, **fields},
        **disabled,
    )


ALL = [fetcher("a", "fetch:a"), fetcher("b", "fetch:b")]


@pytest.mark.parametrize("several", [True, False])
def test_a_service_may_name_what_fetches_its_model(several: bool) -> None:
    predictor = served(storageContainerName="b")
    if several:
        del predictor["model"]["storageUri"]
        predictor["storageUris"] = [{"uri": "s3://b/m", "mountPath": "/mnt/models"}]
    found = made(document(predictor=predictor, annotations=STANDARD), NEW, server(), *ALL)
    (container,) = pod_of(found)["initContainers"]
    assert container["image"] == "fetch:b"
    note = found["Deployment", "iris-predictor"]["spec"]["template"]["metadata"]["annotations"]
    assert note.get(f"{PREFIX}storage-container-name") == (None if several else "b")


UNFIT: dict[str, tuple[Json | None, str]] = {
    "not there": (None, 'ClusterStorageContainer "b" not found'),
    "disabled": (fetcher("b", "x", disabled=True), "is disabled"),
    "for something else": (
        fetcher("b", "x", workloadType="localModelDownloadJob"),
        'has workloadType "localModelDownloadJob"',
    ),
    "for other addresses": (fetcher("b", "x", "gs://"), 'does not support storageUri "s3://b/m"'),
}


@pytest.mark.parametrize("how", UNFIT)
def test_one_that_does_not_fit_is_refused(how: str) -> None:
    found, text = UNFIT[how]
    given = document(predictor=served(storageContainerName="b"), annotations=STANDARD)
    told_so = refused(given, server(), ALL[0], *([found] if found else []))
    assert text in told_so
    assert "storageContainerName" in told_so


def images(pod: Json) -> dict[str, str]:
    return {
        each["name"]: each["image"]["reference"]
        for each in pod.get("volumes", ())
        if "image" in each
    }


IMAGE = {"enableModelcar": True}
#: Configuration, address, and how the image is read.
MODES: dict[str, tuple[Json, str, str]] = {
    "beside, as before": (IMAGE, "oci://i:1", "modelcar"),
    "the newer switch": ({"enableOciModelSupport": True}, "oci://i:1", "modelcar"),
    "as a volume": ({"ociModelMode": "native"}, "oci://i:1", "native"),
    "the address says it": (IMAGE, "oci+native://i:1", "native"),
    "the address says otherwise": ({"ociModelMode": "native"}, "oci+modelcar://i:1", "modelcar"),
}


@pytest.mark.parametrize("how", MODES)
def test_configuration_and_address_say_how_an_image_is_read(how: str) -> None:
    storage, uri, mode = MODES[how]
    given = document(predictor=served(uri), annotations=STANDARD)
    world = (server(), config(storageInitializer=storage), fetcher("all", "f", "oci"))
    pod = pod_of(made(given, NEW, *world))
    beside = {each["name"]: each["image"] for each in pod["containers"]}
    assert beside.get("modelcar") == ("i:1" if mode == "modelcar" else None)
    assert images(pod) == ({"mnt-models": "i:1"} if mode == "native" else {})
    if mode == "native":
        (mount,) = pod["containers"][0]["volumeMounts"]
        assert (mount["mountPath"], mount["subPath"], mount["readOnly"]) == (
            "/mnt/models",
            "models",
            True,
        )
        assert "initContainers" not in pod


LIST = [
    {"uri": "oci://i:1", "mountPath": "/mnt/a/m"},
    {"uri": "oci://i:2", "mountPath": "/mnt/b/m"},
    {"uri": "s3://b/m", "mountPath": "/mnt/c/m"},
]


def several(uris: list[Json]) -> Json:
    predictor = {"model": {"modelFormat": {"name": "sklearn"}}, "storageUris": uris}
    return document(predictor=predictor, annotations=STANDARD)


def test_a_list_may_hold_several_images_and_other_models() -> None:
    world = (server(), config(storageInitializer=IMAGE))
    pod = pod_of(made(several(LIST), NEW, *world))
    beside = {each["name"]: each["image"] for each in pod["containers"]}
    assert (beside["modelcar"], beside["modelcar-1"]) == ("i:1", "i:2")
    first, *others = pod["initContainers"]
    assert [first["name"], *(each["name"] for each in others)] == [
        "modelcar-init",
        "modelcar-init-1",
        "storage-initializer",
    ]
    mounts = {each["name"]: each["mountPath"] for each in pod["containers"][0]["volumeMounts"]}
    assert mounts["kserve-provision-location"] == "/mnt/a"
    assert mounts["kserve-provision-location-1"] == "/mnt/b"
    assert others[-1]["args"] == ["s3://b/m", "/mnt/c/m"]
    assert not [
        rule for rule, dummy in told(several(LIST), NEW, *world) if rule == "storage-images"
    ]
    assert [rule for rule, dummy in told(several(LIST), OLD, *world) if rule == "storage-images"]


def test_images_that_would_hide_each_other_are_refused() -> None:
    beside = [{"uri": f"oci://i:{n}", "mountPath": f"/mnt/a/{n}"} for n in range(2)]
    world = (server(), config(storageInitializer=IMAGE))
    assert "share parent directory" in refused(several(beside), *world)
    native = (server(), config(storageInitializer={"ociModelMode": "native"}))
    assert len(images(pod_of(made(several(beside), NEW, *native)))) == len(beside)
    twice = [{"uri": f"oci://i:{n}", "mountPath": "/mnt/a"} for n in range(2)]
    assert "more than once" in refused(several(twice), *native)
    many = [{"uri": f"oci://i:{n}", "mountPath": f"/mnt/{n}/m"} for n in range(11)]
    assert "too many OCI sources (11)" in refused(several(many), *world)


GPU = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
TYPE = "serving.kserve.io/server-type"
#: The runtime's name and annotations, whether the model asks for GPUs, and the image under 0.19 and 0.20.
TAGS: dict[str, tuple[str, Json, bool, str, str]] = {
    "vLLM without GPUs": ("kserve-vllmserver", {}, False, "v:1", "v-cpu:1"),
    "vLLM with GPUs": ("kserve-vllmserver", {}, True, "v:1", "v:1"),
    "vLLM by its type": ("x", {TYPE: "vllmserver"}, False, "v:1", "v-cpu:1"),
    "Hugging Face by its name": ("kserve-huggingfaceserver", {}, True, "v:1-gpu", "v:1-gpu"),
    "Hugging Face by its type": ("x", {TYPE: "huggingfaceserver"}, True, "v:1", "v:1-gpu"),
    "another type": ("kserve-huggingfaceserver", {TYPE: "x"}, True, "v:1-gpu", "v:1"),
    "no type": ("x", {}, True, "v:1", "v:1"),
}


@pytest.mark.parametrize("how", TAGS)
def test_the_type_of_a_server_says_which_image_it_has(how: str) -> None:
    name, annotations, gpus, before, after = TAGS[how]
    container = {"name": "kserve-container", "image": "v:1"}
    world = runtime(name, takes(), containers=[container], annotations={})
    world["metadata"]["annotations"] = annotations
    model = {**served()["model"], **(GPU if gpus else {})}
    given = document(predictor={"model": model}, annotations=STANDARD)
    for release, image in ((OLD, before), (NEW, after)):
        assert pod_of(made(given, release, world))["containers"][0]["image"] == image


def test_models_of_vllm_are_asked_by_the_second_protocol() -> None:
    both = runtime("vllm", takes("vLLM"), protocolVersions=["v2"])
    given = document(
        predictor={"model": {"modelFormat": {"name": "vLLM"}, "storageUri": "s3://b/m"}},
        annotations=STANDARD,
    )
    assert made(given, NEW, both)
    refused(given, both, release=OLD)


@pytest.mark.parametrize(
    ("release", "keys"), [(OLD, {"name", "value", "valueFrom"}), (NEW, {"name", "valueFrom"})]
)
def test_a_variable_has_one_value(release: str, keys: set[str]) -> None:
    source = {"secretKeyRef": {"name": "s", "key": "k"}}
    world = server(env=[{"name": "TOKEN", "value": "x"}])
    model = {**served()["model"], "env": [{"name": "TOKEN", "valueFrom": source}]}
    given = document(predictor={"model": model}, annotations=STANDARD)
    if release == NEW:
        (variable,) = [
            each
            for each in pod_of(made(given, release, world))["containers"][0]["env"]
            if each["name"] == "TOKEN"
        ]
        assert set(variable) == keys
    else:
        found = pod_of(made(given, release, world))["containers"][0]["env"]
        assert keys in [set(each) for each in found]


def test_an_image_that_nobody_reads_is_refused() -> None:
    given = document(predictor=served("oci+native://i:1"), annotations=STANDARD)
    assert "switched off" in refused(
        given, server(), config(storageInitializer={"enableModelcar": False})
    )


SPREAD = document(
    predictor={
        "model": {"modelFormat": {"name": "sklearn"}, "storageUri": "pvc://a/b"},
        "workerSpec": {"pipelineParallelSize": 2, "tensorParallelSize": 1},
    },
    annotations={**STANDARD, "autoscalerClass": "none"},
)


def test_workers_stay() -> None:
    workers = {"containers": [{"name": "worker-container", "image": "sklearn:1"}]}
    world = runtime("sklearn", takes(), workerSpec=workers, annotations={})
    found = made(SPREAD, NEW, world)
    assert ("Deployment", "iris-predictor-worker") in found
    assert ("Service", "iris-workers-1") in found
    assert differences(SPREAD, world, old=OLD, new=NEW) == {}


def live(given: Json) -> Json:
    return {**given, "status": {"deploymentMode": "Standard"}}


def test_the_name_of_a_predictor_changes_with_its_model_alone() -> None:
    before = document(predictor=served(), annotations=STANDARD)
    renamed = document(predictor=served(name="v2"), annotations=STANDARD)
    assert "requires a model change" in refused(renamed, server(), live(before))
    with_model = document(predictor=served("s3://b/n", name="v2"), annotations=STANDARD)
    assert made(with_model, NEW, server(), live(before))
    assert made(renamed, NEW, server(), live(renamed))


def condition(kind: str, reason: str) -> Json:
    return {"type": kind, "status": "True", "reason": reason}


@pytest.mark.parametrize(("release", "status"), [(OLD, "Unknown"), (NEW, "True")])
def test_what_is_available_is_ready_while_its_rollout_goes_on(release: str, status: str) -> None:
    said = [condition("Available", "MinimumReplicasAvailable"), condition("Progressing", "X")]
    verdict = deployment_verdict({"status": {"conditions": said}}, settings(release).release)
    assert verdict.status == status
    only = {"status": {"conditions": said[1:]}}
    assert deployment_verdict(only, settings(release).release).status == "Unknown"
