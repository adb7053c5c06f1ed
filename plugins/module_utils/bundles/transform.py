# SPDX-License-Identifier: GPL-3.0-or-later
"""A bundle fitted to a cluster, as data: nothing in it is text that somebody searches and replaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from .transforms.config import set_config
from .transforms.images import add_pull_secrets, set_images
from .transforms.namespaces import move, set_pod_security
from .transforms.pods import set_workloads


def transformed(manifests: Sequence[Json], options: Mapping[str, Any] | None) -> list[Json]:
    """Return manifests with the changes that `options` name. Raises InputError that names everything the bundle does not have."""
    if not options:
        return list(manifests)
    changed = deepcopy(list(manifests))
    problems: list[Problem] = []
    # Workloads, ConfigMaps and images are named as the bundle names them, so namespaces come last.
    problems += set_images(changed, options.get("registry") or "", options.get("images") or {})
    problems += add_pull_secrets(changed, options.get("image_pull_secrets") or [])
    problems += set_workloads(changed, options.get("workloads") or {})
    problems += set_config(changed, options.get("config") or {})
    problems += move(changed, options.get("namespaces") or {})
    if options.get("pod_security"):
        problems += set_pod_security(changed, options["pod_security"])
    if problems:
        raise InputError([Complaint("transform", tuple(problems))])
    return changed
