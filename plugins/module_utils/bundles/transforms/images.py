# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the images of a bundle come from: another registry, another tag or digest, and the secrets to pull them with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...kube.manifest import Json
from ...kube.problem import Problem
from .pods import containers, pod_spec


def set_images(
    manifests: Sequence[Json], registry: str, images: Mapping[str, str]
) -> Iterator[Problem]:
    """Change the images of all containers. Yields a problem for each name in `images` that no container uses.

    registry: takes the place of every image's registry; the path below it stays. images: by repository, as the bundle names it
    without tag and digest; they are taken as they are given.
    """
    used = set()
    for manifest in manifests:
        for container in containers(manifest):
            repository = repository_of(str(container.get("image") or ""))
            used.add(repository)
            if repository in images:
                container["image"] = images[repository]
            elif registry and repository:
                container["image"] = in_registry(container["image"], registry)
    for name in sorted(images.keys() - used):
        known = ", ".join(sorted(used - {""})) or "none"
        yield Problem(
            f"transform.images.{name}", f"no container uses this image; there are: {known}"
        )


def add_pull_secrets(manifests: Sequence[Json], names: Sequence[str]) -> None:
    """Let the pods of all workloads pull with these Secrets, beside those that they have."""
    for manifest in manifests:
        pod = pod_spec(manifest)
        if pod is None or not names:
            continue
        there = list(pod.get("imagePullSecrets") or [])
        have = {each.get("name") for each in there}
        pod["imagePullSecrets"] = there + [{"name": name} for name in names if name not in have]


def repository_of(image: str) -> str:
    """Return an image without tag and digest."""
    name = image.partition("@")[0]
    head, slash, last = name.rpartition("/")
    return f"{head}{slash}{last.partition(':')[0]}"


def in_registry(image: str, registry: str) -> str:
    """Return an image as another registry has it, under the same path."""
    first, slash, rest = image.partition("/")
    has_registry = slash and ("." in first or ":" in first or first == "localhost")
    # What has no path at all is one of Docker's own images, which mirrors keep under their full name.
    path = rest if has_registry else image if slash else f"library/{image}"
    return f"{registry.rstrip('/')}/{path}"
