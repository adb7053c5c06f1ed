# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe 0.20 does otherwise than 0.19, each by an input of which exactly that differs."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.conditions.pools import (
    pool_state,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.observe import (
    observe,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.router.pool_group import (
    is_migrated,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.router.urls import (
    Naming,
    attached_gateways,
    paths_of,
    route_urls,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from tests.objects import Cluster

from . import preset_world
from .build import document, messages_of
from .preset_world import ROUTER, account, children, preset, refusal, system_config
from .release_pairs import CLAIM, differences, settings
from .test_observe import ROUTED, WORLD, deployment
from .world import CLASS, gateway, listener, resolved, route, thing

Json = dict[str, Any]
MARK = "serving.kserve.io/model-based-routing-enabled"
POD = "Deployment/chat-kserve spec.template.spec"
PREFILL = "Deployment/chat-kserve-prefill"
PICKER = ("Deployment", "chat-kserve-router-scheduler")


def new(given: Json, *objects: Json, release: str = "0.20") -> dict[tuple[str, str], Json]:
    return children(given, *objects, settings=settings(release))


def changes(given: Json, *objects: Json) -> Json:
    return differences(given, *objects, old="0.19", new="0.20")


def pod_of(found: dict[tuple[str, str], Json], name: str = "chat-kserve") -> Json:
    pod: Json = found["Deployment", name]["spec"]["template"]["spec"]
    return pod


def test_a_plain_service_is_as_before() -> None:
    assert changes(document(**CLAIM)) == {}
    assert changes(document()) == {}


def test_prefill_pods_have_their_own_labels_alone() -> None:
    given = document(
        **CLAIM,
        labels={"team": "a"},
        annotations={"note": "x"},
        prefill={"labels": {"own": "b"}},
    )
    gone = {path: both for path, both in changes(given).items() if "prefill" in path}
    assert gone == {
        f"{PREFILL} metadata.labels.team": ("a", None),
        f"{PREFILL} spec.selector.matchLabels.team": ("a", None),
        f"{PREFILL} spec.template.metadata.annotations.note": ("x", None),
        f"{PREFILL} spec.template.metadata.labels.team": ("a", None),
    }


def test_sidecars_read_pools_of_both_groups_and_pickers_what_moved() -> None:
    found = new(document(**CLAIM, router=ROUTER, prefill={}))
    (pools,) = [
        rule["apiGroups"]
        for rule in found["Role", "chat-kserve-role"]["rules"]
        if "inferencepools" in rule["resources"]
    ]
    assert pools == ["inference.networking.x-k8s.io", "inference.networking.k8s.io"]
    moved = [
        rule["resources"]
        for rule in found["Role", "chat-epp-role"]["rules"]
        if rule["apiGroups"] == ["llm-d.ai"]
    ]
    assert moved == [["inferenceobjectives", "inferencemodelrewrites"]]


@pytest.mark.parametrize(
    "spec",
    [
        {
            "parallelism": {"data": 2, "dataLocal": 1},
            "worker": {"containers": []},
            "template": {"serviceAccountName": "gone"},
        },
        {"router": {**ROUTER, "scheduler": {"annotations": {"app.kubernetes.io/version": "new"}}}},
    ],
)
def test_a_stopped_service_is_stopped_whatever_is_wrong_with_it(spec: Json) -> None:
    with pytest.raises(InputError, match=r"gone|version"):
        new(document(**CLAIM, **spec))
    given = document(**CLAIM, **spec)
    given["metadata"]["annotations"] = {"serving.kserve.io/stop": "true"}
    assert not [kind for kind, dummy in new(given) if kind in ("Deployment", "LeaderWorkerSet")]


def test_what_the_server_lacks_is_told_before_what_the_picker_lacks() -> None:
    scheduler = {"template": {"serviceAccountName": "gone"}}
    spec = {"model": {"uri": "s3://bucket/model"}, "router": {**ROUTER, "scheduler": scheduler}}
    message = refusal(document(**spec), account("default", "missing"), settings=settings("0.20"))
    assert 'secrets "missing" not found' in message


HEADER = {"headers": [{"name": "X-Gateway-Model-Name", "value": "m"}]}
BY_MODEL = preset(
    "kserve-config-llm-router-route",
    {
        "router": {
            "route": {
                "http": {
                    "spec": {
                        "rules": [
                            {"matches": [HEADER], "backendRefs": [{"name": "own", "port": 80}]},
                            {
                                "matches": [{"path": {"value": "/a"}}],
                                "backendRefs": [{"name": "own", "port": 80}],
                            },
                        ]
                    }
                }
            }
        }
    },
)


@pytest.mark.parametrize(
    ("release", "said", "rules"), [("0.19", None, 2), ("0.20", None, 1), ("0.20", "true", 2)]
)
def test_models_have_routes_where_the_service_says_that_its_engine_knows_the_name(
    release: str, said: str | None, rules: int
) -> None:
    own = {"annotations": {MARK: said, "note": "x"}} if said else {}
    given = document(**CLAIM, router=ROUTER, **own)
    found = new(given, BY_MODEL, release=release)
    assert len(found["HTTPRoute", "chat-kserve-route"]["spec"]["rules"]) == rules
    if said:
        told = found["Deployment", "chat-kserve"]["spec"]["template"]["metadata"]["annotations"]
        assert told == {"note": "x"}
        assert found["Service", "chat-kserve-workload-svc"]["metadata"]["annotations"] == told


def test_a_pool_says_where_its_picker_listens() -> None:
    pool = {"spec": {"endpointPickerRef": {"name": "p"}, "targetPorts": [{"number": 8000}]}}
    template = {"containers": [{"name": "main", "image": "a:1"}]}
    scheduler = {"pool": pool, "template": template}
    bare = preset("kserve-config-llm-scheduler", {"router": {"scheduler": scheduler}})
    given = document(**CLAIM, router=ROUTER)
    for release, port in (("0.19", None), ("0.20", {"number": 9002})):
        found = preset_world.resolved(given, bare, settings=settings(release))
        picker = found.at("router", "scheduler", "pool", "spec", "endpointPickerRef")
        assert picker.get("port") == port


@pytest.mark.parametrize(("release", "protocol"), [("0.19", None), ("0.20", "http")])
def test_a_pool_says_what_is_spoken_with_its_servers(release: str, protocol: str | None) -> None:
    given = document(**CLAIM, router=ROUTER)
    spec = preset_world.resolved(given, settings=settings(release)).spec
    assert spec["router"]["scheduler"]["pool"]["spec"].get("appProtocol") == protocol


def test_templates_know_the_pool_and_how_the_cache_is_kept() -> None:
    args = ["{{ .GlobalConfig.InferencePoolNamespacedName }}"]
    shell = 'A="{{ kvTransferConfig .Spec.KVCacheOffloading }}"'
    main = {"name": "main", "image": "a:1", "command": ["sh", "-c", shell], "args": args}
    asking = preset("kserve-config-llm-template", {"template": {"containers": [main]}})
    offloading = {
        "cpu": "10Gi",
        "secondary": [{"fileSystem": {"emptyDir": {"size": "1Gi"}}}],
    }
    server = pod_of(new(document(**CLAIM, kvCacheOffloading=offloading), asking))["containers"][0]
    assert server["args"] == ["team-a/chat-inference-pool"]
    assert server["command"][2].startswith('A="--kv-transfer-config \'{\\"kv_connector\\":')
    assert (
        '\\"cpu_bytes_to_use\\":10737418240,\\"eviction_policy\\":\\"lru\\"' in server["command"][2]
    )
    assert '{\\"root_dir\\":\\"/mnt/kv-cache-0\\",\\"type\\":\\"fs\\"}' in server["command"][2]
    plain = pod_of(new(document(**CLAIM), asking))["containers"][0]
    assert plain["command"][2] == 'A=""'
    assert "not defined" in refusal(document(**CLAIM), asking, settings=settings("0.19"))


def test_tiers_of_the_cache_are_volumes() -> None:
    claim = {"accessModes": ["ReadWriteOnce"]}
    tiers = [
        {"emptyDir": {"size": "2Gi"}},
        {"pvc": {"ref": {"name": "disk", "path": "a"}}},
        {"pvc": {"spec": claim}},
    ]
    offloading = {"cpu": "1Gi", "secondary": [{"fileSystem": each} for each in tiers]}
    pod = pod_of(new(document(**CLAIM, kvCacheOffloading=offloading)))
    volumes = {each["name"]: each for each in pod["volumes"]}
    assert volumes["kv-cache-secondary-0"]["emptyDir"] == {"sizeLimit": "2Gi"}
    assert volumes["kv-cache-secondary-1"]["persistentVolumeClaim"] == {"claimName": "disk"}
    template = volumes["kv-cache-secondary-2"]["ephemeral"]["volumeClaimTemplate"]
    assert template["spec"]["accessModes"] == ["ReadWriteOnce"]
    server = pod["containers"][0]
    mounts = {each["name"]: each for each in server["volumeMounts"]}
    assert mounts["kv-cache-secondary-1"]["mountPath"] == "/mnt/kv-cache-1"
    assert mounts["kv-cache-secondary-1"]["subPath"] == "a"
    assert server["resources"]["requests"]["ephemeral-storage"] == "2Gi"


@pytest.mark.parametrize(
    ("offloading", "path"),
    [
        ({"cpu": "0", "secondary": [{"fileSystem": {"emptyDir": {"size": "1Gi"}}}]}, "cpu"),
        ({"cpu": "1", "secondary": [{}]}, "secondary[0].fileSystem"),
        ({"cpu": "1", "secondary": [{"fileSystem": {}}]}, "secondary[0].fileSystem"),
        (
            {"cpu": "1", "secondary": [{"fileSystem": {"pvc": {}}}]},
            "secondary[0].fileSystem.pvc",
        ),
        (
            {"cpu": "1", "secondary": [{"fileSystem": {"pvc": {"ref": {"name": ""}}}}]},
            "secondary[0].fileSystem.pvc.ref.name",
        ),
    ],
)
def test_tiers_that_cannot_be_are_refused(offloading: Json, path: str) -> None:
    for prefix, spec in (
        ("spec", {"kvCacheOffloading": offloading}),
        ("spec.prefill", {"prefill": {"kvCacheOffloading": offloading}}),
    ):
        told = messages_of(document(**CLAIM, **spec), settings("0.20"))
        assert f"{prefix}.kvCacheOffloading.{path}" in told


TRACES = {"exporterEndpoint": "http://c:4317", "sampler": "always_on", "exporter": "otlp"}
TRACING = preset("kserve-config-llm-tracing", {"tracing": {**TRACES, "sampler": "other"}})


def test_engines_and_picker_are_told_where_traces_go() -> None:
    given = document(**CLAIM, router=ROUTER, prefill={}, tracing={"sampler": "always_on"})
    found = new(given, TRACING)
    for name, service in (
        ("chat-kserve", "inference-server-decode"),
        ("chat-kserve-prefill", "inference-server-prefill"),
        (PICKER[1], "inference-scheduler"),
    ):
        (main,) = [one for one in pod_of(found, name)["containers"] if one["name"] == "main"]
        env = {one["name"]: one.get("value") for one in main["env"]}
        assert env["OTEL_SERVICE_NAME"] == service
        assert env["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://c:4317"
        assert env["OTEL_TRACES_SAMPLER"] == "always_on"
        assert env["OTEL_TRACES_SAMPLER_ARG"] is None
        assert env["OTEL_RESOURCE_ATTRIBUTES"].startswith(
            "k8s.namespace.name=team-a,k8s.node.name=$("
        )
        flag = "--tracing=true" if service == "inference-scheduler" else "--otlp-traces-endpoint"
        assert flag in main["args"]


def test_what_an_author_says_of_the_fetching_container_is_kept() -> None:
    own = {
        "name": "storage-initializer",
        "image": "mine:1",
        "args": ["x"],
        "env": [{"name": "A", "value": "b"}],
    }
    given = document(template={"initContainers": [own]})
    for release, image in (("0.19", "kserve"), ("0.20", "mine:1")):
        (fetching,) = pod_of(new(given, release=release))["initContainers"]
        assert (fetching["image"] == "mine:1") is (image == "mine:1")
        assert fetching["args"] == ["hf://acme/chat-8b", "/mnt/models"]
    for uri in ("pvc://claim", "oci://registry.example.com/m:1"):
        mounted = document(model={"uri": uri}, template={"initContainers": [own]})
        named = {one["name"] for one in pod_of(new(mounted)).get("initContainers") or ()}
        assert "storage-initializer" not in named
        assert pod_of(new(mounted, release="0.19"))["initContainers"]
    native = document(
        model={"uri": "oci+native://registry.example.com/m:1"}, template={"initContainers": [own]}
    )
    assert pod_of(new(native))["initContainers"][0]["args"] == ["x"]


def test_a_text_of_traces_that_is_empty_is_not_that_of_the_preset() -> None:
    given = document(**CLAIM, router=ROUTER, tracing={"exporterEndpoint": "", "sampler": ""})
    found = new(given, TRACING)
    (server,) = [one for one in pod_of(found)["containers"] if one["name"] == "main"]
    assert "--otlp-traces-endpoint" not in server.get("args", ())
    (picker,) = [one for one in pod_of(found, PICKER[1])["containers"] if one["name"] == "main"]
    env = {one["name"]: one.get("value") for one in picker["env"]}
    assert (env["OTEL_EXPORTER_OTLP_ENDPOINT"], env["OTEL_TRACES_SAMPLER"]) == (None, None)
    assert env["OTEL_TRACES_EXPORTER"] == "otlp"


@pytest.mark.parametrize(
    ("uri", "storage", "native"),
    [
        ("oci://i:1", {"enableModelcar": True}, False),
        ("oci://i:1", {"enableModelcar": False, "enableOciModelSupport": True}, False),
        ("oci://i:1", {"enableModelcar": False, "ociModelMode": "native"}, True),
        ("oci+native://i:1", {"enableModelcar": False}, True),
    ],
)
def test_images_are_read_as_configured_or_as_the_address_asks(
    uri: str, storage: Json, native: bool
) -> None:
    world = system_config(storageInitializer=storage)
    pod = pod_of(new(document(model={"uri": uri}), world))
    assert ("modelcar" in {one["name"] for one in pod["containers"]}) is not native
    if native:
        (volume,) = [each for each in pod["volumes"] if "image" in each]
        assert volume["image"] == {"reference": "i:1", "pullPolicy": "IfNotPresent"}
        (mount,) = [
            one for one in pod["containers"][0]["volumeMounts"] if one["name"] == volume["name"]
        ]
        assert (mount["mountPath"], mount["subPath"]) == ("/mnt/models", "models")


def service(name: str, *ports: int) -> Json:
    made = thing("v1", "Service", name)
    return {**made, "spec": {"ports": [{"port": port} for port in ports]}}


def test_a_gateway_is_reached_inside_on_each_port_that_both_have() -> None:
    listeners = (listener(), listener("https", "HTTPS", 443))
    objects = [CLASS, gateway(listeners=listeners), service("gw", 80)]
    naming = Naming("http", "x", "cluster.local", by_model=True, model_header="H", by_port=True)
    reader = Cluster(objects)
    inside = [
        one.url
        for one in route_urls(route(), attached_gateways(route(), reader), reader, naming)
        if "svc.cluster.local" in one.url
    ]
    assert inside == ["http://gw.team-a.svc.cluster.local/"]


def test_paths_that_name_a_model_are_a_way_of_their_own() -> None:
    own = [{"path": {"value": path}} for path in ("/team-a/chat", "/publishers/team-a/models/chat")]
    rules = [{"matches": own, "backendRefs": [{"name": "s"}]}]
    made = {"spec": {"rules": rules}}
    assert paths_of(made, "H", models_apart=True) == [
        "/team-a/chat",
        "/publishers/team-a/models/chat",
    ]
    assert paths_of(made, "H") == ["/team-a/chat"]


def test_addresses_tell_the_names_of_models_and_workloads_their_pods() -> None:
    spec = {
        **ROUTED,
        "model": {"name": "m", "lora": {"adapters": [{"name": "a", "uri": "hf://a/b"}]}},
    }
    found = dataclasses.replace(resolved(spec), settings=settings("0.20"))
    status = observe(found, Cluster([*WORLD, deployment()])).status
    (address,) = status["addresses"]
    assert [one["name"] for one in address["models"]] == [
        "publishers/team-a/models/m",
        "publishers/team-a/models/a",
    ]
    assert status["workloads"]["primary"]["readyReplicas"] == 1


@pytest.mark.parametrize(("tls", "scheme"), [(False, "http"), (True, "https")])
def test_a_service_without_a_route_is_called_as_it_speaks(tls: bool, scheme: str) -> None:
    world = system_config(ingress={"enableLLMInferenceServiceTLS": tls})
    found = preset_world.resolved(document(**CLAIM), world, settings=settings("0.20"))
    (address,) = observe(found, Cluster([])).status["addresses"]
    assert address["url"].startswith(f"{scheme}://chat-kserve-workload-svc.")


ACCEPTED = [{"type": "Accepted", "status": "True"}]


@pytest.mark.parametrize(
    ("parents", "said"),
    [
        ({"gw": ACCEPTED}, "True"),
        ({"gw": ACCEPTED, "left": [{"type": "Accepted", "status": "False"}]}, "True"),
        ({"left": ACCEPTED}, "WaitingForGateway"),
        ({}, "WaitingForGateway"),
    ],
)
def test_only_gateways_that_lead_to_a_service_have_to_accept_its_pool(
    parents: dict[str, list[Json]], said: str
) -> None:
    pool = thing("inference.networking.k8s.io/v1", "InferencePool", "chat-inference-pool")
    pool["status"] = {
        "parents": [
            {"parentRef": {"name": name}, "conditions": conditions}
            for name, conditions in parents.items()
        ]
    }
    spec = {"router": {**ROUTED["router"], "scheduler": {"template": {}}}}
    given = dataclasses.replace(resolved(spec), settings=settings("0.20"))
    found = pool_state(given, [route()], Cluster([pool])).condition
    assert found is not None
    assert (found.reason if found.status == "False" else found.status) == said


NEW_POOL = {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "p"}


@pytest.mark.parametrize(
    ("release", "names", "taken"),
    [("0.19", ["other", "gw"], False), ("0.20", ["other", "gw"], True), ("0.20", ["other"], False)],
)
def test_gateways_that_a_route_has_left_do_not_turn_it(
    release: str, names: list[str], taken: bool
) -> None:
    said = {"gw": [{"type": "ResolvedRefs", "status": "True"}], "other": []}
    live = route()
    live["spec"] = {
        "parentRefs": [{"name": "gw"}],
        "rules": [{"backendRefs": [NEW_POOL]}],
    }
    live["status"] = {
        "parents": [{"parentRef": {"name": name}, "conditions": said[name]} for name in names]
    }
    assert is_migrated(live, settings(release).release) is taken
