# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifests of a set as a task gives them: read, checked, each in the namespace that it gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..bundles.manifests import Given, duplicates, read_manifests, without
from ..bundles.shapes import shape_problems
from ..bundles.transform import transformed
from ..cluster.connection import Cluster
from ..cluster.errors import KindMissing
from ..cluster.kinds import facts
from ..engine.applyset.members import LONGEST_NAME, ApplySet
from ..kinds.registry import BESIDE
from ..kube.applyset import GroupKind
from ..kube.crds import Definition, definitions
from ..kube.known_fields import unknown_fields
from ..kube.manifest import Json
from ..kube.names import check_dns_subdomain, check_namespace
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reference import Reference
from ..kube.validation.objects import object_problems
from ..task import manifest_loader

SUBJECT = "applyset"


def is_judged(reference: Reference) -> bool:
    """Tell whether an object is beside InferenceServices, and is judged as KServe's webhooks judge it."""
    return (reference.api_version, reference.kind) in BESIDE


def the_set(params: Mapping[str, Any]) -> ApplySet:
    """Return the set that a task names. Raises InputError."""
    name, namespace = params["name"], params["namespace"]
    problems = []
    if fault := check_dns_subdomain(name):
        problems.append(Problem("name", fault))
    elif len(name) > LONGEST_NAME:
        problems.append(
            Problem(
                "name",
                f'"{name}" is longer than {LONGEST_NAME} characters, which a field manager holds',
            )
        )
    if fault := check_namespace(namespace):
        problems.append(Problem("namespace", fault))
    if problems:
        raise InputError([Complaint(SUBJECT, tuple(problems))])
    return ApplySet.of(name, namespace)


def read_set(params: Mapping[str, Any]) -> list[Given]:
    """Return the manifests of a task, as they are written. Raises InputError with every problem of every file."""
    documents = manifest_loader.read(params["src"]) if params["src"] else []
    documents += _definition(params["definition"])
    given = read_manifests((document.origin, document.value) for document in documents)
    options = params["transform"] or {}
    given = without(given, options.get("leave_out") or [])
    if options or params["state"] == "rendered":
        _refuse_shapes(given)
    manifests = transformed([one.manifest for one in given], options)
    return [Given(one.origin, manifest) for one, manifest in zip(given, manifests, strict=True)]


def _refuse_shapes(given: Sequence[Given]) -> None:
    """Raise InputError for objects whose parts are of other types than those who read them expect."""
    complaints = [Complaint(one.subject, tuple(shape_problems(one.manifest))) for one in given]
    if complaints := [complaint for complaint in complaints if complaint.problems]:
        raise InputError(complaints)


def placed(cluster: Cluster, given: Sequence[Given], namespace: str) -> list[Json]:
    """Return the manifests with the namespace that each gets, none for cluster-scoped kinds.

    namespace: of those that name none. Raises InputError that names each kind that is neither served nor defined in the set, and
    each object that is listed twice.
    """
    defined = definitions(one.manifest for one in given)
    complaints: list[Complaint] = []
    found: list[tuple[Given, Json]] = []
    for one in given:
        try:
            namespaced = _is_namespaced(cluster, one.reference, defined)
        except KindMissing as error:
            problem = Problem("", f"{error}", rule="missing-kind")
            complaints.append(Complaint(one.subject, (problem,)))
            continue
        found.append((one, _in_place(one.manifest, namespace if namespaced else "", namespaced)))
    complaints += duplicates([(one, Reference.of(manifest)) for one, manifest in found])
    if complaints:
        raise InputError(complaints)
    return [manifest for dummy, manifest in found]


def rendered(given: Sequence[Given], namespace: str) -> tuple[list[Json], list[Problem]]:
    """Return the manifests without asking a cluster, and warnings; kinds that neither we nor the set know keep the namespace that they name.

    Raises InputError for each object that is listed twice, and for what an API server would refuse.
    """
    defined = definitions(one.manifest for one in given)
    found = []
    for one in given:
        kind = defined.get(GroupKind.of(one.reference))
        known = facts(one.reference.api_version, one.reference.kind)
        if kind is None and known is None:
            found.append(one.manifest)
            continue
        namespaced = kind.namespaced if kind else bool(known and known.namespaced)
        found.append(_in_place(one.manifest, namespace if namespaced else "", namespaced))
    complaints = duplicates(
        [(one, Reference.of(each)) for one, each in zip(given, found, strict=True)]
    )
    for judge in (unknown_fields, object_problems):
        complaints += [Complaint(one.subject, tuple(judge(one.manifest))) for one in given]
    warnings: list[Problem] = []
    for one, manifest, problems in _judged(given, found):
        errors = tuple(each for each in problems if each.severity == "error")
        complaints.append(Complaint(one.subject, errors))
        warnings += [of_object(Reference.of(manifest), p) for p in problems if p not in errors]
    complaints = [complaint for complaint in complaints if complaint.problems]
    if complaints:
        raise InputError(complaints)
    return found, warnings


def of_object(reference: Reference, problem: Problem) -> Problem:
    """Return a problem of an object as a set tells it."""
    return replace(problem, path=f"{reference}: {problem.path}")


def _judged(
    given: Sequence[Given], manifests: Sequence[Json]
) -> Iterator[tuple[Given, Json, Sequence[Problem]]]:
    """Yield the objects of which KServe's webhooks would refuse something, or that do not work, each beside the others."""
    if not any(is_judged(Reference.of(each)) for each in manifests):
        return
    # What judges them is loaded for them alone.
    from .judged_objects import judged_alone

    found = judged_alone(manifests)
    for one, manifest in zip(given, manifests, strict=True):
        if problems := found.get(Reference.of(manifest)):
            yield one, manifest, problems


def _definition(value: Any) -> list[manifest_loader.Document]:
    if value is None:
        return []
    if isinstance(value, str):
        return manifest_loader.parse_text(value, "definition")
    values = value if isinstance(value, list) else [value]
    return [
        unpacked
        for document in manifest_loader.given("definition", values)
        for unpacked in manifest_loader.unpack(document.origin, document.value)
    ]


def _is_namespaced(
    cluster: Cluster, reference: Reference, defined: Mapping[GroupKind, Definition]
) -> bool:
    """Tell whether a kind is in namespaces, by the set's own CRD first. Raises KindMissing."""
    kind = defined.get(GroupKind.of(reference))
    if kind is not None:
        version = reference.api_version.rpartition("/")[2]
        if version not in kind.versions:
            served = tuple(kind.api_version(each) for each in kind.versions)
            raise KindMissing(reference.api_version, reference.kind, served)
        return kind.namespaced
    facts = cluster.kind(reference.api_version, reference.kind)
    return facts.namespaced


def _in_place(manifest: Json, namespace: str, namespaced: bool) -> Json:
    """Return a manifest for the path that its kind has: bundles name a namespace for cluster-scoped objects, too."""
    metadata = dict(manifest["metadata"])
    if namespaced:
        metadata["namespace"] = metadata.get("namespace") or namespace
    else:
        metadata.pop("namespace", None)
    return {**manifest, "metadata": metadata}
