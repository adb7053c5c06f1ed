# SPDX-License-Identifier: GPL-3.0-or-later
"""From a cache as it was loaded to what it means in its cluster: which nodes, which Jobs, which services.

Source: KServe pkg/controller/v1alpha1/localmodel/reconcilers/localmodelcache_reconciler.go, pkg/controller/v1alpha1/localmodelnode/controller.go,
pkg/webhook/admission/localmodelcache/localmodelcache_validator.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...kube.did_you_mean import nearest
from ...kube.manifest import Json, value_at
from ...kube.names import check_namespace
from ...kube.problem import Complaint, InputError, Problem
from ...kube.reader import Reader
from ..kserve.local_models import API_VERSION, CACHE, GROUP_ANNOTATION, NAMESPACE_CACHE
from ..kserve.read_system_config import read_system_config
from ..kserve.system_config import CONFIG_MAP, Misconfigured, SystemConfig
from ..peers import NOBODY, Peers
from .child_kinds import INFERENCE_SERVICE, JOB, LLM_INFERENCE_SERVICE, NODE_GROUP
from .container import NoContainer, download_of
from .labels import job_labels
from .node_groups import group_of, nodes_of
from .remaining_readers import follows, remaining_readers
from .resolved import Download, NodeOfGroup, Resolved
from .settings import Settings
from .spec import LocalModelCache
from .status_schema import DOWNLOADED
from .users import User, users

#: The kinds that are read as the task gives them.
_SEEN = (CACHE, NAMESPACE_CACHE, INFERENCE_SERVICE[1], LLM_INFERENCE_SERVICE[1])


def resolve(
    cache: LocalModelCache, settings: Settings, reader: Reader, peers: Peers = NOBODY
) -> Resolved:
    """Return a cache with what the cluster says of it. Raises InputError with all that forbids to make it."""
    try:
        config = read_system_config(settings.kserve_namespace, reader)
    except Misconfigured as error:
        raise InputError([Complaint(cache.subject, error.problems)]) from error
    found = {name: group_of(name, reader) for name in cache.groups}
    groups = {name: spec for name, spec in found.items() if spec is not None}
    seen = peers.planned(reader, *_SEEN)
    live = reader.get(cache.reference) or {}
    looked_for = config.local_model.enabled
    used_by = users(cache, settings.release, seen, looked_for=looked_for)
    problems = [
        *_config_problems(config, settings),
        *_group_problems(cache, groups, reader),
        *_source_problems(cache, live, seen.list(API_VERSION, CACHE, "", {})),
    ]
    before = tuple(value_at(live, ("spec", "nodeGroups")) or ())
    if before and config.local_model.volumes:
        left = remaining_readers(cache, live, used_by, reader, peers)
        used_by = tuple(
            sorted({*used_by, *left}, key=lambda user: (user.service, user.group or ""))
        )
        if before != cache.groups:
            until_now = users(cache, settings.release, reader, looked_for=looked_for)
            left += tuple(user for user in until_now if not follows(user.service, reader, peers))
        problems += _lost_volumes(cache, before, left, used_by)
    nodes = nodes_of(groups, reader.list("v1", "Node", "", {}))
    downloads: list[Download] = []
    try:
        downloads = [
            download_of(cache, node, config, settings.release, reader)
            for node in _with_job(cache, nodes, live, config, reader)
        ]
    except NoContainer as error:
        problems.append(error.problem)
    if problems:
        raise InputError([Complaint(cache.subject, tuple(problems))])
    return Resolved(
        cache,
        settings,
        config,
        groups,
        nodes,
        nodes_known=reader.complete,
        downloads=tuple(downloads),
        users=used_by,
    )


def _with_job(
    cache: LocalModelCache,
    nodes: Sequence[NodeOfGroup],
    live: Json,
    config: SystemConfig,
    reader: Reader,
) -> Iterator[NodeOfGroup]:
    """Yield the nodes whose Job is there, or is wanted: the node is ready, and nothing says that it has the model already.

    A Job goes by itself some time after its end; what it did is in the status since the first run that saw it.
    """
    had: Mapping[str, str] = value_at(live, ("status", "nodeStatus")) or {}
    jobs = reader.list(
        JOB.api_version, JOB.kind, config.local_model.job_namespace, job_labels(cache)
    )
    there = {(each["metadata"].get("labels") or {}).get("node") for each in jobs}
    for node in nodes:
        if node.name in there or (node.ready and had.get(node.name) != DOWNLOADED):
            yield node


def _config_problems(config: SystemConfig, settings: Settings) -> Iterator[Problem]:
    name = config.local_model.job_namespace
    missing = "missing: name the namespace in which models are fetched"
    if fault := check_namespace(name) if name else missing:
        place = f"ConfigMap {settings.kserve_namespace}/{CONFIG_MAP}"
        yield Problem(place, f"localModel.jobNamespace: {fault}", rule="system-config")


def _group_problems(
    cache: LocalModelCache, groups: Mapping[str, Json], reader: Reader
) -> Iterator[Problem]:
    absent = "does not exist" if reader.complete else "is not among the given objects"
    for number, name in enumerate(cache.spec["nodeGroups"]):
        if name not in groups:
            others = reader.list(API_VERSION, NODE_GROUP, "", {})
            near = nearest(name, [str(each["metadata"]["name"]) for each in others])
            way = f'did you mean "{near}"?' if near else "create it, or name another one"
            message = f"LocalModelNodeGroup {name} {absent}; {way}"
            yield Problem(f"spec.nodeGroups[{number}]", message, rule="node-group")


def _lost_volumes(
    cache: LocalModelCache, before: Sequence[str], left: Sequence[User], used_by: Sequence[User]
) -> Iterator[Problem]:
    """Yield services that read from a volume which would go. before: the groups until now. left: who uses them and does not change."""
    kept = {(user.service.namespace, user.group or cache.groups[0]) for user in used_by}
    for service, group in dict.fromkeys((user.service, user.group or before[0]) for user in left):
        stays = group in cache.groups and (service.namespace, group) in kept
        if group in before and not stays:
            message = (
                f"{service} reads the model from the volume of LocalModelNodeGroup {group}, which would be removed; give the service in the same "
                f"task, or leave the group in its place until the service names another one in {GROUP_ANNOTATION}"
            )
            yield Problem("spec.nodeGroups", message, rule="cache-group")


def _source_problems(
    cache: LocalModelCache, live: Json, others: Sequence[Json]
) -> Iterator[Problem]:
    before = value_at(live, ("spec", "sourceModelUri"))
    if before is not None and before != cache.source:
        message = f"cannot change: the cache holds {before}; remove it first, or give the other model a cache of its own"
        yield Problem("spec.sourceModelUri", message, rule="cache-source")
    if cache.kind != CACHE:
        return
    for each in others:
        name = str(each["metadata"]["name"])
        if name != cache.name and value_at(each, ("spec", "sourceModelUri")) == cache.source:
            message = f"{CACHE} {name} holds the same model; use that one, or remove it"
            yield Problem("spec.sourceModelUri", message, rule="cache-twice")
