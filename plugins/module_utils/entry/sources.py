# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents that the user gives: in the task, or as files, folders and globs of YAML."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem

SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document. origin: where it stands, for messages, for example `services[2]` or `fleet.yaml, document 2`."""

    origin: str
    value: Any


def given(option: str, values: Sequence[Any]) -> list[Document]:
    """Return the documents that stand in the task itself."""
    return [Document(f"{option}[{number}]", value) for number, value in enumerate(values)]


def read(paths: Sequence[str]) -> list[Document]:
    """Return the documents of files, folders (their YAML and JSON files, not deeper) and globs, in the order given.

    Empty documents are skipped, the items of a List are taken apart. Raises InputError that names every path that cannot be used.
    """
    documents: list[Document] = []
    complaints: list[Complaint] = []
    for path in paths:
        try:
            for file in _files(path):
                documents += _parse(file)
        except InputError as error:
            complaints += error.complaints
    if complaints:
        raise InputError(complaints)
    return documents


def _files(path: str) -> list[Path]:
    target = Path(path).expanduser()
    if target.is_dir():
        files = sorted(
            file for file in target.iterdir() if file.suffix in SUFFIXES and file.is_file()
        )
        if not files:
            raise InputError.single(
                f"src {path}", "", f"the folder holds no file that ends in {', '.join(SUFFIXES)}"
            )
        return files
    if target.is_file():
        return [target]
    if glob.has_magic(str(target)):
        # Path.glob takes no absolute pattern.
        if found := sorted(glob.iglob(str(target), recursive=True)):  # noqa: PTH207
            return [Path(name) for name in found if Path(name).is_file()]
        raise InputError.single(f"src {path}", "", "no file matches this pattern")
    raise InputError.single(
        f"src {path}", "", "there is no such file or folder on the Ansible controller"
    )


def _parse(file: Path) -> list[Document]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        values = list(yaml.load_all(file.read_text(encoding="utf-8"), Loader=loader))
    except OSError as error:
        raise InputError.single(f"src {file}", "", f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError.single(
            f"src {file}", "", f"is not UTF-8 text: {error.reason} at byte {error.start}"
        ) from error
    except yaml.YAMLError as error:
        raise InputError.single(f"src {file}", "", f"is not YAML: {_yaml_error(error)}") from error
    several = len(values) > 1
    documents = []
    for number, value in enumerate(values, start=1):
        origin = f"{file}, document {number}" if several else str(file)
        documents += list(_unpack(origin, value))
    return documents


def _unpack(origin: str, value: Any) -> Iterator[Document]:
    if value is None:
        return
    if (
        isinstance(value, dict)
        and value.get("kind") == "List"
        and isinstance(value.get("items"), list)
    ):
        for number, item in enumerate(value["items"]):
            yield Document(f"{origin}, items[{number}]", item)
    else:
        yield Document(origin, value)


def _yaml_error(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{what} in line {mark.line + 1}, column {mark.column + 1}" if mark else str(what)


def cluster_objects(values: Sequence[Any]) -> list[Json]:
    """Return manifests that are to be treated as present: dicts, or paths as in `src`. Raises InputError."""
    manifests: list[Json] = []
    complaints: list[Complaint] = []
    for number, value in enumerate(values):
        documents = (
            read([value])
            if isinstance(value, str)
            else [Document(f"cluster_objects[{number}]", value)]
        )
        for document in documents:
            problem = _not_an_object(document.value)
            if problem:
                complaints.append(Complaint(document.origin, (problem,)))
            else:
                manifests.append(document.value)
    if complaints:
        raise InputError(complaints)
    return manifests


def _not_an_object(value: Any) -> Problem | None:
    if not isinstance(value, dict):
        return Problem("", f"{type(value).__name__} is not a manifest; give a map or a path")
    missing = [field for field in ("apiVersion", "kind") if not isinstance(value.get(field), str)]
    if not isinstance(value.get("metadata"), dict) or not value["metadata"].get("name"):
        missing.append("metadata.name")
    return (
        Problem("", f"{', '.join(missing)} missing; this is no Kubernetes object")
        if missing
        else None
    )
