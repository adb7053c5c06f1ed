# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the table of supported releases into the README, from the code that decides: `python -m tests.tools.support_matrix`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from ..lab.crd_sources import BUNDLES
from ..lab.programs import KUBERNETES_VERSION, LWS_VERSION
from ..matrix import CORES
from .tree import CHECKOUT, sync

README = CHECKOUT / "README.md"
BEGIN, END = "<!-- made by tests/tools/support_matrix.py -->", "<!-- end -->"
#: Server-side apply came with this release of Kubernetes.
OLDEST_KUBERNETES = "1.22"


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield each row: what it is about, what it works with, and which releases the tests hold it against."""
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph import (
        releases as inference_graph,
    )
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service import (
        releases as inference_service,
    )
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service import (
        releases as llm_inference_service,
    )
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.local_model_cache import (
        releases as local_model_cache,
    )
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.model_service import (
        releases as model_service,
    )

    runtime = yaml.safe_load((CHECKOUT / "meta" / "runtime.yml").read_text("utf-8"))
    yield "`ModelService`", "model-operator", _backing(model_service.BACKING)
    yield "`LLMInferenceService`", "KServe", _backing(llm_inference_service.BACKING)
    yield "`InferenceService`", "KServe", _backing(inference_service.BACKING)
    yield "`InferenceGraph`", "KServe", _backing(inference_graph.BACKING)
    yield "`LocalModelCache`", "KServe", _backing(local_model_cache.BACKING)
    namespaced = _backing(local_model_cache.NAMESPACE_BACKING)
    yield "`LocalModelNamespaceCache`", "KServe", namespaced
    yield "Gateway API", "`gateway.networking.k8s.io/v1`", _bundle("gateway-api")
    yield (
        "inference extension",
        "`inference.networking.k8s.io/v1`",
        _bundle("inference-extension"),
    )
    yield "LeaderWorkerSet", "`leaderworkerset.x-k8s.io/v1`", LWS_VERSION
    yield "Kubernetes", f"{OLDEST_KUBERNETES} or newer", KUBERNETES_VERSION
    oldest = runtime["requires_ansible"].removeprefix(">=").removesuffix(".0")
    yield "ansible-core", f"{oldest} or newer", ", ".join(core for core, dummy in CORES)
    yield "Python", f"{_oldest_python(CORES[0])} or newer", _pythons()


def table() -> str:
    """Return the table as Markdown."""
    lines = ["| | works with | tested with |", "|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows()]
    return "\n".join(lines)


def page() -> str:
    """Return the README as it should be."""
    text = README.read_text(encoding="utf-8")
    region = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if len(region.findall(text)) != 1:
        raise ValueError(f"README.md needs one region between {BEGIN} and {END}")
    return region.sub(f"{BEGIN}\n\n{table()}\n\n{END}", text)


def _oldest_python(core: tuple[str, tuple[str, ...]]) -> str:
    return core[1][0].removeprefix("python")


def _pythons() -> str:
    """Return the oldest Python of each ansible-core."""
    return ", ".join(f"{_oldest_python(core)} for {core[0]}" for core in CORES)


def _bundle(name: str) -> str:
    return BUNDLES[name].version.removeprefix("v")


def _backing(backing: Mapping[Any, str]) -> str:
    """Return releases by how far each is reproduced, for example `0.17 proved; 0.18, 0.19 unjudged`."""
    found: dict[str, list[str]] = {}
    for release, how in backing.items():
        found.setdefault(how, []).append(str(release))
    return "; ".join(f"{', '.join(releases)} {how}" for how, releases in found.items())


def main() -> None:
    """Write the table and say so."""
    sync()
    README.write_text(page(), encoding="utf-8")
    print(f"support matrix: {README.relative_to(CHECKOUT)}")


if __name__ == "__main__":
    main()
