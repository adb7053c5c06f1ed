# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's own presets: every shape of service can be served with them, under Pod Security `restricted`."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from module_utils.endpoint_picker.check import check_text
from module_utils.endpoint_picker.releases import release_of
from module_utils.kinds.llm_inference_service.children.picker_config import PICKER_TARGET
from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.presets.builtin import builtin_presets
from module_utils.kinds.llm_inference_service.presets.engine_arguments import (
    Asked,
    changed_by_presets,
)
from module_utils.kinds.llm_inference_service.presets.resolve import resolve
from module_utils.kinds.llm_inference_service.presets.selection import WELL_KNOWN
from module_utils.kinds.llm_inference_service.releases import BACKING
from module_utils.kinds.llm_inference_service.schema import config_schema
from module_utils.kinds.llm_inference_service.settings import Settings, make_settings
from module_utils.kube.manifest import Json
from module_utils.kube.pod_schema import POD_SPEC
from module_utils.kube.reader import GivenObjects
from module_utils.kube.schema_check import check
from tests.objects import Cluster
from tests.unit.checks.checked import checked

from .build import document
from .preset_world import PRESETS, ROUTER, pods, preset, system_config

REPRODUCED = {str(release): release for release, how in BACKING.items() if how != "refused"}
GROUPS: Json = {
    "worker": {},
    "parallelism": {"tensor": 2, "data": 4, "dataLocal": 2, "expert": True},
}
SHAPES: dict[str, Json] = {
    "single": {},
    "router": {"router": ROUTER},
    "prefill": {"router": ROUTER, "prefill": {"replicas": 2}},
    "groups": {"router": ROUTER, **GROUPS},
    "groups and prefill": {"router": ROUTER, **GROUPS, "prefill": GROUPS},
}


def found(
    shape: str, *manifests: Json, settings: Settings | None = None
) -> dict[tuple[str, str], Json]:
    chosen = settings or Settings()
    service = load(document(**SHAPES[shape]), chosen).service
    assert service is not None
    intent = compile_service(service, chosen, GivenObjects(manifests))
    made = [child.manifest.to_dict() for child in intent.children]
    return {(each["kind"], each["metadata"]["name"]): each for each in made}


def test_each_well_known_name_has_a_preset_that_the_api_takes() -> None:
    for release in REPRODUCED.values():
        presets = builtin_presets(release, Asked())
        assert set(WELL_KNOWN) <= set(presets)
        for spec in presets.values():
            assert check(config_schema(release), spec, "spec", keep_empty=True).problems == ()


@pytest.mark.parametrize("release", REPRODUCED)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_can_be_served_without_any_preset_of_the_cluster(
    shape: str, release: str
) -> None:
    children = found(shape, settings=make_settings({}, {"kserve": release}))
    servers = list(pods(children))
    assert servers
    for pod in servers:
        assert check(POD_SPEC, pod, "pod", keep_empty=True).problems == ()
        assert "{{" not in str(pod)


@pytest.mark.parametrize("release", REPRODUCED)
@pytest.mark.parametrize("shape", SHAPES)
def test_pods_run_under_restricted(shape: str, release: str) -> None:
    for pod in pods(found(shape, settings=make_settings({}, {"kserve": release}))):
        for container in [*pod["containers"], *pod.get("initContainers", ())]:
            if container["name"] == "storage-initializer":
                continue  # KServe's, without a security context in 0.17
            context = container["securityContext"]
            assert (context["allowPrivilegeEscalation"], context["runAsNonRoot"]) == (False, True)
            assert context["capabilities"] == {"drop": ["ALL"]}
            assert context["seccompProfile"] == {"type": "RuntimeDefault"}


def test_groups_know_which_copies_of_the_model_they_hold() -> None:
    templates = found("groups")["LeaderWorkerSet", "chat-kserve-mn"]["spec"]["leaderWorkerTemplate"]
    leader, worker = (
        templates[name]["spec"]["containers"][0]["command"][2]
        for name in ("leaderTemplate", "workerTemplate")
    )
    assert "--enable-expert-parallel --tensor-parallel-size 2 --data-parallel-size 4" in leader
    assert "--data-parallel-size-local 2" in leader
    assert leader.endswith('--data-parallel-start-rank 0 "$@"')
    assert worker.endswith(
        '--data-parallel-start-rank $((${LWS_WORKER_INDEX:-0} * 2)) --headless "$@"'
    )


TRANSFER = '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'


