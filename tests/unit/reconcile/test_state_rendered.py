# SPDX-License-Identifier: GPL-3.0-or-later
"""`state: rendered` gives manifests that anybody can apply, or files that a second run leaves alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from module_utils.kube.intent import Stage
from module_utils.kube.manifest import Json
from tests.unit.kinds.model_service.build import document

from ..modules.task import full, rendered, run

CANARY = "canary-3f9a"


def _files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# Manifests.


def test_manifests_can_be_applied_by_anybody() -> None:
    found = rendered(full("chat"), fleet="blue")["manifests"]
    assert len(found) == 17
    for manifest in found:
        metadata = manifest["metadata"]
        assert metadata["labels"]["inference.modelops.io/fleet"] == "blue"
        assert metadata["annotations"]["inference.modelops.io/owner"] == "ModelService/team-a/chat"
        assert "inference.modelops.io/intent" not in metadata["annotations"]
        assert not metadata.keys() & {"ownerReferences", "uid", "managedFields", "resourceVersion"}
        assert "status" not in manifest


def test_fleet_is_called_default_where_none_is_named() -> None:
    for manifest in rendered(document())["manifests"]:
        assert manifest["metadata"]["labels"]["inference.modelops.io/fleet"] == "default"


def test_what_others_need_comes_first_over_all_services() -> None:
    """So that `kubectl apply -f` in this order meets no account or role that is not there yet."""
    order = {
        "ServiceAccount": Stage.ACCESS,
        "Role": Stage.ACCESS,
        "ClusterRole": Stage.ACCESS,
        "RoleBinding": Stage.CONFIG,
        "ClusterRoleBinding": Stage.CONFIG,
        "ConfigMap": Stage.CONFIG,
        "Secret": Stage.CONFIG,
        "Service": Stage.SERVICE,
        "Deployment": Stage.WORKLOAD,
        "HTTPRoute": Stage.ROUTING,
    }
    found = rendered(full("b"), full("a"))["manifests"]
    stages = [order[each["kind"]] for each in found if each["kind"] in order]
    assert stages == sorted(stages)
    assert found[-1]["kind"] not in order or order[found[-1]["kind"]] is Stage.ROUTING


def test_manifests_are_plain_data() -> None:
    found = rendered(full("chat"))["manifests"]
    assert json.loads(json.dumps(found)) == found
    assert "&id" not in yaml.safe_dump(found), "no value is shared"


def test_rendering_is_the_same_each_time_and_changes_nothing() -> None:
    first, second = (rendered(full("chat")) for dummy in range(2))
    assert first["manifests"] == second["manifests"]
    assert first["changed"] is False
    assert first["stats"]["requests"] == 0


# Files.


def test_one_file_for_each_object_below_its_namespace(tmp_path: Path) -> None:
    result = rendered(full("chat"), dest=str(tmp_path))
    found = _files(tmp_path)
    assert len(found) == len(result["paths"]) == 17
    assert {str(tmp_path / name) for name in found} == set(result["paths"])
    assert "team-a/deployment-chat-decode.yaml" in found
    assert "_cluster/clusterrole-team-a-chat-epp.yaml" in found
    assert result["changed"] is True
    assert result["manifests"] == []


def test_pools_of_two_api_groups_have_a_file_each_that_a_second_run_leaves_alone(
    tmp_path: Path,
) -> None:
    service = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "chat", "namespace": "team-a"},
        "spec": {
            "model": {"uri": "hf://acme/chat"},
            "router": {"gateway": {}, "route": {}, "scheduler": {}},
        },
    }
    first = rendered(service, dest=str(tmp_path))
    found = _files(tmp_path)
    assert set(first["paths"]) == {str(tmp_path / name) for name in found}
    assert len(found) == len(first["paths"]) == len(rendered(service)["manifests"])
    groups = ("inference.networking.k8s.io", "inference.networking.x-k8s.io")
    for group in groups:
        pool = yaml.safe_load(found[f"team-a/inferencepool.{group}-chat-inference-pool.yaml"])
        assert pool["apiVersion"].partition("/")[0] == group
    assert not rendered(service, dest=str(tmp_path))["changed"]


def test_files_hold_what_would_have_been_returned(tmp_path: Path) -> None:
    result = rendered(full("chat"), dest=str(tmp_path))
    contents = [yaml.safe_load(Path(path).read_text(encoding="utf-8")) for path in result["paths"]]
    assert contents == rendered(full("chat"))["manifests"]
    assert all(text.startswith("---\napiVersion: ") for text in _files(tmp_path).values())
    assert all(Path(path).stat().st_mode & 0o777 == 0o644 for path in result["paths"])


def test_second_run_writes_no_file(tmp_path: Path) -> None:
    first = rendered(full("chat"), dest=str(tmp_path))
    times = {path: Path(path).stat().st_mtime_ns for path in first["paths"]}
    second = rendered(full("chat"), dest=str(tmp_path), diff=True)
    assert second["changed"] is False
    assert second["diff"] == []
    assert second["paths"] == first["paths"]
    assert {path: Path(path).stat().st_mtime_ns for path in second["paths"]} == times


def test_only_what_changed_is_written_and_shown(tmp_path: Path) -> None:
    rendered(full("chat"), dest=str(tmp_path))
    result = rendered(full("chat", decode={"replicas": 3}), dest=str(tmp_path), diff=True)
    (shown,) = result["diff"]
    path = str(tmp_path / "team-a" / "deployment-chat-decode.yaml")
    assert shown["before_header"] == shown["after_header"] == path
    assert "replicas: 2" in shown["before"]
    assert "replicas: 3" in shown["after"]
    assert "replicas: 3" in Path(path).read_text(encoding="utf-8")


def test_check_mode_writes_nothing_and_tells_the_same(tmp_path: Path) -> None:
    dest = tmp_path / "new"
    predicted = rendered(full("chat"), dest=str(dest), check_mode=True, diff=True)
    assert not dest.exists()
    made = rendered(full("chat"), dest=str(dest), diff=True)
    for key in ("changed", "paths", "diff", "services"):
        assert predicted[key] == made[key]
    before = _files(dest)
    rendered(full("chat", decode={"replicas": 9}), dest=str(dest), check_mode=True)
    assert _files(dest) == before


def test_secret_is_in_the_file_and_not_in_the_diff(tmp_path: Path) -> None:
    def service(token: str) -> Json:
        image = "registry.example.com/serving/vllm:0.11.0"
        engine = {"image": image, "env": [{"name": "HF_TOKEN", "value": token}]}
        return full("chat", engine={**engine, "args": [f"--api-key={token}"]})

    first = rendered(service(CANARY), dest=str(tmp_path), diff=True)
    second = rendered(service("another-one"), dest=str(tmp_path), diff=True)
    assert "another-one" in json.dumps(_files(tmp_path))
    for result in (first, second):
        assert CANARY not in json.dumps(result)
        assert "another-one" not in json.dumps(result)
    assert second["diff"][0]["before"] != second["diff"][0]["after"]


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a: [", b"day: 2026-13-45\n", b"- a\n", b"text"])
def test_file_that_held_something_else_is_replaced(tmp_path: Path, content: bytes) -> None:
    (path,) = (tmp_path / "team-a" / "serviceaccount-chat-epp.yaml",)
    path.parent.mkdir()
    path.write_bytes(content)
    result = rendered(document(), dest=str(tmp_path), diff=True)
    assert result["changed"]
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["kind"] == "ServiceAccount"
    shown = next(each for each in result["diff"] if each["after_header"] == str(path))
    assert "<masked " in shown["before"], "what it held may be secret"


def test_write_that_fails_leaves_the_file_as_it_was_and_no_half_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered(full("chat"), dest=str(tmp_path))
    before = _files(tmp_path)

    def full_disk(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    changed = full("chat", decode={"replicas": 9})
    result = run(state="rendered", services=[changed], dest=str(tmp_path))
    assert "deployment-chat-decode.yaml cannot be written: No space left" in result["msg"]
    assert _files(tmp_path) == before


def test_dest_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for dest, said in [
        (file, "is not a folder"),
        (file / "below", "cannot be written: Not a directory"),
        (tmp_path / ("x" * 300), "cannot be written: File name too long"),
    ]:
        result = run(state="rendered", services=[document()], dest=str(dest))
        assert result["failed"], dest
        assert said in result["msg"]
        assert result["paths"] == []


def test_folder_in_the_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "team-a" / "serviceaccount-chat-epp.yaml").mkdir(parents=True)
    result = run(state="rendered", services=[document()], dest=str(tmp_path))
    assert result["failed"]
    assert "serviceaccount-chat-epp.yaml cannot be written: Is a directory" in result["msg"]


def test_what_could_not_be_used_is_said_and_the_rest_is_rendered() -> None:
    bad = document("bad", decode={"replicas": "four"})
    result = rendered(document("good"), bad, skip_invalid=True)
    assert {each["metadata"]["namespace"] for each in result["manifests"]} <= {"team-a", None}
    assert [each["name"] for each in result["services"]] == ["good"]
    assert any(text.startswith("left out: services[1]") for text in result["warnings"])
