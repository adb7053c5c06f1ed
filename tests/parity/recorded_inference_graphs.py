# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's controller of graphs was given and answered: the files below recordings/inference_graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe

from . import recorded_inference_services
from .recorded_llm_services import read_all

RECORDINGS = Path(__file__).parent / "recordings" / "inference_graph"
#: The releases that were recorded; all of them were given the same graphs.
RECORDED = {
    release: RECORDINGS / f"v{release}.0" for release in (KServe.V0_17, KServe.V0_19, KServe.V0_20)
}
Json = dict[str, Any]
_SHARED = ("config-standard-gateway", "knative-configmaps", "clusterservingruntimes")


def cases(release: KServe) -> list[Path]:
    """Return the folders of a release's cases."""
    return [path.parent for path in sorted(RECORDED[release].glob("*/status.yaml"))]


def given(folder: Path) -> tuple[Json, Sequence[Json]]:
    """Return the graph of a case, and the services that stood around it."""
    document, *context = read_all(RECORDINGS / "inputs" / f"{folder.name}.yaml")
    return document, context


def shared_context() -> list[Json]:
    """Return what was there before all cases: the configuration and the runtimes that InferenceServices were recorded with."""
    folder = recorded_inference_services.RECORDINGS / "context"
    return [one for name in _SHARED for one in read_all(folder / f"{name}.yaml")]
