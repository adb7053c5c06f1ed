# SPDX-License-Identifier: GPL-3.0-or-later
"""What checks say of every recorded service, each in the cluster that it was recorded in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from module_utils.kinds.registry import WRITTEN
from module_utils.kube.problem import InputError, Problem
from module_utils.kube.reader import GivenObjects, Reader
from tests.parity import recorded_inference_services as inference_services
from tests.parity import recorded_llm_services as llm_services
from tests.parity import recorded_services as model_services

from .checked import checked

Json = dict[str, Any]


def findings() -> Iterator[tuple[str, Problem]]:
    """Yield each recording with each thing that is told of it beyond what its kind says when it is loaded."""
    for name, document, settings, reader in _recorded():
        kind = WRITTEN[document["apiVersion"], document["kind"]]
        loaded = kind.load(document, settings)
        if loaded.service is not None:
            for problem in checked(loaded.service, settings, reader):
                yield name, problem


def _recorded() -> Iterator[tuple[str, Json, Any, Reader]]:
    """Yield name, service, settings and cluster of each recording."""
    for folder in model_services.folders("settings.yaml"):
        if (folder / "input.yaml").exists():
            try:
                settings = model_services.recorded_settings(folder)
            except InputError:
                continue
            document = model_services.read(folder / "input.yaml")
            yield (
                f"model_service/{model_services.name_of(folder)}",
                document,
                settings,
                GivenObjects(),
            )
    for folder in llm_services.cases():
        settings = llm_services.recorded_settings(folder)
        (document,) = llm_services.read_all(folder / "input.yaml")
        yield _name(folder), document, settings, llm_services.recorded_cluster(folder)
    for folder in inference_services.cases():
        document = inference_services.read_one(folder / "input.yaml")
        cluster = inference_services.recorded_cluster(folder)
        yield _name(folder), document, inference_services.SETTINGS, cluster


def _name(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"
