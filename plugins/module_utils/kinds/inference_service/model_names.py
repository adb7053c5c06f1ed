# SPDX-License-Identifier: GPL-3.0-or-later
"""What the components of a service call its model: a transformer or explainer asks the predictor by the name that its own arguments say.

Source: KServe python/kserve/kserve/model.py and pkg/controller/v1beta1/inferenceservice/components/transformer.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.command_line import Flag, placed_flags
from ...kube.problem import Problem
from ..check import WARNING, Check, check
from ..view import DECODE, EXPLAINER, TRANSFORMER, ServiceView, Workload
from .pods.containers import SERVER

_FLAG = "--model-name"

APART = Check(
    "served-name",
    WARNING,
    finds="the {role} asks the predictor for the model {asked}, but the predictor calls it {served}: every request gets 404",
    fix="use the same --model_name in both, or leave it out of both",
)


@check(APART, costly=True)
def names_apart(view: ServiceView) -> Iterator[Problem]:
    """Yield model names that differ between the components."""
    for predictor in view.of(DECODE):
        served = _named(predictor)
        for other in view.of(TRANSFORMER, EXPLAINER) if served else ():
            asked = _named(other)
            if served is None or asked is None or asked[0].value == served[0].value:
                continue
            places = [
                each.fields(path) for each, (flag, path) in ((predictor, served), (other, asked))
            ]
            place = next((each for each in places if each.exact and not each.object), places[0])
            yield APART.at(place, role=other.role, asked=asked[0].value, served=served[0].value)


def _named(workload: Workload) -> tuple[Flag, str] | None:
    """Return the flag by which a component's server names the model, with its place in the pod; the last one counts."""
    for number, container in enumerate(workload.pod.get("containers") or ()):
        if container.get("name") == SERVER:
            given = [flag for flag in placed_flags(container) if flag.name == _FLAG and flag.value]
            return (given[-1], f"containers[{number}].{given[-1].place}") if given else None
    return None
