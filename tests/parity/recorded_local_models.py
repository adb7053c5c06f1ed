# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's controller of caches and its agent were given and answered: the files below recordings/local_model_cache."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.local_models import (
    NAMESPACE_CACHE,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe

from .recorded_llm_services import read_all

Json = dict[str, Any]
RECORDINGS = Path(__file__).parent / "recordings" / "local_model_cache"
#: The releases that were recorded; all of them were given the same caches, but for what they do not know.
RECORDED = {
    release: RECORDINGS / f"v{release}.0" for release in (KServe.V0_17, KServe.V0_19, KServe.V0_20)
}
_INPUTS = RECORDINGS / "inputs"
#: Fields of a cache that the first release does not know.
_LATER = frozenset({"serviceAccountName", "storage"})


def folders_for(release: KServe) -> list[Path]:
    """Return the folders of a release's cases, recorded or yet to be recorded."""
    folders = [RECORDED[release] / path.stem for path in sorted(_INPUTS.glob("*.yaml"))]
    return [folder for folder in folders if release > KServe.V0_17 or not _is_later(folder)]


def cases(release: KServe) -> list[Path]:
    """Return the folders of a release's recorded cases."""
    return [path.parent for path in sorted(RECORDED[release].glob("*/status.yaml"))]


def given(folder: Path) -> tuple[Json, Sequence[Json]]:
    """Return the cache of a case, and what stood around it: services, other caches, but no configuration."""
    document, *around = read_all(_INPUTS / f"{folder.name}.yaml")
    return document, [each for each in around if each["kind"] != "ConfigMap"]


def context() -> Sequence[Json]:
    """Return what was there before all cases: configuration, groups, nodes, containers and credentials."""
    return read_all(RECORDINGS / "context.yaml")


def shared_context(folder: Path) -> list[Json]:
    """Return what was there before a case, with its own configuration where it has one."""
    own = [
        each for each in read_all(_INPUTS / f"{folder.name}.yaml") if each["kind"] == "ConfigMap"
    ]
    return [each for each in context() if not own or each["kind"] != "ConfigMap"] + own


def _is_later(folder: Path) -> bool:
    document, around = given(folder)
    namespaced = NAMESPACE_CACHE in (document["kind"], *(each["kind"] for each in around))
    return namespaced or bool(_LATER & document["spec"].keys())
