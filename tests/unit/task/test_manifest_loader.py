# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that the user gives are read as kubectl reads them, and what cannot be used is named, all of it at once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from ansible_collections.modelops.inference.plugins.module_utils.task.manifest_loader import (
    cluster_objects,
    given,
    read,
)

Json = dict[str, Any]
ONE = "kind: One\nspec: {a: 1}\n"
TWO = "kind: Two\n"


def _file(folder: Path, name: str, content: str | bytes = ONE) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def _kinds(*paths: str) -> list[str]:
    return [document.value["kind"] for document in read(paths)]


def _complaint(*paths: str) -> str:
    with pytest.raises(InputError) as error:
        read(paths)
    return str(error.value)


@pytest.mark.parametrize(
    ("content", "kinds"),
    [
        (ONE, ["One"]),
        (f"{ONE}---\n{TWO}", ["One", "Two"]),
        (f"---\n{ONE}...\n---\n{TWO}", ["One", "Two"]),
        (f"# licence\n---\n{ONE}---\n# nothing\n---\n---\n{TWO}---\n", ["One", "Two"]),
        ("# nothing but a comment\n", []),
        ("", []),
        (
            f"kind: List\nitems:\n- {{kind: One}}\n- {{kind: Two}}\n---\n{TWO}",
            ["One", "Two", "Two"],
        ),
        ("kind: List\nitems: []\n", []),
        ("\ufeffkind: One\n", ["One"]),
        ("kind: One\r\nspec: 1\r\n", ["One"]),
    ],
)
def test_documents_of_a_file(tmp_path: Path, content: str, kinds: list[str]) -> None:
    assert _kinds(_file(tmp_path, "fleet.yaml", content)) == kinds


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ('{"kind": "One", "n": 1.0}', {"kind": "One", "n": 1.0}),
        ('{\n\t"kind": "One",\n\t"path": "a\\/b"\n}', {"kind": "One", "path": "a/b"}),
        ('{"kind": "One", "text": "\\ud83d\\ude00"}', {"kind": "One", "text": "😀"}),
        (json.dumps({"kind": "One", "on": "yes"}), {"kind": "One", "on": "yes"}),
    ],
)
def test_json_is_read_as_json(tmp_path: Path, content: str, value: Json) -> None:
    (document,) = read([_file(tmp_path, "a.json", content)])
    assert document.value == value


def test_list_of_kubectl_as_json(tmp_path: Path) -> None:
    listing = {"apiVersion": "v1", "kind": "List", "items": [{"kind": "One"}, {"kind": "Two"}]}
    documents = read([_file(tmp_path, "a.json", json.dumps(listing))])
    assert [document.value["kind"] for document in documents] == ["One", "Two"]
    assert documents[1].origin.endswith("a.json, items[1]")


def test_empty_json_file_holds_nothing(tmp_path: Path) -> None:
    assert read([_file(tmp_path, "a.json", "\n")]) == []


def test_place_of_a_document_is_told(tmp_path: Path) -> None:
    single = _file(tmp_path, "single.yaml")
    several = _file(tmp_path, "several.yaml", f"# licence\n---\n{ONE}---\n{TWO}")
    assert [document.origin for document in read([single, several])] == [
        single,
        f"{several}, document 1",
        f"{several}, document 2",
    ]
    assert [document.origin for document in given("services", [{}, {}])] == [
        "services[0]",
        "services[1]",
    ]


def test_folder_is_read_in_the_order_of_names_and_not_deeper(tmp_path: Path) -> None:
    for name, kind in [("b.yml", "B"), ("a.yaml", "A"), ("c.json", "C")]:
        _file(tmp_path, name, json.dumps({"kind": kind}))
    _file(tmp_path, "README.md", "# not: yaml: at all\n\t")
    _file(tmp_path, "values.yaml.j2", "{{ no }}")
    (tmp_path / "deeper.yaml").mkdir()
    _file(tmp_path / "deeper.yaml", "d.yaml", "kind: D")
    assert _kinds(str(tmp_path)) == ["A", "B", "C"]


