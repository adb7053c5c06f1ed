# SPDX-License-Identifier: GPL-3.0-or-later
"""What later releases of KServe do otherwise, each by an input of which exactly that differs."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from module_utils.kinds.inference_service.checks import CHECKS
from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kinds.inference_service.entrance import entrance
from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.observe import observe
from module_utils.kinds.inference_service.settings import Settings, make_settings
from module_utils.kinds.inference_service.view import view
from module_utils.kinds.route_match import plainest_match
from module_utils.kube.manifest import Json
from module_utils.kube.pod_health import UNREAD
from tests.objects import thing
from tests.parity.recorded_llm_services import Recorded

from ..differing import differing
from .build import document
from .world import config, model, runtime, takes

WEIGHTS = "hf://org/model"
KEY = hashlib.sha256(WEIGHTS.encode()).hexdigest()[:16]
GRPC = {"name": "grpc-port", "containerPort": 9000}
BOTH: Json = {"ports": [{"name": "http", "containerPort": 8080}, GRPC]}
POD = "Deployment/iris-predictor spec.template.spec"
GROUPS = {"autoscalerClass": "none"}


def settings(release: str) -> Settings:
    return make_settings({"pod_mutation": "rendered"}, {"kserve": release})


def server(**fields: Any) -> Json:
    """Return a runtime for the model."""
    container = {"name": "kserve-container", "image": "sklearn:1", **fields}
    return runtime("sklearn", takes(), containers=[container])


def group(**annotations: str) -> Json:
    """Return a runtime for a model on several nodes."""
    workers = {"containers": [{"name": "worker-container", "image": "sklearn:1"}]}
    return runtime("sklearn", takes(), workerSpec=workers, annotations=annotations)


def cache(kind: str, name: str, namespace: str = "", source: str = WEIGHTS) -> Json:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": kind,
        "metadata": metadata,
        "spec": {"sourceModelUri": source, "nodeGroups": ["gpus"], "modelSize": "1Gi"},
    }


def intent_of(given: Json, release: str, *objects: Json) -> Any:
    loaded = load(given, settings(release))
    assert loaded.service is not None, loaded.problems
    return compile_service(loaded.service, settings(release), Recorded(objects))


def made(given: Json, release: str, *objects: Json) -> dict[tuple[str, str], Json]:
    """Return the children by kind and name."""
    manifests = [child.manifest.to_dict() for child in intent_of(given, release, *objects).children]
    return {(each["kind"], each["metadata"]["name"]): each for each in manifests}


def differences(given: Json, *objects: Json, old: str = "0.17", new: str = "0.18") -> Json:
    return differing(made(given, old, *objects), made(given, new, *objects))


STANDARD = {"deploymentMode": "Standard"}
KNATIVE_CONFIG: list[Json] = [
    thing("v1", "ConfigMap", name, "knative-serving", data=data)
    for name, data in (("config-autoscaler", {}), ("config-domain", {"example.com": ""}))
]
GATEWAY = {"enableGatewayApi": True, "kserveIngressGateway": "kserve/gate"}


@pytest.mark.parametrize(("old", "new"), [("0.17", "0.18"), ("0.18", "0.19")])
@pytest.mark.parametrize("mode", ["Standard", "Knative"])
def test_a_plain_service_is_the_same_under_all_releases(old: str, new: str, mode: str) -> None:
    given = document(annotations={"deploymentMode": mode})
    world = (server(), *KNATIVE_CONFIG)
    assert made(given, old, *world)
    assert differences(given, *world, old=old, new=new) == {}


def rules(manifest: Json) -> list[tuple[str, int, Any]]:
    return [
        (
            rule["matches"][0]["path"]["value"],
            rule["backendRefs"][0]["port"],
            rule["matches"][0].get("headers"),
        )
        for rule in manifest["spec"]["rules"]
    ]


CALLS = (
    r"^/inference\.GRPCInferenceService/.*$",
    9000,
    [{"type": "RegularExpression", "name": "content-type", "value": "^application/grpc.*"}],
)
REST = ("^/.*$", 80, None)


@pytest.mark.parametrize(
    ("ports", "release", "wanted"),
    [
        (BOTH["ports"], "0.17", [REST]),
        (BOTH["ports"], "0.18", [CALLS, REST]),
        (BOTH["ports"], "0.19", [CALLS, REST]),
        ([GRPC], "0.19", [REST]),
        ([BOTH["ports"][0]], "0.19", [REST]),
        ([], "0.19", [REST]),
    ],
)
def test_calls_by_grpc_have_a_rule_of_their_own(
    ports: list[Json], release: str, wanted: list[Any]
) -> None:
    world = (server(ports=ports), config(ingress=GATEWAY))
    found = made(document(annotations=STANDARD), release, *world)
    assert rules(found["HTTPRoute", "iris-predictor"]) == wanted
    assert rules(found["HTTPRoute", "iris"]) == wanted


def test_grpc_first_leaves_the_first_port_to_it() -> None:
    """The first port of a Service is 80, whatever it takes."""
    world = (server(ports=[GRPC, BOTH["ports"][0]]), config(ingress=GATEWAY))
    found = made(document(annotations=STANDARD), "0.18", *world)
    assert [port for dummy, port, also in rules(found["HTTPRoute", "iris"])] == [80, 8080]


def test_paths_and_explainers_have_one_rule() -> None:
    ingress = {**GATEWAY, "pathTemplate": "/s/{{ .Name }}", "ingressDomain": "example.com"}
    explainer = {"containers": [{"name": "kserve-container", "image": "e:1"}]}
    given = document(annotations=STANDARD, explainer=explainer)
    found = made(given, "0.18", server(**BOTH), config(ingress=ingress))
    assert [path for path, *dummy in rules(found["HTTPRoute", "iris"])] == [
        "^/v1/models/[\\w-]+:explain$",
        CALLS[0],
        "^/.*$",
        "/s/iris(/v1/models/[\\w-]+:explain)$",
        "/s/iris/",
    ]


def test_a_request_takes_the_way_of_plain_http() -> None:
    given = document(annotations=STANDARD)
    objects = (server(**BOTH), config(ingress=GATEWAY))
    basis = intent_of(given, "0.18", *objects).basis
    way = entrance(basis, settings("0.18"), Recorded(objects))
    assert way.protocol is not None
    found = plainest_match(way.routes[0], way.targets, way.protocol, way.model)
    assert (found.path, dict(found.headers)) == ("", {})


@pytest.mark.parametrize(
    ("release", "disabled", "limited"),
    [("0.17", True, True), ("0.18", True, False), ("0.19", True, False), ("0.18", False, True)],
)
def test_routes_may_do_without_a_time_limit(release: str, disabled: bool, limited: bool) -> None:
    world = (server(), config(ingress={**GATEWAY, "disableHTTPRouteTimeout": disabled}))
    found = made(document(annotations=STANDARD), release, *world)
    for name in ("iris", "iris-predictor"):
        assert all(
            ("timeouts" in rule) is limited for rule in found["HTTPRoute", name]["spec"]["rules"]
        )


@pytest.mark.parametrize(("release", "scheme"), [("0.17", "https"), ("0.18", "http")])
def test_the_address_inside_the_cluster_is_http(release: str, scheme: str) -> None:
    objects = (server(), config(ingress={"enableGatewayApi": False, "urlScheme": "https"}))
    complete = [
        {"type": "Available", "status": "True"},
        {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
    ]
    live = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "iris-predictor", "namespace": "team-a", "generation": 1},
        "status": {"observedGeneration": 1, "conditions": complete},
    }
    basis = intent_of(document(annotations=STANDARD), release, *objects).basis
    status = observe(basis, Recorded([*objects, live]), UNREAD).status
    assert status["address"]["url"] == f"{scheme}://iris-predictor.team-a.svc.cluster.local"
    assert status["url"].startswith("https://")


CACHES = [
    cache("LocalModelCache", "shared"),
    cache("LocalModelNamespaceCache", "own", "team-a"),
    cache("LocalModelNamespaceCache", "other", "team-b"),
]
CACHED = document(
    predictor={"model": {"modelFormat": {"name": "sklearn"}, "storageUri": f"{WEIGHTS}/sub"}},
    annotations=STANDARD,
)


@pytest.mark.parametrize(
    ("release", "caches", "claim", "folder"),
    [
        ("0.17", CACHES, "shared-gpus", "models/shared/sub"),
        ("0.18", CACHES, "own-gpus", f"models/{KEY}/sub"),
        ("0.19", CACHES[:1], "shared-gpus", f"models/{KEY}/sub"),
        ("0.18", CACHES[2:], None, None),
    ],
)
def test_caches_of_the_namespace_come_first_and_folders_are_named_by_what_they_hold(
    release: str, caches: list[Json], claim: str | None, folder: str | None
) -> None:
    world = (server(), config(localModel={"enabled": True}), *caches)
    template = made(CACHED, release, *world)["Deployment", "iris-predictor"]["spec"]["template"]
    labels = template["metadata"]["labels"]
    prefix = "internal.serving.kserve.io/localmodel"
    namespaced = claim == "own-gpus"
    assert labels.get(prefix) == (claim.removesuffix("-gpus") if claim else None)
    assert labels.get(f"{prefix}-namespace") == ("team-a" if namespaced else None)
    volumes = {each["name"]: each for each in template["spec"].get("volumes") or ()}
    if claim is None:
        assert "kserve-pvc-source" not in volumes
        return
    assert volumes["kserve-pvc-source"]["persistentVolumeClaim"]["claimName"] == claim
    mounts = template["spec"]["containers"][0]["volumeMounts"]
    assert [each.get("subPath") for each in mounts] == [folder]


@pytest.mark.parametrize(("release", "kept"), [("0.17", True), ("0.18", False)])
def test_marks_of_a_cache_go_where_caches_are_off(release: str, kept: bool) -> None:
    mark = "internal.serving.kserve.io/localmodel"
    given = document(annotations=STANDARD)
    given["metadata"]["labels"] = {mark: "x"}
    given["metadata"]["annotations"][f"{mark}-pvc-name"] = "x-gpus"
    template = made(given, release, server())["Deployment", "iris-predictor"]["spec"]["template"]
    assert (mark in template["metadata"]["labels"]) is kept
    assert (f"{mark}-pvc-name" in template["metadata"]["annotations"]) is kept


SETS_PATH = {"name": "kserve-container", "image": "a:1", "env": [{"name": "PYTHONPATH"}]}
ENV = {"env": SETS_PATH["env"]}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (document(predictor={"containers": [SETS_PATH]}), "predictor.containers[0]"),
        (document(predictor={"initContainers": [SETS_PATH]}), "predictor.initContainers[0]"),
        (
            document(predictor={"model": {"modelFormat": {"name": "a"}, **ENV}}),
            "predictor.model",
        ),
        (document(predictor={"sklearn": ENV}), "predictor.sklearn"),
        (document(transformer={"containers": [SETS_PATH]}), "transformer.containers[0]"),
        (
            document(
                predictor={
                    "model": {"modelFormat": {"name": "a"}, "storageUri": "pvc://a/b"},
                    "workerSpec": {"containers": [SETS_PATH]},
                },
                annotations=GROUPS,
            ),
            "predictor.workerSpec.containers[0]",
        ),
        (
            document(explainer={"art": {"type": "SquareAttack", **ENV}}),
            "explainer.art",
        ),
    ],
)
def test_no_container_may_say_which_code_python_loads(given: Json, path: str) -> None:
    for release, refused in (("0.17", []), ("0.18", [f"spec.{path}.env[0]"])):
        problems = load(given, settings(release)).problems
        found = [each.path for each in problems if each.rule == "refused-variable"]
        assert found == refused, (release, problems)


def told(given: Json, release: str, *objects: Json) -> list[tuple[str, str]]:
    """Return rule and message of what the checks of this kind say."""
    intent = intent_of(given, release, *objects)
    seen = view(intent.basis, [child.manifest.to_dict() for child in intent.children])
    reader = Recorded(objects)
    found = []
    for check in CHECKS:
        said = check.function(seen, reader) if check.reads else check.function(seen)
        found += [(each.rule, str(each)) for each in said]
    return found


def test_a_runtime_that_sets_such_a_variable_is_told() -> None:
    world = (server(**ENV), config())
    for release, wanted in (("0.17", []), ("0.19", ["refused-variable"])):
        rules_told = [rule for rule, dummy in told(document(), release, *world)]
        assert [rule for rule in rules_told if rule == "refused-variable"] == wanted


SPREAD = document(
    predictor={
        "model": {"modelFormat": {"name": "sklearn"}, "storageUri": "pvc://a/b"},
        "workerSpec": {"pipelineParallelSize": 3, "tensorParallelSize": 4},
    },
    annotations={**STANDARD, **GROUPS},
)


def sizes(given: Json, release: str, *objects: Json) -> tuple[int, str, str, Json]:
    """Return nodes, GPUs of the head, GPUs of a worker, and the worker's variables."""
    found = made(given, release, *objects)
    head = found["Deployment", "iris-predictor"]["spec"]["template"]["spec"]["containers"][0]
    workers = found["Deployment", "iris-predictor-worker"]["spec"]
    worker = workers["template"]["spec"]["containers"][0]
    env = {each["name"]: each.get("value") for each in worker["env"]}
    gpus = [each["resources"]["requests"]["nvidia.com/gpu"] for each in (head, worker)]
    return workers["replicas"] + 1, gpus[0], gpus[1], env


