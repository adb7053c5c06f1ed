# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the weights may be mounted (docs/differences.md, W56)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from ....kube.problem import Problem
from ....kube.schema_faults import show
from ..settings import Settings
from ..spec import ModelService, roles

_PATH = "spec.model.mountPath"
#: Folders without which no program of an image starts, or that the kernel fills.
_SYSTEM = re.compile(r"/(bin|dev(/shm)?|etc|lib(64)?|proc|sbin|sys|usr(/(bin|lib|local))?)")


def _taken(service: ModelService, settings: Settings) -> dict[str, str]:
    """Return the paths at which something else is mounted in the same container."""
    taken = {}
    if settings.model_kit_image:
        taken["/tmp/model-oci"] = "the download's scratch volume"  # noqa: S108 - a path in the container
        if service.model.image_pull_secrets:
            taken["/.docker"] = "the registry's credentials"
    if settings.shared_memory is not None and any(
        role.tensor > 1 for dummy, role in roles(service)
    ):
        taken["/dev/shm"] = "shared memory"  # noqa: S108 - a path in the container
    return taken


def mount_path_taken(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Refuse a path that is mounted already; a path that only ends up there is left to the node, which fails."""
    path = service.model.mount_path
    for taken, what in _taken(service, settings).items():
        if path == taken:
            yield Problem(
                _PATH, f"{show(path)} is taken by {what}; choose another path", rule="mount-path"
            )
        elif normpath(path) == taken:
            message = f"{show(path)} is {taken}, which is taken by {what}; choose another path"
            yield Problem(_PATH, message, "warning", rule="mount-path")


def mount_path_unusable(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of paths that the API accepts and that hide the image or fail on the node."""
    path = service.model.mount_path
    faults = (
        (not path.startswith("/"), "is relative; write an absolute path"),
        (":" in path, "contains a colon, which container runtimes refuse"),
        (any(character.isspace() for character in path), "holds a blank"),
        (".." in path.split("/"), 'holds ".."'),
        (
            normpath(path or "/") in ("/", "//"),
            "hides the whole image; choose a folder such as /models",
        ),
        (
            bool(_SYSTEM.fullmatch(normpath(path))),
            "hides a folder of the system that the engine needs; choose a folder such as /models",
        ),
        (
            normpath(path) == "/.docker",
            "is where registry credentials are mounted as soon as there is a pull secret",
        ),
    )
    for wrong, message in faults:
        if wrong:
            yield Problem(_PATH, f"{show(path)} {message}", "warning", rule="mount-path")
