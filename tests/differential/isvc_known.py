# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded inputs of InferenceServices, each in a namespace of its own, grouped by what stands around them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import value_at
from tests.parity.recorded_inference_services import cases, read_one, recorded_cluster

from .batch import Case

Json = dict[str, Any]
#: Recorded in a cluster without kinds of others.
_OTHER_CLUSTER = ("bare-",)


def known_groups() -> Iterator[tuple[list[Json], list[Case]]]:
    """Yield what stands in a cluster with the cases that it was recorded for."""
    groups: dict[str, tuple[list[Json], list[Case]]] = {}
    for folder in cases():
        if folder.name.startswith(_OTHER_CLUSTER):
            continue
        system, case = _case(folder)
        mark = json.dumps(system, sort_keys=True)
        groups.setdefault(mark, (system, []))[1].append(case)
    yield from groups.values()


def _case(folder: Path) -> tuple[list[Json], Case]:
    document = read_one(folder / "input.yaml")
    own = document["metadata"]["namespace"]
    namespace = f"c-{folder.name}"[:63].rstrip("-")
    objects = recorded_cluster(folder).objects()
    shared = [each for each in objects if value_at(each, ("metadata", "namespace")) != own]
    context = [each for each in objects if value_at(each, ("metadata", "namespace")) == own]
    moved = json.loads(json.dumps([document, *context]).replace(own, namespace))
    return shared, Case(namespace, moved[0], moved[1:])
