# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded cases, as they can be given to a controller once more: grouped by what is in the cluster before them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.settings import (
    Settings as GraphSettings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.settings import (
    Settings as IsvcSettings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.settings import (
    Settings as LlmSettings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import value_at
from tests.parity import recorded_inference_graphs as graphs
from tests.parity import recorded_inference_services as services
from tests.parity import recorded_llm_services as llm_services

from .batch import Case

Json = dict[str, Any]
#: Recorded in a cluster without kinds of others.
_OTHER_CLUSTER = ("bare-",)


class Surroundings(NamedTuple):
    """What is around services. system: objects. settings: how we are run. environment: of the controller."""

    system: list[Json]
    settings: Any
    environment: Mapping[str, str]


class Group(NamedTuple):
    """Cases of one cluster, by their folders."""

    around: Surroundings
    cases: dict[Path, Case]


def llm_known(release: KServe) -> Iterator[Group]:
    """Yield the cases of the first release, for any release."""
    yield _llm_group(llm_services.RECORDINGS, llm_services.cases(), release)


def llm_recorded(release: KServe) -> Iterator[Group]:
    """Yield the cases that a release has recordings of, or a folder for them."""
    if release in llm_services.LATER:
        root = llm_services.LATER[release]
        yield _llm_group(root, _folders(root), release)
    else:
        yield from llm_known(release)


def _llm_group(root: Path, folders: Iterable[Path], release: KServe) -> Group:
    around = Surroundings(llm_services.shared_context(root), LlmSettings(release=release), {})
    return Group(around, {folder: _llm_case(folder) for folder in folders if _is_plain(folder)})


def _is_plain(folder: Path) -> bool:
    """Tell whether a case needs nothing of its own in the namespace of the controller, or of the controller itself."""
    context = llm_services.given(folder, "context.yaml")
    apart = any(each["metadata"].get("namespace") == "kserve" for each in context)
    return not llm_services.given(folder, "controller.yaml") and not apart


def _llm_case(folder: Path) -> Case:
    (document,) = llm_services.given(folder, "input.yaml")
    account = not folder.name.startswith("cred-no-default-sa")
    context = llm_services.given(folder, "context.yaml")
    return Case(document["metadata"]["namespace"], document, context, account=account)


def isvc_known(release: KServe) -> Iterator[Group]:
    """Yield the cases of the first release, each in a namespace of its own, for any release."""
    yield from _isvc_groups(services.cases(), release)


def isvc_recorded(release: KServe) -> Iterator[Group]:
    """Yield the cases that a release has recordings of, or a folder for them."""
    later = services.LATER.get(release)
    yield from _isvc_groups(_folders(later) if later else services.cases(), release)


def _isvc_groups(folders: Iterable[Path], release: KServe) -> Iterator[Group]:
    groups: dict[str, Group] = {}
    settings = IsvcSettings(release=release, pod_mutation="webhook")
    for folder in folders:
        if folder.name.startswith(_OTHER_CLUSTER):
            continue
        system, case = _isvc_case(folder)
        mark = json.dumps(system, sort_keys=True)
        group = groups.setdefault(mark, Group(Surroundings(system, settings, {}), {}))
        group.cases[folder] = case
    yield from groups.values()


def _isvc_case(folder: Path) -> tuple[list[Json], Case]:
    document = services.read_given(folder, "input.yaml")
    own = document["metadata"]["namespace"]
    namespace = f"in-{folder.name}"[:63].rstrip("-")
    objects = services.recorded_cluster(folder).objects()
    shared = [each for each in objects if value_at(each, ("metadata", "namespace")) != own]
    context = [each for each in objects if value_at(each, ("metadata", "namespace")) == own]
    document, *context = moved([document, *context], own, namespace)
    return shared, Case(namespace, document, context)


def graph_recorded(release: KServe) -> Iterator[Group]:
    """Yield the cases that a release has recordings of, or a folder for them."""
    root = graphs.RECORDED.get(release)
    if root:
        around = Surroundings(graphs.shared_context(), GraphSettings(release=release), {})
        yield Group(around, {folder: _graph_case(folder) for folder in _folders(root)})


def _graph_case(folder: Path) -> Case:
    document, context = graphs.given(folder)
    return Case(document["metadata"]["namespace"], document, context)


def _folders(root: Path) -> list[Path]:
    return [one for one in sorted(root.iterdir()) if one.is_dir() and one.name != "context"]


def moved(value: Any, old: str, new: str) -> Any:
    """Return objects in another namespace, wherever they name it."""
    return json.loads(json.dumps(value).replace(old, new))
