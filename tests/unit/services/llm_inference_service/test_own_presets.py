# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's own presets: every shape of service can be served with them, under Pod Security `restricted`."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.pod_schema.pod import (
    POD_SPEC,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reader import GivenObjects
from ansible_collections.modelops.inference.plugins.module_utils.kube.schema_check import check
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.advise import (
    advise,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.compile import (
    compile as compile_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.presets.own import (
    own_presets,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.presets.resolve import (
    resolve,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.presets.well_known import (
    WELL_KNOWN,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.schema import (
    spec_schema,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.settings import (
    Settings,
)

from .build import document
from .preset_world import PRESETS, ROUTER, World, pods, preset, system_config

Json = dict[str, Any]
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
    """F1, F2."""
    assert set(own_presets()) == set(WELL_KNOWN)
    for spec in own_presets().values():
        assert check(spec_schema(strict=False), spec, "spec", keep_empty=True).problems == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_can_be_served_without_any_preset_of_the_cluster(shape: str) -> None:
    children = found(shape)
    servers = list(pods(children))
    assert servers
    for pod in servers:
        assert check(POD_SPEC, pod, "pod", keep_empty=True).problems == ()
        assert "{{" not in str(pod)


@pytest.mark.parametrize("shape", SHAPES)
def test_pods_run_under_restricted(shape: str) -> None:
    for pod in pods(found(shape)):
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
        resolve(service, Settings(), World([system_config(), some]))


def test_our_presets_are_told_unless_they_were_asked_for() -> None:
    for settings, told in ((Settings(), True), (Settings(config_prefix="modelops-"), False)):
        service = load(document(), settings).service
        assert service is not None
        rules = {problem.rule for problem in advise(service, settings, GivenObjects())}
        assert ("own-presets" in rules) is told
