# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of containers, as the API and the kubelet take them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..problem import Problem
from ..schema_faults import show

#: What is in the name of an image beside letters and digits.
_OF_IMAGES = "._-/:@"
_WORD = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
#: Registry, repository, tag and digest. Source: github.com/distribution/reference, regexp.go.
_REFERENCE = re.compile(
    rf"(?:[a-z0-9.-]+(?::[0-9]+)?/)?{_WORD}(?:/{_WORD})*(?::[a-z0-9_][a-z0-9_.-]{{0,127}})?(?:@(?!sha256:(?![0-9a-f]{{64}}$))[a-z0-9.+_-]+:[0-9a-f]{{32,}})?"
)


def blank_problems(image: str, path: str) -> Iterator[Problem]:
    """Yield that an image has blanks around it: the API takes such a workload and refuses each of its pods."""
    if image != image.strip():
        yield Problem(path, f"{show(image)} has blanks around it", rule="image")


def image_problems(image: str, path: str) -> Iterator[Problem]:
    """Warn of marks that no kubelet finds in the name of an image. What the API refuses of it is left out."""
    strange = [
        mark
        for mark in dict.fromkeys(image)
        if not (mark.isascii() and mark.isalnum()) and mark not in _OF_IMAGES
    ]
    if strange and image == image.strip():
        marks = ", ".join(show(mark) for mark in strange)
        message = (
            f"{show(image)} holds {marks}: no image is called so, and the pods would not start"
        )
        if "{{" in image:
            message += "; services are not templated, so fill in the variable before"
        yield Problem(path, message, "warning", rule="image")
    elif not strange and "://" in image:
        scheme = image.partition("://")[0]
        message = f"{show(image)} has the scheme {scheme}://, and the name of an image has none: the pods would not start; write registry/repository:tag"
        yield Problem(path, message, "warning", rule="image")
    elif not strange and image and not _REFERENCE.fullmatch(image.lower()):
        message = f"{show(image)} is not the name of an image: the pods would not start; write registry/repository:tag"
        yield Problem(path, message, "warning", rule="image")
    elif not strange and _repository(image) != _repository(image).lower():
        message = f"{show(image)} has capitals in the name of its repository, which no registry takes: the pods would not start"
        yield Problem(path, message, "warning", rule="image")


def _repository(image: str) -> str:
    """Return the repository of an image, without registry, tag and digest."""
    first, slash, rest = image.partition("/")
    if slash and (any(mark in first for mark in ".:") or first == "localhost"):
        image = rest
    folder, slash, last = image.partition("@")[0].rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"
