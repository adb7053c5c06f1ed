# SPDX-License-Identifier: GPL-3.0-or-later
"""The picker configuration that a task gives: as structure, text, file or preset, and from which release."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..endpoint_picker.build import as_text
from ..endpoint_picker.check import Report, check_document, check_text
from ..endpoint_picker.migration.migrate import Migration, migrate
from ..endpoint_picker.presets import overridden, preset
from ..endpoint_picker.releases import PickerRelease, release_of
from ..endpoint_picker.text.decode import decode
from ..endpoint_picker.text.errors import DecodeError
from ..kube.manifest import Json
from ..kube.problem import InputError, Problem

SUBJECT = "epp_config"

#: What a ConfigMap can hold, in bytes.
LARGEST = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Prepared:
    """A configuration to store. text: what is stored; that of the author as it is, where he gave one."""

    text: str
    report: Report
    migration: Migration | None = None


def prepare(params: Mapping[str, Any], release: PickerRelease) -> Prepared:
    """Read, migrate and check what a task gives. Raises InputError where there is nothing to check."""
    source = _given(params, release)
    experimental = params["experimental"]
    migration = None
    if params["migrate_from"]:
        document = source if isinstance(source, dict) else _decoded(source)
        migration = migrate(
            document,
            release_of(params["migrate_from"], "migrate_from"),
            release,
            experimental=experimental,
        )
        source = migration.document
    if isinstance(source, dict):
        report = check_document(source, release, experimental=experimental)
        return Prepared(as_text(source), report, migration)
    report = check_text(source, release, experimental=experimental)
    return Prepared(as_string(source), report)


def sources_problems(params: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong with the options that hold the configuration."""
    given = _sources(params)
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        text = f"exactly one of config, src and preset is needed; given is {found}"
        yield Problem("config", text)
    if params["overrides"] and given != ["preset"]:
        text = "overrides belong to a preset; change the configuration itself"
        yield Problem("overrides", text)


def _sources(params: Mapping[str, Any]) -> list[str]:
    return [name for name in ("config", "src", "preset") if params[name] is not None]


def _given(params: Mapping[str, Any], release: PickerRelease) -> Json | str | bytes:
    """Return the configuration as it was given; a map as its text would be read."""
    (given,) = _sources(params)
    if given == "preset":
        return overridden(preset(params["preset"], release), params["overrides"])
    source: Any = _read(params["src"]) if given == "src" else params["config"]
    if not isinstance(source, (dict, str, bytes)):
        raise _problem("config", f"a configuration is a map or text, not {type(source).__name__}")
    try:
        if isinstance(source, dict):
            # The keys of a map are texts, as they are in JSON.
            source = json.loads(json.dumps(source, ensure_ascii=False, allow_nan=False).encode())
        size = len(source) if isinstance(source, bytes) else len(as_text(source).encode())
    except (TypeError, ValueError) as error:
        raise _problem(given, f"it holds what no text can say: {error}") from None
    if size >= LARGEST:
        raise _problem(given, f"it has {size} bytes; a ConfigMap holds less than {LARGEST}")
    checked: Json | str | bytes = source
    return checked


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise _problem("src", f"{path} cannot be read: {error.strerror}") from None


def _decoded(source: str | bytes) -> Json:
    try:
        value = decode(source).value
    except DecodeError as error:
        raise _problem("config", f"{error}; {error.fix}") from None
    if value is not None and not isinstance(value, dict):
        raise _problem("config", "the document is no map")
    return value or {}


def as_string(source: str | bytes) -> str:
    """Return the text of a file in UTF-8 or UTF-16; a mark at its beginning is no part of it."""
    if isinstance(source, str):
        return source
    encoding = "utf-16" if source[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return source.decode(encoding, "replace")


def _problem(path: str, message: str) -> InputError:
    return InputError.single(SUBJECT, path, message)
