# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses about the core/v1 types that custom resources embed.

The custom resource takes nearly anything here; the refusal comes later, for the child that carries it. Each function
yields the same problems before anything is written, under the path that the author wrote. The rules are those of
k8s.io/kubernetes v1.36.3 (pkg/apis/core/validation).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from .manifest import Json
from .names import check_label_key, check_label_value
from .problem import Problem
from .quantity import parse_quantity
from .schema_check import child_path
from .schema_faults import show

_HUGE_PAGES = "hugepages-"
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_CONTAINER_RESOURCES = ("cpu", "memory", "ephemeral-storage")

#: What a container may set as `imagePullPolicy`.
PULL_POLICIES = ("Always", "IfNotPresent", "Never")
#: What stands in the name of an image beside letters and digits.
_OF_IMAGES = "._-/:@"
#: All annotations of an object together, in bytes.
ANNOTATIONS_LIMIT = 256 * 1024


def toleration_problems(tolerations: Sequence[Json], path: str) -> Iterator[Problem]:
    """Yield what is wrong with tolerations."""
    for number, toleration in enumerate(tolerations):
        for field, message in _toleration_faults(toleration):
            yield Problem(f"{path}[{number}].{field}", message, rule="toleration")


def _toleration_faults(toleration: Json) -> Iterator[tuple[str, str]]:
    key, value = toleration.get("key", ""), toleration.get("value", "")
    operator, effect = toleration.get("operator", ""), toleration.get("effect", "")
    fault = check_label_key(key) if key else None
    if fault:
        yield "key", fault
    if not key and operator != "Exists":
        yield "operator", f"{show(operator)} needs a key; without a key only Exists is allowed"
    if operator in ("", "Equal"):
        fault = check_label_value(value)
        if fault:
            yield "value", fault
    elif operator == "Exists":
        if value:
            yield (
                "value",
                f"{show(value)} has no meaning with the operator Exists; leave it out or use Equal",
            )
    else:
        yield "operator", f"{show(operator)} is not one of Equal, Exists"
    if effect and effect not in _EFFECTS:
        yield "effect", f"{show(effect)} is not one of {', '.join(_EFFECTS)}"
    if "tolerationSeconds" in toleration and effect != "NoExecute":
        yield "tolerationSeconds", f"only the effect NoExecute takes seconds, not {show(effect)}"


def label_problems(labels: Mapping[str, str], path: str) -> Iterator[Problem]:
    """Yield what is wrong with labels or with a node selector."""
    for key, value in labels.items():
        for fault in (check_label_key(key), check_label_value(value)):
            if fault:
                yield Problem(child_path(path, key), fault, rule="label")


def annotation_problems(annotations: Mapping[str, str], path: str) -> Iterator[Problem]:
    """Yield what is wrong with annotations: keys, and the size of all together."""
    for key in annotations:
        fault = check_label_key(key.lower())
        if fault:
            yield Problem(child_path(path, key), fault, rule="annotation")
    size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    if size > ANNOTATIONS_LIMIT:
        yield Problem(
            path,
            f"{size} bytes of annotations; at most {ANNOTATIONS_LIMIT} are allowed",
            rule="annotation",
        )


def image_problems(image: str, path: str) -> Iterator[Problem]:
    """Yield what is wrong with a container's image. The API refuses blanks around it; the kubelet wants more."""
    if image != image.strip():
        yield Problem(path, f"{show(image)} has blanks around it", rule="image")
    elif strange := [
        mark
        for mark in dict.fromkeys(image)
        if not (mark.isascii() and mark.isalnum()) and mark not in _OF_IMAGES
    ]:
        marks = ", ".join(show(mark) for mark in strange)
        message = (
            f"{show(image)} holds {marks}: no image is called so, and the pods would not start"
        )
        if "{{" in image:
            message += "; services are not templated, so fill in the variable before"
        yield Problem(path, message, "warning", rule="image")


def resource_problems(resources: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Yield what is wrong with the requests and limits of one container, and with claims that the pod does not have."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for side, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            for message in _amount_faults(name, parse_quantity(amount), amount):
                yield Problem(child_path(f"{path}.{side}", name), message, rule="resources")
    for name, amount in requests.items():
        fault = _against_limit(name, amount, limits.get(name))
        if fault:
            yield Problem(child_path(f"{path}.requests", name), fault, rule="resources")
    named = {*limits, *requests}
    if any(name.startswith(_HUGE_PAGES) for name in named) and not named & {"cpu", "memory"}:
        yield Problem(
            path,
            "huge pages need a request or limit of cpu or memory beside them",
            rule="resources",
        )
    for number, claim in enumerate(resources.get("claims") or ()):
        message = f"{show(claim['name'])} is not a claim of the pod, and these pods cannot have one; leave claims out"
        yield Problem(f"{path}.claims[{number}]", message, rule="resource-claims")


def is_extended(name: str) -> bool:
    """Return whether a resource is counted in whole pieces and cannot be shared, as devices are."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def _amount_faults(name: str, amount: Fraction, text: str) -> Iterator[str]:
    fault = check_label_key(name)
    if fault:
        yield fault
    elif "/" not in name and name not in _CONTAINER_RESOURCES and not name.startswith(_HUGE_PAGES):
        yield f"{show(name)} is not a resource of a container: {', '.join(_CONTAINER_RESOURCES)}, or vendor.example/device"
    elif (
        "/" in name
        and "kubernetes.io/" not in name
        and (name.startswith("requests.") or check_label_key(f"requests.{name}"))
    ):
        yield f"{show(name)} is not the name of an extended resource"
    if amount < 0:
        yield f"{text} is negative"
    elif name.startswith(_HUGE_PAGES) and not _whole_pages(name, amount):
        yield f"{text} is not a multiple of the page size in {name}"
    elif is_extended(name) and amount.denominator != 1:
        yield f"{text} is not a whole number; devices are counted in pieces"


def _whole_pages(name: str, amount: Fraction) -> bool:
    try:
        page = parse_quantity(name.removeprefix(_HUGE_PAGES))
    except ValueError:
        return False
    return page > 0 and page.denominator == 1 and amount % page == 0


def _against_limit(name: str, request: str, limit: str | None) -> str | None:
    whole = is_extended(name) or name.startswith(_HUGE_PAGES)
    if limit is None:
        return f"{show(name)} needs a limit of the same amount, {request}" if whole else None
    wanted, allowed = parse_quantity(request), parse_quantity(limit)
    if whole and wanted != allowed:
        return f"{request} must be equal to the limit of {limit}"
    if wanted > allowed:
        return f"{request} is more than the limit of {limit}"
    return None