def test_glob_takes_files_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ("team-b", "team-a"):
        (tmp_path / name).mkdir()
        _file(tmp_path / name, "x.yaml", f"kind: {name}")
    (tmp_path / "team-c").mkdir()
    assert _kinds(str(tmp_path / "team-*" / "*.yaml")) == ["team-a", "team-b"]
    assert _kinds(str(tmp_path / "**" / "*.yaml")) == ["team-a", "team-b"]


def test_file_whose_name_looks_like_a_glob_is_that_file(tmp_path: Path) -> None:
    assert _kinds(_file(tmp_path, "[a].yaml")) == ["One"]


def test_home_folder_may_be_abbreviated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    _file(tmp_path, "a.yaml")
    assert _kinds("~/a.yaml") == ["One"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.yaml", "a: b\nc: [1,\n", "is not YAML"),
        ("a.yaml", "a: 1\n  b: 2\n", "in line 2, column"),
        ("a.yaml", "a: 1\n---\nb: 2\n\tc: 3\n", "in line 4, column"),
        ("a.yaml", "a: *nowhere\n", "in line 1, column 4"),
        ("a.yaml", "a: !vault x\n", "in line 1, column 4"),
        ("a.yaml", "a: {{ value }}\n", "is not YAML"),
        ("a.yaml", "a: {{ value }}\n", "files are not templated"),
        ("a.yaml", "a: 1\nb: {c: 1,\n d: 2}\na: 2\n", '"a" is in line 1 and again in line 4'),
        ("a.yaml", "a: 1\n---\n- {b: {c: 1, c: 1}}\n", '"c" is in line 3 and again in line 3'),
        ("a.json", '{"a": {"b": 1, "c": 2, "b": 3}}', '"b" occurs twice'),
        ("a.yaml", "$ANSIBLE_VAULT;1.1;AES256\n3131\n", "is encrypted by ansible-vault"),
        ("a.yaml", "just a text\n", "holds a single value, and a manifest is a map"),
        ("a.yaml", "a: 1\n---\n- a: 1\n", "document 2 holds a list, and a manifest is a map"),
        ("a.json", "3", "holds a single value"),
        ("a.yaml", "a: \x07\n", "is not YAML"),
        ("a.yaml", "day: 2026-13-45\n", "is not YAML: month must be in 1..12"),
        ("a.yaml", "[" * 3000, "is not YAML"),
        ("a.yaml", b"a: \xff\xfe\n", "is not UTF-8 text: invalid start byte at byte 3"),
        ("a.yaml", "a: b".encode("utf-16"), "is UTF-16 text"),
        ("b.yaml", b"\xfe\xff" + "a: b".encode("utf-16-be"), "save it as UTF-8"),
        ("a.json", '{"a": 1,}', "is not JSON"),
        ("a.json", '{\n "a": b}', "in line 2, column"),
        ("a.json", "[" * 100_000, "is not usable JSON: it is nested too deeply"),
    ],
)
def test_file_that_cannot_be_used_is_named_with_the_place(
    tmp_path: Path, name: str, content: str | bytes, said: str
) -> None:
    path = _file(tmp_path, name, content)
    complaint = _complaint(path)
    assert complaint.startswith(f"src {path}: 1 problem")
    assert said in complaint
    assert "Traceback" not in complaint


def test_path_that_means_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "folders").mkdir()
    (tmp_path / "folders" / "x.yaml").mkdir()
    for path, said in [
        (tmp_path / "gone.yaml", "no such file or folder on the Ansible controller"),
        (tmp_path / "empty", "has no file that ends in .yaml, .yml, .json"),
        (tmp_path / "empty" / "*.yaml", "no file matches this pattern"),
        (tmp_path / "folders" / "*.yaml", "no file matches this pattern"),
        (tmp_path / "a\0b", "holds a zero byte, and no path has one"),
    ]:
        complaint = _complaint(str(path))
        assert f"src {path}" in complaint
        assert said in complaint


