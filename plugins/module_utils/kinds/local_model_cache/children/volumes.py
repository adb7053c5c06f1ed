# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes of a cache and their claims: one of each group for the download, and one of each group in each namespace that uses it.

What they hold is that of the group when they are made; nobody changes it afterwards, since a volume cannot change.
Source: KServe pkg/controller/v1alpha1/localmodel/reconcilers/{localmodelcache_reconciler,localmodelnamespacecache_reconciler,utils}.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from .. import names
from ..resolved import Resolved

#: The API refuses most changes of it.
ONCE = (("spec",),)


class Pair(NamedTuple):
    """A volume and its claim. spec: of the group. namespace: of the claim."""

    spec: Json
    volume: str
    claim: str
    namespace: str


def download_volumes(resolved: Resolved) -> Iterator[Child]:
    """Yield the volume of each group into which the model is fetched."""
    return map(_volume, _of_downloads(resolved))


def download_claims(resolved: Resolved) -> Iterator[Child]:
    """Yield its claim, beside the Jobs."""
    return map(_claim, _of_downloads(resolved))


def service_volumes(resolved: Resolved) -> Iterator[Child]:
    """Yield the volume of each group from which the services of a namespace read."""
    return map(_volume, _of_services(resolved))


def service_claims(resolved: Resolved) -> Iterator[Child]:
    """Yield its claim, beside the services."""
    return map(_claim, _of_services(resolved))


def _of_downloads(resolved: Resolved) -> Iterator[Pair]:
    cache, namespace = resolved.cache, resolved.config.local_model.job_namespace
    for group, spec in resolved.groups.items():
        named = cache.name, cache.namespace, group
        yield Pair(spec, names.download_volume(*named), names.download_claim(*named), namespace)


def _of_services(resolved: Resolved) -> Iterator[Pair]:
    cache = resolved.cache
    if not resolved.config.local_model.volumes:
        return
    used = {(each.service.namespace, each.group or cache.groups[0]) for each in resolved.users}
    for namespace, group in sorted(used):
        # A service may name a group that the cache has not.
        if group in resolved.groups:
            volume, claim = (
                names.volume(cache.name, group, namespace),
                names.claim(cache.name, group),
            )
            yield Pair(resolved.groups[group], volume, claim, namespace)


def _volume(pair: Pair) -> Child:
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version="v1",
            kind="PersistentVolume",
            name=pair.volume,
            body={"spec": pair.spec["persistentVolumeSpec"]},
        ),
        unclaimed=ONCE,
    )


def _claim(pair: Pair) -> Child:
    return Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="PersistentVolumeClaim",
            name=pair.claim,
            namespace=pair.namespace,
            body={"spec": {**pair.spec["persistentVolumeClaimSpec"], "volumeName": pair.volume}},
        ),
        unclaimed=ONCE,
    )
