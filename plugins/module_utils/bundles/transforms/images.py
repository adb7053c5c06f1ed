# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the images of a bundle come from: another registry, another tag or digest, and the secrets to pull them with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...kube.manifest import Json
from ...kube.names import check_dns_subdomain
from ...kube.problem import Problem
from ...kube.schema_faults import show
from ...kube.validation.images import blank_problems, image_problems
from .pods import containers, pod_spec


def set_images(
    manifests: Sequence[Json], registry: str, images: Mapping[str, str]
) -> Iterator[Problem]:
    """Change the images of all containers. Yields a problem for each name in `images` that no container uses.

    registry: takes the place of every image's registry; the path below it stays. images: by repository, as the bundle names it
    without tag and digest; they are taken as they are given.
    """
    if registry:
        # Any repository will do: what is judged is the registry in front of it.
        yield from _faults(f"{registry.rstrip('/')}/image", registry, "transform.registry")
    for name, wanted in images.items():
        faults = list(_faults(wanted, wanted, f"transform.images.{name}"))
        yield from faults
        if not faults and wanted == repository_of(wanted):
            message = (
                f"{show(wanted)} has no tag and no digest, so nodes pull latest; write {wanted}:TAG"
            )
            yield Problem(f"transform.images.{name}", message)
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


def _faults(image: Any, given: Any, path: str) -> Iterator[Problem]:
    if not isinstance(image, str):
        yield Problem(path, f"{show(given)} is not a text; quote it")
    elif any(image_problems(image, path)) or any(blank_problems(image, path)):
        if image == given:
            message = f"{show(given)} is not the name of an image; write registry/repository:tag"
        else:
            message = f"{show(given)} is not the name of a registry; write host:port and perhaps a path, without a scheme"
        yield Problem(path, message)


def add_pull_secrets(manifests: Sequence[Json], names: Sequence[str]) -> Iterator[Problem]:
    """Let the pods of all workloads pull with these Secrets, beside those that they have.

    Yields a problem for each name that no Secret can have, and where there are no workloads.
    """
    for number, name in enumerate(names):
        if fault := check_dns_subdomain(name):
            yield Problem(f"transform.image_pull_secrets[{number}]", fault)
    if names and not any(pod_spec(manifest) for manifest in manifests):
        yield Problem(
            "transform.image_pull_secrets", "the bundle has no workload that pulls images"
        )
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
