# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects given in place of a cluster that the webhooks of a controller would have refused."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..fleet.service import Service
from ..kube.manifest import Json
from ..kube.reader import GivenObjects


def refused_given(
    services: Sequence[Service], objects: Sequence[Json], told: Collection[str]
) -> Iterator[str]:
    """Yield a warning for each fault of a given object. told: warnings of services, which name what they use themselves."""
    around = GivenObjects([*objects, *(each.written for each in services if each.written)])
    for first in {each.kind.kind: each for each in services}.values():
        if first.kind.judged is None:
            continue
        found = first.kind.judged(objects, around, GivenObjects(), first.settings)
        for reference, problems in found.items():
            named = [text for text in told if f"{reference.kind} {reference.name}: " in text]
            for problem in problems:
                if not any(problem.message in text for text in named):
                    yield f"cluster_objects: {reference}: {problem}"
