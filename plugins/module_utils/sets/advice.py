# SPDX-License-Identifier: GPL-3.0-or-later
"""What an API server takes of a set, and what does not work all the same: told before anything is written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..bundles.components import COMPONENTS, Component
from ..bundles.shapes import shape_problems
from ..cluster.connection import Cluster
from ..fleet.controllers import Controllers
from ..kinds.registry import WRITTEN
from ..kube.crds import definitions
from ..kube.input_schemas import COMMON, input_problems
from ..kube.manifest import Json
from ..kube.planned_objects import PlannedObjects
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from .input import of_object
from .kserve_config import config_problems
from .links import broken_links

_SECRET = ("tls.crt", "tls.key", "ca.crt")


def advice(
    manifests: Sequence[Json], there: Reader, written: Collection[Reference] | None = None
) -> Iterator[Problem]:
    """Yield warnings about objects of a set. there: what is beside the set. written: those that are looked at, None for all.

    Objects whose parts have other types than readers expect are passed over: they are refused elsewhere.
    """
    sound = [each for each in manifests if _is_sound(each)]
    reader = PlannedObjects(there, [*sound, *_issued(sound)])
    for each in sound:
        reference = Reference.of(each)
        if written is not None and reference not in written:
            continue
        for problem in (*broken_links(each, sound, reader), *config_problems(each)):
            yield of_object(reference, problem)


def component_problems(manifests: Sequence[Json], component: Component | None) -> Iterator[Problem]:
    """Yield that a set holds nothing of the component that a task names."""
    if component is None or _holds(manifests, component):
        return
    held = [name for name, other in COMPONENTS.items() if _holds(manifests, other)]
    near = f", but some of {' and '.join(held)}" if held else ""
    text = f"the set holds no kind and no workload of {component.name}{near}: dependencies and upgrades are checked for another component"
    yield Problem("component", text, "warning", rule="other-component")


def service_problems(manifests: Sequence[Json], cluster: Cluster) -> Iterator[Problem]:
    """Yield the services in a set of which nobody makes anything, since their controller is neither in the set nor in the cluster."""
    controllers = Controllers(cluster)
    for each in manifests:
        kind = WRITTEN.get((each["apiVersion"], each["kind"]))
        if kind is None or any(_has(other, kind.controller) for other in manifests):
            continue
        if not controllers.of(kind) and kind.kind not in controllers.not_looked:
            text = "no controller in the set or the cluster makes anything of it; llmisvc_reconcile creates its objects without one"
            yield Problem(str(Reference.of(each)), text, "warning", rule="no-controller")


def _has(manifest: Json, labels: Mapping[str, str]) -> bool:
    there = manifest["metadata"].get("labels") or {}
    return manifest["kind"] == "Deployment" and labels.items() <= there.items()


def _holds(manifests: Sequence[Json], component: Component) -> bool:
    brought = definitions(manifests)
    workloads = {(each["kind"], each["metadata"]["name"]) for each in manifests}
    own = {(manager.kind, manager.workload) for manager in component.managers}
    return bool(own & workloads) or any(kind in brought for kind in component.serves)


def _is_sound(manifest: Json) -> bool:
    return not any(shape_problems(manifest)) and not any(input_problems(manifest, COMMON))


def _issued(manifests: Sequence[Json]) -> Iterator[Json]:
    """Yield the Secrets that the certificates of a set will fill."""
    for each in manifests:
        name = (each.get("spec") or {}).get("secretName") if each["kind"] == "Certificate" else None
        if name:
            metadata = {"name": str(name), "namespace": each["metadata"].get("namespace") or ""}
            data = dict.fromkeys(_SECRET, "")
            yield {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}