def engines(release: str = "0.17", **spec: Any) -> list[tuple[Json, list[str]]]:
    """Return the container of each engine of a service with the words that it gets: bash itself reads the script, with an echo for vllm."""
    chosen = make_settings({}, {"kserve": release})
    service = load(document(**spec), chosen).service
    assert service is not None
    intent = compile_service(service, chosen, GivenObjects())
    made = [child.manifest.to_dict() for child in intent.children]
    found = []
    for pod in pods({(each["kind"], each["metadata"]["name"]): each for each in made}):
        (server,) = pod["containers"]
        values = {each["name"]: each["value"] for each in server["env"] if "value" in each}
        command = [*server["command"], *server.get("args", [])]
        if command[0] == "/bin/bash":
            script = command[2].replace("$(LWS_LEADER_ADDRESS)", "leader")
            command[2] = script.replace("exec vllm", "exec printf '%s\\0' vllm")
            done = subprocess.run(command, env=values, check=True, capture_output=True, text=True)
            command = done.stdout.split("\0")[:-1]
        found.append((server, command))
    return found


def main(**fields: Any) -> Json:
    return {"containers": [{"name": "main", **fields}]}


@pytest.mark.parametrize("release", REPRODUCED)
@pytest.mark.parametrize("shape", ["prefill", "groups and prefill"])
def test_engines_of_prefill_and_decode_pods_hand_the_cache_over(shape: str, release: str) -> None:
    found = engines(release, **SHAPES[shape])
    assert len(found) == (2 if shape == "prefill" else 4)
    for server, words in found:
        assert words[words.index("--kv-transfer-config") + 1] == TRANSFER
        (host,) = [each for each in server["env"] if each["name"] == "VLLM_NIXL_SIDE_CHANNEL_HOST"]
        assert host["valueFrom"] == {"fieldRef": {"fieldPath": "status.podIP"}}


@pytest.mark.parametrize("release", REPRODUCED)
def test_single_pods_use_the_devices_that_parallelism_names(release: str) -> None:
    ((dummy, words),) = engines(release, parallelism={"tensor": 4, "expert": True})
    assert words[words.index("--tensor-parallel-size") + 1] == "4"
    assert "--enable-expert-parallel" in words
    decode, prefill = engines(
        release,
        router=ROUTER,
        parallelism={"tensor": 4},
        prefill={"parallelism": {"tensor": 2}},
    )
    sizes = {
        words[words.index("--port") + 1]: words[words.index("--tensor-parallel-size") + 1]
        for dummy, words in (decode, prefill)
    }
    assert sizes == {"8001": "4", "8000": "2"}


@pytest.mark.parametrize("release", REPRODUCED)
def test_the_variable_gives_words_with_the_quotes_of_a_shell_before_args(release: str) -> None:
    text = '--max-model-len 32768 --hf-overrides \'{"a": "b c"}\''
    env = [{"name": "VLLM_ADDITIONAL_ARGS", "value": text}]
    ((dummy, words),) = engines(release, template=main(env=env, args=["--seed", "a b"]))
    assert words[-6:] == [
        "--max-model-len",
        "32768",
        "--hf-overrides",
        '{"a": "b c"}',
        "--seed",
        "a b",
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"args": ["--kv-transfer-config={}", "-tp", "2"]},
        {"args": ["--kv_transfer_config", "{}", "--tensor_parallel_size=2"]},
        {
            "env": [
                {
                    "name": "VLLM_ADDITIONAL_ARGS",
                    "value": "--kv-transfer-config '{}' --tensor-parallel-size 2",
                }
            ]
        },
    ],
)
def test_what_a_service_writes_itself_is_left_to_it(fields: Json) -> None:
    pod = main(**fields)
    for server, words in engines(
        parallelism={"tensor": 4},
        template=pod,
        prefill={"template": pod, "parallelism": {"tensor": 4}},
    ):
        line = " ".join(words).replace("_", "-")
        assert line.count("--kv-transfer-config") == 1
        assert TRANSFER not in words
        assert "4" not in words
        assert "VLLM_NIXL_SIDE_CHANNEL_HOST" not in {each["name"] for each in server["env"]}


def test_a_service_that_asks_for_nothing_keeps_the_command_of_earlier_releases() -> None:
    ((server, dummy),) = engines()
    assert server["command"] == [
        *("vllm", "serve", "/mnt/models", "--served-model-name", "chat", "--port", "8000")
    ]
    assert [each["name"] for each in server["env"]] == [
        *("HOME", "VLLM_LOGGING_LEVEL", "HF_HUB_CACHE")
    ]


PORTS = ("8000", "8001")


def deployment(*command: str) -> Json:
    template = {"spec": main(command=list(command))}
    return {"kind": "Deployment", "spec": {"template": template}}


def of_earlier_presets(port: str = "8000") -> Json:
    return deployment(
        *("vllm", "serve", "/mnt/models", "--served-model-name", "chat", "--port", port)
    )


@pytest.mark.parametrize(
    ("spec", "alone"),
    [
        ({"parallelism": {"tensor": 2}}, True),
        ({}, False),
        ({"template": main(env=[{"name": "VLLM_ADDITIONAL_ARGS", "value": "--a"}])}, True),
        ({"template": main(command=["python", "-m", "vllm"])}, False),
    ],
)
def test_what_changed_by_the_presets_alone_is_known(spec: Json, alone: bool) -> None:
    ((server, dummy),) = engines(**spec)
    wanted = deployment(*server["command"])
    assert changed_by_presets(of_earlier_presets(), wanted) is alone
    assert not changed_by_presets(wanted, wanted)


