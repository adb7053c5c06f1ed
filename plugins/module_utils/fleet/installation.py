# SPDX-License-Identifier: GPL-3.0-or-later
"""Which release of a controller is installed: its Deployment says so, else the CRD of its kind, else its ConfigMap.

They are read from a cluster, or given in place of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..kinds.kind import ServiceKind
from ..kinds.release_line import Installations, Installed
from ..kube import gvk
from ..kube.crds import API_VERSION as CRD_API_VERSION
from ..kube.crds import KIND as CRD_KIND
from ..kube.crds import declared_status
from ..kube.input_schemas import COMMON, input_problems
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import GivenObjects
from ..kube.reference import Reference
from ..kube.release import ChosenRelease, nearest_reproduced
from .settings import newest


class GivenReleases:
    """Finds releases where no cluster is looked at: the one whose controller is among the given objects, else the newest proved one.

    objects: what the user gave, before anybody judged it; what is no object of its kind says nothing. settings: the option of the task.
    """

    def __init__(self, objects: Iterable[Any], settings: Mapping[str, Any]) -> None:
        sound = (each for each in objects if isinstance(each, dict))
        self._given = GivenObjects(each for each in sound if not any(input_problems(each, COMMON)))
        self._settings = settings

    def find(self, kind: ServiceKind[Any, Any], _service: Reference) -> ChosenRelease:
        """Return the release of every new service of a kind."""
        places = kind.releases.installed
        deployments = self._given.list(gvk.APPS, "Deployment", "", kind.controller)
        read = self._given.get
        found = installation(kind, places, deployments, read, self._settings) if places else None
        if found is not None:
            return reproduced(kind, found)
        crd = read(definition_of(kind))
        declared = declared_status(crd, kind.api_version) if crd else None
        return newest(kind, "no cluster is looked at, and no given object names one", declared)


def installation(
    kind: ServiceKind[Any, Any],
    places: Installations,
    deployments: Iterable[Json],
    read: Callable[[Reference], Json | None],
    settings: Mapping[str, Any],
) -> Installed | None:
    """Return the first release that something names. deployments: those of the kind's controller."""
    for deployment in deployments:
        if found := places.deployment(deployment):
            return found
    for reference, said in (
        (definition_of(kind), places.crd),
        (places.config_map(settings), places.config),
    ):
        live = read(reference)
        if live is not None and (found := said(live)):
            return found
    return None


def reproduced(
    kind: ServiceKind[Any, Any], found: Installed, problems: tuple[Problem, ...] = ()
) -> ChosenRelease:
    """Return the release that was found, or the nearest one that is reproduced, and say so. problems: what else is to be reported."""
    release = kind.releases.named(found.version)
    if release is not None:
        return ChosenRelease(release, "controller", found.seen, problems)
    near = nearest_reproduced(found.version, kind.releases.backing)
    text = (
        f"{near.product} {found.version} was found ({found.seen}), which is not reproduced; {near} is taken. "
        f"Write {near.option} to choose another one"
    )
    told = Problem(near.option, text, "warning", rule="release-not-reproduced")
    return ChosenRelease(
        near,
        "controller",
        f"{found.seen}; the nearest one that is reproduced",
        (*problems, told),
    )


def definition_of(kind: ServiceKind[Any, Any]) -> Reference:
    """Return the CRD of a kind."""
    group = kind.api_version.partition("/")[0]
    return Reference(CRD_API_VERSION, CRD_KIND, "", f"{kind.plural}.{group}")


def none_there(_reference: Reference) -> None:
    """Read nothing."""
