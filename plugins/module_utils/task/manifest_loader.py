# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents that the user gives: in the task, or as files, folders and globs of YAML."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..kube.input_schemas import COMMON, InputSchemas, input_problems
from ..kube.local_path import local_path
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from .strict_yaml import json_documents, yaml_documents

SUFFIXES = (".yaml", ".yml", ".json")
#: How much of a path a message shows, in characters.
MOST_SHOWN = 200
#: How a file begins that ansible-vault has encrypted.
VAULT = "$ANSIBLE_VAULT;"
#: How a file of UTF-16 begins, in both orders of bytes.
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: The beginning of an address; where a path was made of it, a slash is lost.
_ADDRESS = re.compile(r"(?:^|/)(?:https?|git|s3|oci):/")


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document. origin: where it is, for messages, for example `services[2]` or `fleet.yaml, document 2`."""

    origin: str
    value: Any


def given(option: str, values: Sequence[Any]) -> list[Document]:
    """Return the documents that are in the task itself; the items of a List are taken apart, as those of a file are."""
    return [
        document
        for number, value in enumerate(values)
        for document in _apart(f"{option}[{number}]", value)
    ]


def read(paths: Sequence[str], option: str = "src") -> list[Document]:
    """Return the documents of files, folders (their YAML and JSON files, not deeper) and globs, in the order given.

    Empty documents are skipped, the items of a List are taken apart. Raises InputError that names every path that cannot be used.
    option: where the paths were given, for messages.
    """
    documents: list[Document] = []
    complaints: list[Complaint] = []
    for path in paths:
        try:
            files = _files(path)
        except OSError as error:
            files = []
            complaints.append(_complaint(option, path, f"cannot be read: {error.strerror}"))
        except ValueError as error:
            files = []
            complaints.append(_complaint(option, path, str(error)))
        for file in files:
            try:
                documents += _parse(file)
            except ValueError as error:
                complaints.append(_complaint(option, str(file), str(error)))
    if complaints:
        raise InputError(complaints)
    return documents


def _complaint(option: str, path: str, message: str) -> Complaint:
    """Return what is wrong with a path, which may be a whole document that somebody took for a path."""
    shown = path if len(path) <= MOST_SHOWN else f"{path[:MOST_SHOWN]}…"
    return Complaint(f"{option} {shown}", (Problem("", message),))


def _files(path: str) -> list[Path]:
    """Return the files that a path means. Raises ValueError where it means none, OSError where it cannot be looked at."""
    target = local_path(path)
    if target.is_dir():
        files = sorted(
            file for file in target.iterdir() if file.suffix in SUFFIXES and file.is_file()
        )
        if not files:
            raise ValueError(f"the folder has no file that ends in {', '.join(SUFFIXES)}")
        return files
    if target.is_file():
        return [target]
    if glob.has_magic(str(target)):
        # Path.glob takes no absolute pattern.
        found = sorted(glob.iglob(str(target), recursive=True))  # noqa: PTH207
        if files := [Path(name) for name in found if Path(name).is_file()]:
            return files
        raise ValueError("no file matches this pattern")
    if _ADDRESS.search(path):
        raise ValueError(
            "is an address, and only files on the Ansible controller are read; fetch it first, for example with ansible.builtin.get_url"
        )
    raise ValueError("there is no such file or folder on the Ansible controller")


def _parse(file: Path) -> list[Document]:
    """Return the documents of a file. Raises ValueError where it cannot be used."""
    try:
        content = file.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        if content.startswith(_UTF16):
            raise ValueError(
                "is UTF-16 text, as some editors of Windows write it; save it as UTF-8"
            ) from error
        raise ValueError(f"is not UTF-8 text: {error.reason} at byte {error.start}") from error
    if text.startswith(VAULT):
        raise ValueError(
            "is encrypted by ansible-vault; decrypt it, or give its content in place of the file, by lookup('ansible.builtin.file', …)"
        )
    try:
        values = json_documents(text) if file.suffix == ".json" else yaml_documents(text)
    except ValueError as error:
        if "{{" not in text:
            raise
        way = "give what lookup('ansible.builtin.template', …) makes of it"
        raise ValueError(f"{error}; files are not templated: {way}") from error
    several = len(values) > 1
    documents = []
    for number, value in enumerate(values, start=1):
        origin = f"{file}, document {number}" if several else str(file)
        documents += list(unpack(origin, value))
    for document in documents:
        if not isinstance(document.value, dict):
            where = document.origin.removeprefix(str(file)).removeprefix(", ")
            what = "a list" if isinstance(document.value, list) else "a single value"
            raise ValueError(
                f"{f'{where} ' if where else ''}holds {what}, and a manifest is a map with apiVersion and kind"
            )
    return documents


def parse_text(text: str, origin: str) -> list[Document]:
    """Return the documents of a text. Raises InputError where it is not YAML."""
    try:
        values = yaml_documents(text)
    except ValueError as error:
        raise InputError([Complaint(origin, (Problem("", str(error)),))]) from None
    return [
        document
        for number, value in enumerate(values, start=1)
        for document in unpack(f"{origin}, document {number}", value)
    ]


def unpack(origin: str, value: Any) -> Iterator[Document]:
    """Yield a document, or the items of a list; nothing where it is empty."""
    if value is not None:
        yield from _apart(origin, value)


def _apart(origin: str, value: Any) -> Iterator[Document]:
    """Yield the items of a List, or of a list of one kind as the API returns it, whose items do not say what they are."""
    items = value.get("items") if isinstance(value, dict) else None
    kind = str(value.get("kind")) if isinstance(items, list) else ""
    if not kind.endswith("List") or (value.get("metadata") or {}).get("name"):
        yield Document(origin, value)
        return
    own = {} if kind == "List" else {"apiVersion": value.get("apiVersion"), "kind": kind[:-4]}
    for number, item in enumerate(items or ()):
        document = {**own, **item} if isinstance(item, dict) else item
        yield Document(f"{origin}, items[{number}]", document)


def cluster_objects(values: Sequence[Any], shapes: InputSchemas = COMMON) -> list[Json]:
    """Return manifests that are to be treated as present: dicts, or paths as in `src`. Raises InputError that holds all problems.

    shapes: of the kinds that are looked at; those that every kind of service reads if they are not given.
    """
    return object_documents(values).well_formed(shapes)


@dataclass(frozen=True, slots=True)
class ObjectDocuments:
    """What was given as `cluster_objects`, before it is judged. unreadable: the paths that cannot be used."""

    documents: Sequence[Document]
    unreadable: Sequence[Complaint]

    @property
    def values(self) -> list[Any]:
        """What the documents hold, objects or not."""
        return [document.value for document in self.documents]

    def well_formed(self, shapes: InputSchemas) -> list[Json]:
        """Return the objects. Raises InputError that holds every path, and what an API server would not have stored of any object."""
        complaints = list(self.unreadable)
        for document in self.documents:
            problem = _not_an_object(document.value)
            problems = (problem,) if problem else tuple(input_problems(document.value, shapes))
            if problems:
                complaints.append(Complaint(_named(document), problems))
        if complaints:
            raise InputError(complaints)
        return self.values


def object_documents(values: Sequence[Any]) -> ObjectDocuments:
    """Return what was given as `cluster_objects`: dicts, or paths as in `src`."""
    documents: list[Document] = []
    complaints: list[Complaint] = []
    for number, value in enumerate(values):
        try:
            documents += (
                read([value], "cluster_objects")
                if isinstance(value, str)
                else _apart(f"cluster_objects[{number}]", value)
            )
        except InputError as error:
            complaints += error.complaints
    return ObjectDocuments(documents, complaints)


def _named(document: Document) -> str:
    """Return how messages call a given object: where it is, and its kind and name where it has them."""
    value = document.value
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return document.origin
    return f"{document.origin} ({value.get('kind')} {value['metadata'].get('name')})"


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
