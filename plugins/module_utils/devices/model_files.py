# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a model that sizing reads: `config.json`, the index of its weights, and what Model Optimizer says of quantisation.

Each may be a path on the Ansible controller, or the content itself, as a map or as text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..kube.local_path import local_path
from ..kube.problem import Problem
from ..kube.schema_faults import show

CONFIG, INDEX, QUANTIZATION = (
    "config.json",
    "model.safetensors.index.json",
    "hf_quant_config.json",
)
#: More than the index of the largest models; what is larger is a file of weights.
_MOST_BYTES = 100 * 2**20
_GGUF = b"GGUF"


@dataclass(slots=True)
class ModelFiles:
    """What the files say; None where one is not given and not there."""

    config: Mapping[str, Any] | None = None
    index: Mapping[str, Any] | None = None
    problems: list[Problem] = field(default_factory=list)


def read_model_files(given: Mapping[str, Any], path: str) -> ModelFiles:
    """Return the content of the files that the option `model` names, and what is wrong with them.

    A folder means the config.json in it. Beside a config.json that is a file, the index and hf_quant_config.json are read too.
    """
    files = ModelFiles()
    folder = _folder(given.get("config"))
    for name in ("config", "index"):
        try:
            setattr(files, name, _content(given.get(name), CONFIG if name == "config" else INDEX))
        except ValueError as error:
            files.problems.append(Problem(f"{path}.{name}", str(error), rule="model-config"))
    if folder is None:
        return files
    try:
        if given.get("index") is None:
            files.index = _beside(folder, INDEX)
        said = _beside(folder, QUANTIZATION)
        part = said.get("quantization") if said else None
        if files.config is not None and isinstance(part, Mapping):
            own = {"quantization_config": {"quant_method": "modelopt", **part}}
            files.config = {**own, **{k: v for k, v in files.config.items() if v is not None}}
    except ValueError as error:
        files.problems.append(Problem(f"{path}.config", str(error), rule="model-config"))
    return files


def _is_text(value: str) -> bool:
    return value.lstrip().startswith(("{", "["))


def _folder(value: Any) -> Path | None:
    """Return the folder of a config that is given by path."""
    if not isinstance(value, str) or _is_text(value) or not value.strip():
        return None
    with suppress(OSError, ValueError):
        target = local_path(value)
        return target if target.is_dir() else target.parent
    return None


def _beside(folder: Path, name: str) -> Mapping[str, Any] | None:
    """Return the content of a file in a folder, None where it is not there. Raises ValueError that names it."""
    try:
        return _file(folder / name) if (folder / name).is_file() else None
    except ValueError as error:
        raise ValueError(f"{name} beside it {error}") from error


def _content(value: Any, name: str) -> Mapping[str, Any] | None:
    """Return what an option means. name: of the file in a folder. Raises ValueError where it cannot be used."""
    if value is None or isinstance(value, Mapping):
        return value
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{show(value)} is neither a path nor a map")
    if _is_text(value):
        return _parsed(value)
    if value.lstrip().startswith("<"):
        raise ValueError(
            "is a page and not JSON, as a hub sends it in place of a file; download the file with a token that may read it"
        )
    target = local_path(value)
    try:
        inside = target.is_dir()
    except OSError as error:
        raise ValueError(f"{target} cannot be read: {error.strerror}") from error
    return _file(target / name if inside else target)


def _file(file: Path) -> Mapping[str, Any]:
    """Return what a file holds. Raises ValueError with what it is in place of a JSON object."""
    try:
        if not file.is_file():
            what = "is not a file" if file.exists() else "there is no such file"
            raise ValueError(f"{file}: {what} on the Ansible controller")
        if file.suffix == ".gguf" or _starts_with(file, _GGUF):
            raise ValueError(
                f"{file} is a GGUF file; give the config.json of the model that it was made from, and precision"
            )
        size = file.stat().st_size
        if size > _MOST_BYTES:
            raise ValueError(
                f"{file} has {size} bytes, which is no config.json; is it a file of weights?"
            )
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not text; is it a file of weights?") from error
    try:
        return _parsed(text)
    except ValueError as error:
        raise ValueError(f"{file} {error}") from error


def _starts_with(file: Path, magic: bytes) -> bool:
    with file.open("rb") as stream:
        return stream.read(len(magic)) == magic


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from error
    except RecursionError as error:
        raise ValueError("is not usable JSON: it is nested too deeply") from error
    if not isinstance(value, Mapping):
        raise ValueError(f"holds {_kind(value)}, not an object")
    return value


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", bool: "a boolean", type(None): "null"}.get(
        type(value), "a number"
    )
