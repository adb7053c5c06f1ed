# SPDX-License-Identifier: GPL-3.0-or-later
"""Where models are, how wide they are spread, and how requests come to them."""

from __future__ import annotations

from collections.abc import Iterator

from .places import Place, Spoilt, dropped, put
from .registry import Service, mistake


def _addresses(service: Service) -> Iterator[Place]:
    for place in service.fields("uri", "storageUri"):
        if isinstance(place.value, str) and "://" in place.value:
            yield place


def _address(service: Service, old: str, new: str) -> Iterator[Spoilt]:
    for place in _addresses(service):
        value = place.value.replace(old, new, 1)
        if value != place.value:
            yield Spoilt(put(service.document, place.steps, value), (place.path,))


@mistake
def scheme_misspelt(service: Service) -> Iterator[Spoilt]:
    for place in _addresses(service):
        scheme, dummy, rest = place.value.partition("://")
        value = f"{scheme}{scheme[-1]}://{rest}"
        yield Spoilt(put(service.document, place.steps, value), (place.path,))


@mistake
def scheme_with_one_slash(service: Service) -> Iterator[Spoilt]:
    yield from _address(service, "://", ":/")


@mistake
def scheme_missing(service: Service) -> Iterator[Spoilt]:
    for place in _addresses(service):
        value = place.value.partition("://")[2]
        yield Spoilt(put(service.document, place.steps, value), (place.path,))


@mistake
def address_with_blank(service: Service) -> Iterator[Spoilt]:
    for place in _addresses(service):
        yield Spoilt(put(service.document, place.steps, f"{place.value} v2"), (place.path,))


@mistake
def address_that_is_empty(service: Service) -> Iterator[Spoilt]:
    for place in _addresses(service):
        value = place.value.partition("://")[0] + "://"
        yield Spoilt(put(service.document, place.steps, value), (place.path,))


@mistake
def fewer_at_most_than_at_least(service: Service) -> Iterator[Spoilt]:
    for place in service.fields("maxReplicas"):
        document = put(service.document, place.steps, 1)
        document = put(document, (*place.steps[:-1], "minReplicas"), 2)
        yield Spoilt(document, (place.path, place.path.replace("max", "min"), place.path[:-12]))


@mistake
def replicas_said_twice(service: Service) -> Iterator[Spoilt]:
    if service.kind == "LLMInferenceService":
        spec = {"replicas": 2, "scaling": {"maxReplicas": 3, "wva": {"hpa": {}}}}
        document = {**service.document, "spec": {**service.document["spec"], **spec}}
        yield Spoilt(document, ("spec", "spec.replicas", "spec.scaling"))


@mistake
def data_parallel_without_pods(service: Service) -> Iterator[Spoilt]:
    if service.kind == "LLMInferenceService":
        value = {"data": 5, "dataLocal": 2}
        document = put(service.document, ("spec", "parallelism"), value)
        yield Spoilt(document, ("spec.parallelism", "spec.parallelism.data"))


@mistake
def pipeline_beside_data(service: Service) -> Iterator[Spoilt]:
    if service.kind == "LLMInferenceService":
        value = {"data": 4, "dataLocal": 2, "pipeline": 2}
        document = put(service.document, ("spec", "parallelism"), value)
        yield Spoilt(document, ("spec.parallelism", "spec.parallelism.pipeline"))


@mistake
def base_without_name(service: Service) -> Iterator[Spoilt]:
    if service.kind == "LLMInferenceService":
        document = put(service.document, ("spec", "baseRefs"), [{"namespace": "a"}])
        yield Spoilt(document, ("spec.baseRefs[0].namespace", "spec.baseRefs[0].name"))


@mistake
def base_that_is_not_there(service: Service) -> Iterator[Spoilt]:
    if service.kind == "LLMInferenceService":
        document = put(service.document, ("spec", "baseRefs"), [{"name": "my-base"}])
        yield Spoilt(document, ("spec.baseRefs[0].name",))


@mistake
def host_with_scheme(service: Service) -> Iterator[Spoilt]:
    for place in service.fields("hostnames"):
        for number, host in enumerate(place.value if isinstance(place.value, list) else ()):
            document = put(service.document, (*place.steps, number), f"https://{host}")
            yield Spoilt(document, (f"{place.path}[{number}]",))


@mistake
def route_path_without_slash(service: Service) -> Iterator[Spoilt]:
    for place in service.places:
        if place.key != "path" or not isinstance(place.value, dict) or not place.value.get("value"):
            continue
        # A regular expression may begin with anything.
        if place.value.get("type") != "RegularExpression":
            value = {**place.value, "value": place.value["value"].lstrip("/") or "v1"}
            fields = (place.path, f"{place.path}.value")
            yield Spoilt(put(service.document, place.steps, value), fields)


@mistake
def picker_configuration_misspelt(service: Service) -> Iterator[Spoilt]:
    if service.document["spec"].get("router", {}).get("scheduler") is not None:
        config = {
            "inline": {
                "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
                "kind": "EndpointPickerConfig",
                "plugins": [{"type": "queue-scorerr"}],
                "schedulingProfiles": [
                    {"name": "default", "plugins": [{"pluginRef": "queue-scorerr"}]}
                ],
            }
        }
        document = put(service.document, ("spec", "router", "scheduler", "config"), config)
        yield Spoilt(document, ("spec.router.scheduler.config",))


@mistake
def prefill_without_picker(service: Service) -> Iterator[Spoilt]:
    spec = service.document["spec"]
    splits = service.kind == "LLMInferenceService" and spec.get("prefill") is not None
    if splits and (spec.get("router") or {}).get("scheduler") is not None:
        document = dropped(service.document, ("spec", "router", "scheduler"))
        yield Spoilt(document, ("spec.prefill", "spec.router.scheduler"))


@mistake
def logger_without_scheme(service: Service) -> Iterator[Spoilt]:
    for role in ("predictor", "transformer") if service.kind == "InferenceService" else ():
        if isinstance(service.document["spec"].get(role), dict):
            logger = {"mode": "all", "url": "sink:8080"}
            document = put(service.document, ("spec", role, "logger"), logger)
            yield Spoilt(document, (f"spec.{role}.logger.url",))


@mistake
def picker_of_another_pool(service: Service) -> Iterator[Spoilt]:
    router = service.document["spec"].get("router") or {}
    if isinstance(router.get("scheduler"), dict) and "pool" not in router["scheduler"]:
        template = {"containers": [{"name": "main", "args": ["--pool-name=other"]}]}
        document = put(service.document, ("spec", "router", "scheduler", "template"), template)
        yield Spoilt(document, ("spec.router.scheduler.template.containers[0].args",))
