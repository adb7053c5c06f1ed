# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading kubeconfig files as kubectl does.

Not done with `kubernetes.config`: importing it costs more than everything else in a run together (0.3 s against 0.05 s),
it reads the process's environment instead of the task's, and it leaves keys in the shared temporary folder. The
`auth-provider` oidc is handed to it nevertheless. A test compares the results of both.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..kube.local_path import local_path
from .errors import LoginError
from .libraries import need

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """One named part of a kubeconfig (a cluster, a user) with the folder that its relative paths start from."""

    name: str
    body: Mapping[str, Any] = field(repr=False)
    folder: Path

    def text(self, key: str) -> str:
        """Return a text value, empty where it is not set. Raises LoginError for another type."""
        value = self.body.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise LoginError(f"kubeconfig: {key} of {self.name} must be text")
        return value

    def content(self, key: str) -> str:
        """Return what `<key>-data` holds, or the file that `<key>` names. Raises LoginError."""
        data = self.text(f"{key}-data")
        if data:
            try:
                return base64.b64decode("".join(data.split()), validate=True).decode()
            except (binascii.Error, ValueError):
                raise LoginError(f"kubeconfig: {key}-data of {self.name} is not base64") from None
        path = self.text(key)
        return read(self.folder / path, f"{key} of {self.name} in the kubeconfig") if path else ""


@dataclass(frozen=True, slots=True)
class Context:
    """What a context of a kubeconfig points to."""

    name: str
    cluster: Section
    user: Section


def read(path: Path, what: str) -> str:
    """Return the text of a file. Raises LoginError that says what the file was for."""
    if "\n" in str(path):
        raise LoginError(
            f"{what} must be a path, and is a text of several lines; write it to a file"
        )
    try:
        return local_path(str(path)).read_text()
    except OSError as error:
        raise LoginError(
            f"{what}: {path}: {(error.strerror or 'cannot be read').lower()}"
        ) from None
    except UnicodeDecodeError:
        raise LoginError(f"{what}: {path} is not a text file") from None
    except ValueError as error:
        raise LoginError(f"{what}: {ascii(str(path))[1:-1]}: {error}") from None


def paths(given: str, home: str) -> list[Path]:
    """Return the files that a path list names. Raises LoginError."""
    if "\n" in given:
        raise LoginError(
            "kubeconfig must be a path or a dict, and is a text of several lines;"
            " turn the content of a file into a dict with the filter from_yaml"
        )
    return [_at_home(part, home) for part in given.split(os.pathsep) if part]


def is_there(path: Path) -> bool:
    """Tell whether a file exists, or may: reading it says why one that cannot be looked at is of no use."""
    try:
        return path.exists()
    except OSError:
        return True


def from_files(files: list[Path], wanted: str = "") -> Context:
    """Return a context of merged files: what a file sets first, wins. `wanted` empty: the current context.

    Files that are not there are passed over as long as one is. Raises LoginError.
    """
    present = [path for path in files if is_there(path)]
    if not present:
        raise LoginError(f"no kubeconfig at {', '.join(str(path) for path in files)}")
    merged: dict[str, dict[str, tuple[Any, Path]]] = {"clusters": {}, "users": {}, "contexts": {}}
    current = ""
    for path in present:
        content = _parse(read(path, "kubeconfig"), path)
        current = current or str(content.get("current-context") or "")
        _collect(content, path.resolve().parent, merged, f"kubeconfig {path}")
    return _context(merged, wanted or current, ", ".join(str(path) for path in present))


def from_content(content: Mapping[str, Any], wanted: str = "") -> Context:
    """Return a context of a kubeconfig given as a dict; relative paths start from the working folder."""
    merged: dict[str, dict[str, tuple[Any, Path]]] = {"clusters": {}, "users": {}, "contexts": {}}
    source = "the given kubeconfig"
    _collect(content, Path.cwd(), merged, source)
    return _context(merged, wanted or str(content.get("current-context") or ""), source)


def _at_home(part: str, home: str) -> Path:
    if home and (part == "~" or part.startswith("~/")):
        return Path(home) / part[2:]
    try:
        return local_path(part)
    except ValueError as error:
        raise LoginError(f"kubeconfig: {ascii(part)[1:-1]}: {error}") from None


def _parse(text: str, path: Path) -> Json:
    need("yaml", "to read a kubeconfig")
    import yaml

    try:
        content = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except (yaml.YAMLError, ValueError, AttributeError, KeyError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1})" if mark else ""
        raise LoginError(f"kubeconfig {path} is not YAML{place}") from None
    if not isinstance(content, dict):
        raise LoginError(f"kubeconfig {path} is empty or not a mapping")
    return content


def _collect(
    content: Mapping[str, Any],
    folder: Path,
    merged: dict[str, dict[str, tuple[Any, Path]]],
    source: str,
) -> None:
    for part, known in merged.items():
        entries = content.get(part) or []
        if not isinstance(entries, list):
            raise LoginError(f"{source}: {part} must be a list")
        for entry in entries:
            body = entry.get(part[:-1]) if isinstance(entry, Mapping) else None
            if not isinstance(entry, Mapping) or not entry.get("name"):
                raise LoginError(f"{source}: each entry of {part} needs a name")
            if body is not None and not isinstance(body, Mapping):
                raise LoginError(f"{source}: {part[:-1]} {entry['name']} must be a mapping")
            known.setdefault(str(entry["name"]), (body or {}, folder))


def _context(
    merged: Mapping[str, Mapping[str, tuple[Any, Path]]], wanted: str, source: str
) -> Context:
    if not wanted:
        raise LoginError(f"{source} has no current-context; name one with `context`")
    context = _find(merged["contexts"], wanted, "context", source)
    cluster = _find(
        merged["clusters"], context.text("cluster"), f"context {wanted}: cluster", source
    )
    user = context.text("user")
    if user and user in merged["users"]:
        return Context(wanted, cluster, _find(merged["users"], user, "user", source))
    if user:
        raise LoginError(f"{source}: context {wanted} names the user {user}, which does not exist")
    return Context(wanted, cluster, Section("", {}, cluster.folder))


def _find(known: Mapping[str, tuple[Any, Path]], name: str, what: str, source: str) -> Section:
    if name not in known:
        have = ", ".join(sorted(known)) or "none"
        raise LoginError(f"{source}: {what} {name or '(not set)'} does not exist; it has: {have}")
    body, folder = known[name]
    return Section(name, body, folder)
