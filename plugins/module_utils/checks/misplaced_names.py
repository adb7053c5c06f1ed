# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels and annotations whose name is one that KServe or Knative reads, behind another prefix or none: nobody reads them there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kinds.check import WARNING, Check, check
from ..kinds.kserve.knative.annotations import KNOWN_NAMES
from ..kinds.kserve.knative.names import AUTOSCALING
from ..kinds.metadata_names import FAMILIES, family_of
from ..kinds.view import ServiceView
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.schema_check import child_path

_KSERVE = "serving.kserve.io/"
#: Prefixes that people write for those: of another domain of the project, or its earlier one.
_NEAR = ("kserve", "kubeflow", "knative")
#: Words that others use, too.
_COMMON = 8

MISPLACED = Check(
    "name-prefix",
    WARNING,
    finds="nobody reads {name}: {who} reads {meant}",
    fix="write {meant}",
)
_MEANT: Mapping[str, tuple[str, str]] = {
    **{name: ("Knative", f"{AUTOSCALING}{name}") for name in KNOWN_NAMES if "-" in name},
    **{
        name: ("KServe", f"{_KSERVE}{name}")
        for name in FAMILIES[_KSERVE].names
        if len(name) >= _COMMON
    },
}


@check(MISPLACED, costly=True)
def misplaced_name(view: ServiceView) -> Iterator[Problem]:
    """Yield names that lack their prefix, or have another one."""
    if not view.reference.api_version.startswith(_KSERVE):
        return
    for path, texts in _given(view.document):
        for name in texts:
            prefix, slash, last = str(name).rpartition("/")
            near = (
                any(each in prefix for each in _NEAR)
                if slash
                else not last.islower() or "-" in last
            )
            who, meant = _MEANT.get(last, ("", ""))
            if meant and near and name != meant and family_of(str(name)) is None:
                yield MISPLACED.at(child_path(path, str(name)), name=name, who=who, meant=meant)


def _given(document: Json) -> Iterator[tuple[str, Json]]:
    """Yield the labels and annotations of a service and of its components."""
    spec = document.get("spec") or {}
    holders = {"metadata": document.get("metadata") or {}, "spec": spec}
    holders |= {f"spec.{name}": each for name, each in spec.items() if isinstance(each, dict)}
    for where, holder in holders.items():
        for part in ("labels", "annotations"):
            texts = value_at(holder, (part,))
            if isinstance(texts, dict):
                yield f"{where}.{part}", texts