def test_an_executor_without_ray_gives_each_stage_a_node() -> None:
    by_processes = {"multinode/executor-backend": "mp"}
    assert sizes(SPREAD, "0.17", group(**by_processes))[:3] == (12, "1", "1")
    assert sizes(SPREAD, "0.18", group())[:3] == (12, "1", "1")
    nodes, head, worker, env = sizes(SPREAD, "0.18", group(**by_processes))
    assert (nodes, head, worker) == (3, "4", "4")
    assert list(env.items()) == [
        ("RAY_NODE_COUNT", "3"),
        ("REQUEST_GPU_COUNT", "4"),
        ("PIPELINE_PARALLEL_SIZE", "3"),
        ("TENSOR_PARALLEL_SIZE", "4"),
        ("ISVC_NAME", "iris"),
        ("HEAD_SVC", "iris-head-1"),
        ("WORKER_SVC", "iris-workers-1"),
    ]


def test_workers_are_found_by_a_service() -> None:
    assert ("Service", "iris-workers-1") not in made(SPREAD, "0.17", group())
    found = made(SPREAD, "0.18", group())["Service", "iris-workers-1"]
    assert found["metadata"]["labels"]["multinode/role"] == "worker"
    assert found["spec"] == {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {"app": "isvc.iris-predictor-worker", "isvc.generation": "1"},
    }


