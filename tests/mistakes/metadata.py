# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, versions, labels and annotations of a service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from module_utils.kinds.metadata_names import FAMILIES
from module_utils.kube.schema_check import child_path

from .places import Spoilt, dropped, put
from .registry import Service, mistake

_KSERVE = "serving.kserve.io/"
#: Releases that do not know the annotation that 0.20 brought.
_BEFORE = ("0.17", "0.18", "0.19")


def _annotation(
    service: Service, name: str, value: Any, part: str = "annotations"
) -> Iterator[Spoilt]:
    texts = {**(service.document["metadata"].get(part) or {}), name: value}
    document = put(service.document, ("metadata", part), texts)
    yield Spoilt(document, (child_path(f"metadata.{part}", name), f"metadata.{part}"))


@mistake
def name_in_upper_case(service: Service) -> Iterator[Spoilt]:
    yield Spoilt(put(service.document, ("metadata", "name"), "Chat"), ("metadata.name",))


@mistake
def name_with_underscore(service: Service) -> Iterator[Spoilt]:
    yield Spoilt(put(service.document, ("metadata", "name"), "my_chat"), ("metadata.name",))


@mistake
def name_with_slash(service: Service) -> Iterator[Spoilt]:
    yield Spoilt(put(service.document, ("metadata", "name"), "acme/chat"), ("metadata.name",))


@mistake
def name_too_long(service: Service) -> Iterator[Spoilt]:
    yield Spoilt(put(service.document, ("metadata", "name"), "m" * 254), ("metadata.name",))


@mistake
def name_missing(service: Service) -> Iterator[Spoilt]:
    yield Spoilt(dropped(service.document, ("metadata", "name")), ("metadata.name",))


@mistake
def namespace_that_cannot_be(service: Service) -> Iterator[Spoilt]:
    document = put(service.document, ("metadata", "namespace"), "Team.A")
    yield Spoilt(document, ("metadata.namespace",))


@mistake
def version_of_another_kind(service: Service) -> Iterator[Spoilt]:
    yield Spoilt({**service.document, "apiVersion": "serving.kserve.io/v1"}, ("apiVersion",))


@mistake
def kind_misspelt(service: Service) -> Iterator[Spoilt]:
    kind = service.kind.replace("Service", "service")
    yield Spoilt({**service.document, "kind": kind}, ("kind",))


@mistake
def annotation_misspelt(service: Service) -> Iterator[Spoilt]:
    for name in FAMILIES[_KSERVE].names:
        yield from _annotation(service, f"{_KSERVE}{name[:3]}{name[4:]}", "true")


@mistake
def annotation_without_quotes(service: Service) -> Iterator[Spoilt]:
    yield from _annotation(service, f"{_KSERVE}stop", value=True)


@mistake
def annotation_of_a_later_release(service: Service) -> Iterator[Spoilt]:
    if service.kind == "ModelService" or service.release in _BEFORE:
        yield from _annotation(service, f"{_KSERVE}exp-dra-device-class", "gpu.nvidia.com")


@mistake
def queue_as_annotation(service: Service) -> Iterator[Spoilt]:
    yield from _annotation(service, "kueue.x-k8s.io/queue-name", "gold")


@mistake
def label_with_blank(service: Service) -> Iterator[Spoilt]:
    yield from _annotation(service, "team", "machine learning", "labels")


@mistake
def label_without_quotes(service: Service) -> Iterator[Spoilt]:
    yield from _annotation(service, "gpu", 1, "labels")


@mistake
def label_name_that_cannot_be(service: Service) -> Iterator[Spoilt]:
    yield from _annotation(service, "a b", "c", "labels")


@mistake
def labels_as_list(service: Service) -> Iterator[Spoilt]:
    document = put(service.document, ("metadata", "labels"), ["team=a"])
    yield Spoilt(document, ("metadata.labels",))