def test_decode_and_prefill_pods_of_earlier_presets_are_known() -> None:
    for server, dummy in engines(prefill={}):
        wanted = deployment(*server["command"])
        found = {port: changed_by_presets(of_earlier_presets(port), wanted) for port in PORTS}
        assert sorted(found.values()) == [False, True]


def test_another_release_of_kserve_is_no_change_of_the_presets() -> None:
    ((server, dummy),) = engines("0.18")
    assert not changed_by_presets(of_earlier_presets(), deployment(*server["command"]))


def test_presets_of_the_cluster_come_first_unless_ours_are_asked_for() -> None:
    theirs = [preset(f"kserve-config-llm-{name}", spec) for name, spec in PRESETS.items()]
    asked = Settings(config_prefix="modelops-")

    def command(settings: Settings, *manifests: Json) -> Any:
        children = found("single", *manifests, settings=settings)
        (pod,) = pods(children)
        return pod["containers"][0].get("command", [None])[0]

    assert command(Settings(), *theirs) is None
    assert command(asked, *theirs) == "vllm"
    assert command(Settings()) == "vllm"


def test_a_cluster_with_some_presets_is_not_helped_out_in_silence() -> None:
    service = load(document(), Settings()).service
    assert service is not None
    some = preset("kserve-config-llm-scheduler", PRESETS["scheduler"])
    with pytest.raises(Exception, match="kserve-config-llm-template"):
        resolve(service, Settings(), Cluster([system_config(), some]))


def test_our_presets_are_told_unless_they_were_asked_for() -> None:
    for settings, told in ((Settings(), True), (Settings(config_prefix="modelops-"), False)):
        service = load(document(), settings).service
        assert service is not None
        rules = {problem.rule for problem in checked(service, settings, GivenObjects())}
        assert ("own-presets" in rules) is told


#: Release → the picker of our presets, which its default configuration has to suit.
PICKERS = {
    "0.17": "v0.4.0",
    "0.18": "v0.7.1",
    "0.19": "v0.7.1",
    "0.20": "v0.9.0",
    "0.21": "v0.10.0",
}


@pytest.mark.parametrize("release", REPRODUCED)
def test_the_picker_of_our_presets_takes_the_configuration_of_the_release(release: str) -> None:
    chosen = make_settings({}, {"kserve": release})
    made = found("prefill", settings=chosen)["Deployment", "chat-kserve-router-scheduler"]
    (picker,) = made["spec"]["template"]["spec"]["containers"]
    assert picker["image"].endswith(PICKERS[release])
    (text,) = [word for word in picker["args"] if "EndpointPickerConfig" in word]
    assert [
        finding.message
        for finding in check_text(text, release_of(PICKER_TARGET.at(chosen.release))).findings
        if finding.severity == "error"
    ] == []


@pytest.mark.parametrize(("tls", "scheme"), [(True, "HTTPS"), (False, "HTTP")])
@pytest.mark.parametrize("release", ["0.18", "0.19"])
def test_our_servers_speak_tls_where_the_configuration_says_so(
    release: str, tls: bool, scheme: str
) -> None:
    config = system_config(ingress={"enableLLMInferenceServiceTLS": tls})
    children = found("prefill", config, settings=make_settings({}, {"kserve": release}))
    for pod in pods(children):
        (main, *dummy) = pod["containers"]
        assert main["readinessProbe"]["httpGet"]["scheme"] == scheme
        assert ("--ssl-certfile" in main["command"][2]) is tls
    sidecar = children["Deployment", "chat-kserve"]["spec"]["template"]["spec"]["initContainers"][0]
    assert ("--secure-proxy=true" in sidecar["args"]) is tls
    picker = children["Deployment", "chat-kserve-router-scheduler"]["spec"]["template"]["spec"]
    assert ("--secure-serving=true" in picker["containers"][0]["args"]) is tls


def test_our_routes_lead_requests_by_the_models_name_where_the_release_does() -> None:
    rules = {
        release: found("router", settings=make_settings({}, {"kserve": release}))[
            "HTTPRoute", "chat-kserve-route"
        ]["spec"]["rules"]
        for release in REPRODUCED
    }
    assert {release: len(each) for release, each in rules.items()} == {
        "0.17": 3,
        "0.18": 4,
        "0.19": 8,
        "0.20": 8,
        "0.21": 8,
    }
    assert rules["0.19"][1]["matches"][0]["headers"] == [
        {"type": "Exact", "name": "X-Gateway-Model-Name", "value": "publishers/team-a/models/chat"}
    ]