@pytest.mark.parametrize(
    ("probe", "old", "new"),
    [
        ({"httpGet": {"path": "/ready", "port": 8080}}, "/", "/ready"),
        ({"httpGet": {"port": 8080}}, "/", "/"),
        ({"tcpSocket": {"port": 8080}}, "/", "/"),
    ],
)
def test_the_agent_is_asked_where_its_server_would_be(probe: Json, old: str, new: str) -> None:
    predictor = {**model(), "logger": {"mode": "all"}}
    given = document(predictor=predictor, annotations=STANDARD)
    for release, path in (("0.17", old), ("0.18", new)):
        found = made(given, release, server(readinessProbe=probe), config())
        pod = found["Deployment", "iris-predictor"]["spec"]["template"]["spec"]
        (agent,) = [each for each in pod["containers"] if each["name"] == "agent"]
        assert agent["readinessProbe"]["httpGet"]["path"] == path


IMAGE = document(
    predictor={"model": {"modelFormat": {"name": "sklearn"}, "storageUri": "oci://i:1"}},
    annotations=STANDARD,
)
RESTRICTED = {"securityContext": {"runAsNonRoot": True}}


def test_a_model_in_an_image_leaves_the_security_context() -> None:
    world = (server(**RESTRICTED), config(storageInitializer={"enableModelcar": True}))
    where = f"{POD}.containers[kserve-container].securityContext.runAsNonRoot"
    assert differences(IMAGE, *world) == {where: (None, True)}
    assert "modelcar-user" in [rule for rule, dummy in told(IMAGE, "0.17", *world)]
    assert "modelcar-user" not in [rule for rule, dummy in told(IMAGE, "0.18", *world)]