def test_document_that_is_given_as_a_path_is_an_error_that_stays_short() -> None:
    complaint = _complaint("apiVersion: v1\nkind: ModelService\n" * 500)
    assert "File name too long" in complaint
    assert len(complaint) < 400


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_and_folders_without_the_right_to_read_them_are_named(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    file = _file(tmp_path, "a.yaml")
    Path(file).chmod(0)
    closed.chmod(0)
    try:
        complaint = _complaint(file, str(closed), str(closed / "x.yaml"))
    finally:
        closed.chmod(0o700)
    assert complaint.count("cannot be read: Permission denied") == 3


def test_right_to_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the test before, for a root user, who may read everything."""
    path = _file(tmp_path, "a.yaml")

    def refuse(*_arguments: Any, **_options: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    monkeypatch.setattr(Path, "iterdir", refuse)
    complaint = _complaint(path, str(tmp_path))
    assert f"src {path}: 1 problem\n  cannot be read: Permission denied" in complaint
    assert f"src {tmp_path}: 1 problem\n  cannot be read: Permission denied" in complaint


def test_every_unusable_path_is_named_at_once(tmp_path: Path) -> None:
    _file(tmp_path, "a.yaml", "a: [")
    _file(tmp_path, "b.yaml", "b: [")
    _file(tmp_path, "good.yaml")
    complaint = _complaint(str(tmp_path / "gone"), str(tmp_path), str(tmp_path / "*.json"))
    for name in ("gone", "a.yaml", "b.yaml", "*.json"):
        assert f"src {tmp_path / name}" in complaint
    assert "good.yaml" not in complaint


# What `rendered` is told to treat as present.

MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}


def test_cluster_objects_are_maps_and_paths_side_by_side(tmp_path: Path) -> None:
    other = {**MAP, "metadata": {"name": "b"}}
    path = _file(tmp_path, "b.json", json.dumps({"kind": "List", "items": [other]}))
    assert cluster_objects([MAP, path]) == [MAP, other]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "list is not a manifest; give a map or a path"),
        (5, "int is not a manifest"),
        ({}, "apiVersion, kind, metadata.name missing; this is no Kubernetes object"),
        ({**MAP, "metadata": None}, "metadata.name missing"),
        ({**MAP, "metadata": {"name": ""}}, "metadata.name missing"),
        ({**MAP, "apiVersion": 1}, "apiVersion missing"),
    ],
)
def test_what_is_no_object_is_named(value: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        cluster_objects([MAP, value])
    assert str(error.value) == f"cluster_objects[1]: 1 problem\n  {said}" or said in str(
        error.value
    )
    assert "cluster_objects[1]" in str(error.value)


def test_all_that_is_wrong_with_cluster_objects_is_said_at_once(tmp_path: Path) -> None:
    broken = _file(tmp_path, "broken.yaml", "a: [")
    no_object = _file(tmp_path, "list.yaml", "- a\n")
    with pytest.raises(InputError) as error:
        cluster_objects([{}, str(tmp_path / "gone"), broken, no_object, 5])
    text = str(error.value)
    for subject in (
        "cluster_objects[0]",
        f"cluster_objects {tmp_path / 'gone'}",
        f"cluster_objects {broken}",
        no_object,
        "cluster_objects[4]",
    ):
        assert subject in text
    assert "src " not in text


def test_map_that_takes_over_another_may_replace_its_values(tmp_path: Path) -> None:
    text = "x: &x {<<: &y {k: 1, j: 2}, k: 3}\nz: {<<: *x, <<: *y, k: 4, 4: a, '4': b}\n"
    (document,) = read([_file(tmp_path, "a.yaml", text)])
    assert document.value["x"] == {"k": 3, "j": 2}
    assert document.value["z"] == {"k": 4, "j": 2, 4: "a", "4": "b"}
