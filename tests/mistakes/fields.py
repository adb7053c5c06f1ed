# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields misspelt, misplaced, forgotten, or of another kind of service."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from module_utils.kube.schema import Object

from .places import Place, Spoilt, dropped, put, renamed
from .registry import Service, mistake


def _known(service: Service) -> Iterator[Place]:
    return (place for place in service.places if isinstance(place.parent, Object))


def _sibling(place: Place, name: str) -> str:
    return f"{place.path.rpartition('.')[0]}.{name}"


@mistake
def field_letter_missing(service: Service) -> Iterator[Spoilt]:
    yield from _misspelt(service, lambda name: name[:2] + name[3:] if len(name) > 4 else name)


@mistake
def field_letter_twice(service: Service) -> Iterator[Spoilt]:
    yield from _misspelt(service, lambda name: name[:2] + name[1:])


@mistake
def field_in_lower_case(service: Service) -> Iterator[Spoilt]:
    yield from _misspelt(service, str.lower)


@mistake
def field_in_snake_case(service: Service) -> Iterator[Spoilt]:
    def snake(name: str) -> str:
        return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)

    yield from _misspelt(service, snake)


@mistake
def field_in_singular(service: Service) -> Iterator[Spoilt]:
    yield from _misspelt(service, lambda name: name.removesuffix("s"))


def _misspelt(service: Service, spell: Callable[[str], str]) -> Iterator[Spoilt]:
    for place in _known(service):
        name = spell(str(place.key))
        if isinstance(place.parent, Object) and name not in place.parent.fields:
            document = renamed(service.document, place.steps, name)
            yield Spoilt(document, (_sibling(place, name), place.path))


@mistake
def field_one_level_up(service: Service) -> Iterator[Spoilt]:
    holders = {place.steps: place for place in service.places}
    for place in _known(service):
        above = holders.get(place.steps[:-1])
        if (
            above is None
            or not isinstance(above.parent, Object)
            or place.key in above.parent.fields
        ):
            continue
        steps = (*above.steps[:-1], place.key)
        document = put(dropped(service.document, place.steps), steps, place.value)
        yield Spoilt(document, (_sibling(above, str(place.key)), place.path))


@mistake
def field_one_level_down(service: Service) -> Iterator[Spoilt]:
    for place in _known(service):
        for other in _known(service):
            beside = other.steps[:-1] == place.steps[:-1] and other.key != place.key
            if beside and isinstance(other.schema, Object) and isinstance(other.value, dict):
                if place.key not in other.schema.fields:
                    steps = (*other.steps, place.key)
                    document = dropped(put(service.document, steps, place.value), place.steps)
                    yield Spoilt(document, (f"{other.path}.{place.key}", place.path))
                break


@mistake
def required_field_missing(service: Service) -> Iterator[Spoilt]:
    for place in _known(service):
        # KServe's webhook gives the first container of a component its name.
        given = service.kind == "InferenceService" and place.steps[-2:] == (0, "name")
        required = isinstance(place.parent, Object) and place.key in place.parent.required
        if required and not given:
            yield Spoilt(dropped(service.document, place.steps), (place.path,))


#: By kind of service: fields of other kinds, at places where people put them.
_FOREIGN = {
    "ModelService": {
        "spec.replicas": 2,
        "spec.router": {},
        "spec.predictor": {},
        "spec.template": {"containers": []},
        "spec.decode.minReplicas": 1,
        "spec.model.uri": "hf://acme/chat",
        "spec.parallelism": {"tensor": 2},
    },
    "LLMInferenceService": {
        "spec.minReplicas": 1,
        "spec.maxReplicas": 3,
        "spec.predictor": {},
        "spec.decode": {},
        "spec.engine": {"args": []},
        "spec.accelerator": {"type": "nvidia"},
        "spec.model.storageUri": "s3://b/m",
        "spec.model.protocolVersion": "v2",
        "spec.workerSpec": {},
        "spec.autoscaling": {},
        "spec.ports": [],
        "spec.containers": [],
    },
    "InferenceService": {
        "spec.replicas": 1,
        "spec.model": {"storageUri": "s3://b/m"},
        "spec.template": {},
        "spec.predictor.replicas": 2,
        "spec.predictor.parallelism": {"tensor": 2},
        "spec.predictor.modelFormat": {"name": "sklearn"},
        "spec.predictor.storageUri": "s3://b/m",
        "spec.predictor.template": {},
        "spec.router": {},
    },
}


@mistake
def field_of_another_kind(service: Service) -> Iterator[Spoilt]:
    known = {place.path for place in service.places}
    for path, value in _FOREIGN[service.kind].items():
        above = path.rpartition(".")[0]
        if path not in known and (above in known or above == "spec"):
            yield Spoilt(put(service.document, tuple(path.split(".")), value), (path,))


@mistake
def field_at_the_top(service: Service) -> Iterator[Spoilt]:
    for name, value in service.document["spec"].items():
        document = put(dropped(service.document, ("spec", name)), (name,), value)
        yield Spoilt(document, (name, f"spec.{name}"))


@mistake
def spec_forgotten(service: Service) -> Iterator[Spoilt]:
    document = {key: value for key, value in service.document.items() if key != "spec"}
    yield Spoilt({**document, **service.document["spec"]}, (*service.document["spec"], "spec"))
