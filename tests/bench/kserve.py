# SPDX-License-Identifier: GPL-3.0-or-later
"""What 100 services of each kind of KServe cost: to compile them, and to leave them alone once they are settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.cluster.support import inference_services, llm_services
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE

from .library import compiled
from .plane import Bench, entry, median, settled
from .runs import Json

FLEET = 100
RUNS = 3


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind and what its services need. name: in the results. given: what a cluster has that compile looks at."""

    name: str
    service: Callable[[str, str], Json]
    prepare: Callable[[Client], None]
    settings: Json
    given: tuple[Json, ...]

    def fleet(self, namespace: str) -> list[Json]:
        """Return services that are alike."""
        return [self.service(f"chat-{number}", namespace) for number in range(FLEET)]


KINDS = (
    _Kind(
        "llm",
        llm_services.routed,
        llm_services.prepare,
        {},
        (llm_services.gateway(llm_services.GATEWAY, llm_services.KSERVE),),
    ),
    _Kind(
        "isvc",
        inference_services.isvc,
        inference_services.prepare,
        inference_services.SETTINGS,
        (
            inference_services.config_map(),
            inference_services.runtime(),
            *inference_services.gateway(),
        ),
    ),
)


def compiling(_bench: Bench) -> list[Json]:
    """Return compile-llm and compile-isvc: presets merged and templates filled in, or a runtime chosen, and all children built."""
    return [
        compiled(f"compile-{kind.name}", kind.fleet("bench"), kind.settings, kind.given)
        for kind in KINDS
    ]


def noop(bench: Bench) -> list[Json]:
    """Return noop-llm and noop-isvc, each on a control plane of its own: kinds that are there would be listed by others."""
    results = []
    for kind in KINDS:
        with ControlPlane(nodes="gpu", crds=MODEL_SERVICE) as plane:
            kind.prepare(plane.client)
            results.append(_settled(Bench(plane, bench.scratch), kind))
    return results


def _settled(bench: Bench, kind: _Kind) -> Json:
    namespace = bench.namespace()
    fleet = kind.fleet(namespace)
    options: dict[str, Any] = {"settings": kind.settings, "fit": "ignore"}
    settled(lambda: bench.ours(fleet, namespace, wait=True, **options))
    bench.quiet()
    timings = [bench.ours(fleet, namespace, **options) for dummy in range(RUNS)]
    counts = bench.counted(lambda path: bench.ours(fleet, namespace, path, **options))
    return entry(f"noop-{kind.name}", FLEET, {"ours": median(timings) | counts})
