# SPDX-License-Identifier: GPL-3.0-or-later
"""From one cache to everything it wants to exist.

Source: KServe pkg/controller/v1alpha1/localmodel/reconcilers/localmodelcache_reconciler.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from ...kube.intent import Child, Intent
from ...kube.reader import Reader
from ..children import Children, Made
from ..peers import NOBODY, Peers
from .child_kinds import CLAIM, JOB, VOLUME
from .children.jobs import jobs
from .children.volumes import (
    download_claims,
    download_volumes,
    service_claims,
    service_volumes,
)
from .resolve import resolve
from .resolved import Resolved
from .settings import Settings
from .spec import LocalModelCache

Build: TypeAlias = Callable[[Resolved], Iterable[Child]]


#: In the controller's order, but that its volumes and their claims alternate.
CHILDREN: Children[Build] = Children(
    Made(download_volumes, VOLUME),
    Made(download_claims, CLAIM),
    Made(service_volumes, VOLUME),
    Made(service_claims, CLAIM),
    Made(jobs, JOB),
)


def compile(  # noqa: A001
    cache: LocalModelCache,
    settings: Settings,
    reader: Reader,
    peers: Peers = NOBODY,
) -> Intent:
    """Return the cache's intent. Raises InputError with everything that keeps it from being made."""
    resolved = resolve(cache, settings, reader, peers)
    wanted = {
        child.manifest.reference: child
        for build in CHILDREN.at(settings.release)
        for child in build(resolved)
    }
    return Intent(parent=cache.document, children=tuple(wanted.values()), basis=resolved)
