# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measures scenarios and writes build/bench.json: `make bench`, `make bench ARGS='medium large'`, `make bench ARGS=all`.

Without arguments those that together take ten minutes. Scenarios that are not run keep their last results. With `all`, and with
the word `pages` beside or without scenarios, docs/performance.md and the costs in docs/scale.md are written from what is known.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE

from . import (
    bundles,
    checks,
    clusters,
    decide,
    figures,
    fit,
    fleets,
    kserve,
    library,
    memory,
    picker,
    ready,
    scale,
)
from .plane import BUILD, Bench
from .runs import Json
from .workload import custom_resource_definition

RESULTS = BUILD / "bench.json"
DOCS = BUILD.parent / "docs"
PERFORMANCE, SCALE = DOCS / "performance.md", DOCS / "scale.md"
PAGES = "pages"

Scenario = Callable[[Bench], list[Json]]
SHORT: dict[str, Scenario] = {
    "loading": library.loading,
    "compiling": library.compiling,
    "compiling-kserve": kserve.compiling,
    "deciding": decide.deciding,
    "epp-check": picker.checking,
    "service-checks": checks.checking,
    "small": fleets.noop_small,
    "medium": fleets.medium,
    "ready": ready.ready_delay,
}
LONG: dict[str, Scenario] = {
    "bundle": bundles.bundle,
    "noop-kserve": kserve.noop,
    "large": fleets.settled_large,
    "create-large": fleets.create_large,
    "huge": memory.noop_huge,
    "clusters": clusters.many_clusters,
    "fit-1000": fit.fit_thousand,
}


def main(words: Sequence[str]) -> int:
    """Run the scenarios that are named."""
    known = SHORT | LONG
    named = [word for word in words if word != PAGES]
    everything = named == ["all"]
    wanted = list(known) if everything else named or ([] if words else list(SHORT))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(
            f"bench: no scenario {', '.join(unknown)}; there are {', '.join(known)}, all, {PAGES}"
        )
        return 2
    if wanted:
        _measure({name: known[name] for name in wanted})
    if not RESULTS.exists():
        print(f"bench: nothing is measured yet; there is no {RESULTS}")
        return 2
    document = json.loads(RESULTS.read_text())
    if everything or PAGES in words:
        _write_pages(document)
    print(figures.page(document))
    return 0


def _measure(scenarios: Mapping[str, Scenario]) -> None:
    """Run scenarios on one control plane; what is measured is kept from the moment that its scenario ends."""
    results: list[Json] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        ControlPlane(nodes="gpu", crds=[*MODEL_SERVICE, custom_resource_definition()]) as plane,
    ):
        bench = Bench(plane, Path(folder))
        for name, scenario in scenarios.items():
            began = time.monotonic()
            print(f"bench: {name} …", flush=True)
            results += scenario(bench)
            _write(results)
            print(f"bench: {name} took {time.monotonic() - began:.0f} s", flush=True)


def _write_pages(document: Json) -> None:
    PERFORMANCE.write_text(figures.page(document))
    try:
        SCALE.write_text(scale.page(SCALE.read_text(), document))
    except KeyError as error:
        print(
            f"bench: {SCALE.name} stays as it is: {error} was not measured; `small large huge` do"
        )


def _write(results: list[Json]) -> None:
    """Write the results, beside those that earlier runs left."""
    found = {(result["id"], result["rtt_ms"]): result for result in _earlier() + results}
    document = {
        "machine": {
            "cpus": os.cpu_count(),
            "python": platform.python_version(),
            "system": platform.platform(),
        },
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "results": list(found.values()),
    }
    BUILD.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(document, indent=1) + "\n")


def _earlier() -> list[Json]:
    return list(json.loads(RESULTS.read_text())["results"]) if RESULTS.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
