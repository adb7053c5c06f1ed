# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that authors give to containers of KServe's services."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.containers import containers_of
from ...kube.problem import Problem
from ...kube.validation.images import image_problems
from ..check import WARNING, Check, check
from ..view import ServiceView

IMAGE = Check("image", WARNING, finds="{fault}", fix="write the name as the registry has it")


@check(IMAGE, costly=True)
def image(view: ServiceView) -> Iterator[Problem]:
    """Yield malformed image names."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            name = str(container.get("image") or "")
            place = view.of_model(workload.fields(f"{path}.image"), name)
            for problem in image_problems(name, place.field):
                if not place.object:
                    yield IMAGE.at(place, fault=problem.message)
