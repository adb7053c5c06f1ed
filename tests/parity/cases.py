# SPDX-License-Identifier: GPL-3.0-or-later
"""What was recorded of every kind, as cases of one shape: each promise is asked of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from module_utils.kinds.inference_graph.settings import Settings as GraphSettings
from module_utils.kinds.kind import ServiceKind
from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.local_model_cache.settings import Settings as CacheSettings
from module_utils.kinds.registry import REGISTERED
from module_utils.kube.intent import Intent
from module_utils.kube.manifest import without
from module_utils.kube.problem import InputError, Problem
from tests.unit.kinds.refusals import refusals

from . import recorded_inference_graphs as graphs
from . import recorded_inference_services as isvc
from . import recorded_llm_services as llm
from . import recorded_local_models as caches
from . import recorded_services as model_services
from .recorded_llm_services import Recorded, read_all

Json = dict[str, Any]
LAST_APPLIED = ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
Given = tuple[Json, Callable[[], Any], Callable[[], Recorded]]


@dataclass(frozen=True)
class Case:
    """A service as a controller was given it, and what came of it.

    settings: how the controller was run; raises InputError where we refuse that. reader: what stood in its cluster.
    """

    folder: Path
    kind: ServiceKind[Any, Any]
    document: Json
    settings: Callable[[], Any]
    reader: Callable[[], Recorded]

    def service(self) -> Any:
        """Return the service as we read it."""
        loaded = self.kind.load(self.document, self.settings())
        assert loaded.service is not None, loaded.problems
        return loaded.service

    def compiled(self, reader: Recorded | None = None) -> Intent:
        """Return what we make of the service."""
        return self.kind.compile(self.service(), self.settings(), reader or self.reader())

    def rendered(self) -> list[Json]:
        """Return our children."""
        return [child.manifest.to_dict() for child in self.compiled().children]

    def sent(self) -> list[Json]:
        """Return the controller's children, but for what kubectl wrote on the custom resource, which ours do not have (I4)."""
        return [without(each, LAST_APPLIED) for each in read_all(self.folder / "intent.yaml")]

    def reported(self) -> Sequence[Json]:
        """Return the children with the statuses that they were given."""
        return read_all(self.folder / "ready.yaml")

    def errors(self) -> list[Problem]:
        """Return why we refuse the service."""
        try:
            found = refusals(self.document, self.settings(), self.reader())
        except InputError as error:
            return [problem for each in error.complaints for problem in each.problems]
        return [problem for problem in found if problem.severity == "error"]

    def status(self) -> Json:
        """Return what the controller reported, by phase, or that its webhook refused the service."""
        return next(iter(read_all(self.folder / "status.yaml")), {})


@dataclass(frozen=True)
class CacheCase(Case):
    """A cache, whose Job on the agent's node has a random name that begins with those of cache and node, and ours always the same: C2."""

    def rendered(self) -> list[Json]:
        """Return our children, the Job under the beginning of its name."""
        return [
            _randomly_named(each) if each["kind"] == "Job" else each for each in super().rendered()
        ]

    def reported(self) -> Sequence[Json]:
        """Return the children with their statuses, the Job under our name."""
        names = [each["metadata"]["name"] for each in super().rendered() if each["kind"] == "Job"]
        return [
            {**each, "metadata": {**each["metadata"], "name": name}}
            for each, name in zip(super().reported(), names, strict=True)
        ]


def _randomly_named(job: Json) -> Json:
    metadata = {key: value for key, value in job["metadata"].items() if key != "name"}
    begin = f"{metadata['labels']['model']}-{metadata['labels']['node']}"
    return {**job, "metadata": {**metadata, "generateName": begin}}


def model_service_cases(file: str = "intent.yaml") -> dict[str, Case]:
    """Return the cases and steps of the operator of which a file was recorded."""
    return _cases(model_services.folders(file), _model_service, model_services.name_of)


def llm_cases(release: KServe = KServe.V0_17) -> dict[str, Case]:
    """Return the single cases of LLMInferenceServices in a release."""
    folders = llm.later_cases(release) if release in llm.LATER else llm.cases()
    return _cases(folders, _llm_inference_service)


def inference_service_cases(release: KServe = KServe.V0_17) -> dict[str, Case]:
    """Return the single cases of InferenceServices in a release."""
    folders = isvc.later_cases(release) if release in isvc.LATER else isvc.cases()
    return _cases(folders, _inference_service)


def impossible_cases(names: Iterable[str]) -> dict[str, Case]:
    """Return InferenceServices that the controller failed at."""
    known = {folder.name: folder for folder in isvc.invalid_cases()}
    return _cases([known[name] for name in names], _inference_service)


def stored_cases() -> dict[str, Case]:
    """Return the services of KServe's first release of which is known what the API server stored, in single cases and sequences."""
    folders = [path.parent for path in sorted(llm.RECORDINGS.glob("*/stored.yaml"))]
    found = (
        _cases(folders, _llm_inference_service),
        _cases(isvc.stored_cases(), _inference_service),
    )
    return {f"{case.kind.kind}/{name}": case for cases in found for name, case in cases.items()}


def graph_cases(release: KServe) -> dict[str, Case]:
    """Return the cases of InferenceGraphs in a release."""
    return _cases(graphs.cases(release), _inference_graph)


def cache_cases(release: KServe) -> dict[str, Case]:
    """Return the cases of caches of models in a release."""
    return _cases(caches.cases(release), _cache, made=CacheCase)


def _cases(
    folders: Iterable[Path],
    given: Callable[[Path], Given],
    name_of: Callable[[Path], str] = lambda folder: folder.name,
    made: type[Case] = Case,
) -> dict[str, Case]:
    found = {}
    for folder in folders:
        document, settings, reader = given(folder)
        dummy, kind = REGISTERED[document["kind"]]
        found[name_of(folder)] = made(folder, kind(), document, settings, reader)
    return found


def _model_service(folder: Path) -> Given:
    settings = partial(model_services.recorded_settings, folder)
    return model_services.read(folder / "input.yaml"), settings, partial(Recorded, ())


def _llm_inference_service(folder: Path) -> Given:
    (document,) = llm.given(folder, "input.yaml")
    settings = partial(llm.recorded_settings, folder)
    return document, settings, partial(llm.recorded_cluster, folder)


def _inference_service(folder: Path) -> Given:
    settings = partial(isvc.recorded_settings, folder)
    document = isvc.read_given(folder, "input.yaml")
    return document, settings, partial(isvc.recorded_cluster, folder)


def _inference_graph(folder: Path) -> Given:
    document, context = graphs.given(folder)
    roots = {root: release for release, root in graphs.RECORDED.items()}
    settings = GraphSettings(release=roots[folder.parent])
    return document, lambda: settings, partial(Recorded, [*graphs.shared_context(), *context])


def _cache(folder: Path) -> Given:
    document, around = caches.given(folder)
    roots = {root: release for release, root in caches.RECORDED.items()}
    settings = CacheSettings(release=roots[folder.parent])
    shared = caches.shared_context(folder)
    return document, lambda: settings, partial(Recorded, [*shared, *around])