def several(*uris: tuple[str, str]) -> Json:
    listed = [{"uri": uri, "mountPath": path} for uri, path in uris]
    predictor = {"model": {"modelFormat": {"name": "sklearn"}}, "storageUris": listed}
    return document(predictor=predictor, annotations=STANDARD)


def test_one_of_several_models_may_stand_in_an_image() -> None:
    given = several(("oci://base:1", "/mnt/models/base"))
    world = (server(), config(storageInitializer={"enableModelcar": True}))
    before = made(given, "0.18", *world)["Deployment", "iris-predictor"]
    assert "initContainers" not in before["spec"]["template"]["spec"]
    pod = made(given, "0.19", *world)["Deployment", "iris-predictor"]["spec"]["template"]["spec"]
    images = {each["name"]: each["image"] for each in pod["containers"]}
    assert images == {"kserve-container": "sklearn:1", "modelcar": "base:1"}
    assert pod["shareProcessNamespace"] is True
    reading = pod["containers"][0]
    assert reading["volumeMounts"][0]["mountPath"] == "/mnt/models"
    assert {"name": "MODEL_INIT_MODE", "value": "async"} in reading["env"]
    assert [each["name"] for each in pod["initContainers"]] == ["modelcar-init"]


def test_models_beside_an_image_are_told_to_be_missing() -> None:
    given = several(
        ("oci://base:1", "/mnt/models/a"),
        ("hf://o/m", "/mnt/models/b"),
        ("oci://two:1", "/mnt/models/c"),
    )
    world = (server(), config(storageInitializer={"enableModelcar": True}))
    said = [text for rule, text in told(given, "0.19", *world) if rule == "storage-images"]
    assert [text.partition(":")[0] for text in said] == [
        "spec.predictor.storageUris[1]",
        "spec.predictor.storageUris[2]",
    ]
    off = (server(), config(storageInitializer={"enableModelcar": False}))
    for release, objects in (("0.18", world), ("0.19", off)):
        assert "storage-images" not in [rule for rule, dummy in told(given, release, *objects)]
