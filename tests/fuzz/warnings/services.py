# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid services of every kind at random: examples, recordings and generated services with fields added, changed and left out."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.metadata_names import FAMILIES
from module_utils.kube.schema import (
    Boolean,
    Integer,
    IntOrText,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
)
from tests.differential.llm_inputs import Generator
from tests.mistakes.places import Place, at, dropped, places, put
from tests.mistakes.sources import Source, of_release
from tests.parity.recorded_llm_services import LATER, RECORDINGS, shared_context

Json = dict[str, Any]

#: What a text may be, by the name of its field. Fields of other names get a word.
WORDS: Mapping[str, Sequence[str]] = {
    "args": (
        "--max-model-len=8192",
        "--enable-prefix-caching",
        "--dtype=auto",
        "--served-model-name=tiny",
    ),
    "command": ("/bin/server",),
    "image": ("registry.example.com/acme/server:1", "registry.example.com/acme/server:2"),
    "cpu": ("1", "2"),
    "effect": ("NoSchedule", "NoExecute"),
    "format": ("sklearn", "huggingface", "xgboost"),
    "gatewayClassName": ("istio",),
    "host": ("example.com", "a.example.com"),
    "hostname": ("model.example.com", "*.example.com"),
    "hostnames": ("model.example.com", "other.example.com"),
    "kind": ("Gateway", "HTTPRoute", "Service"),
    "logFormat": ("json",),
    "memory": ("4Gi", "8Gi"),
    "mountPath": ("/mnt/own", "/cache"),
    "operator": ("Exists", "Equal", "In"),
    "path": ("models/tiny", "tiny"),
    "protocol": ("TCP",),
    "protocolVersion": ("v1", "v2", "grpc-v2"),
    "storageUri": (
        "s3://bucket/models/tiny",
        "pvc://claim/tiny",
        "hf://acme/tiny",
        "oci://registry.example.com/m:1",
    ),
    "uri": (
        "s3://bucket/models/tiny",
        "pvc://claim/tiny",
        "hf://acme/tiny",
        "oci://registry.example.com/m:1",
    ),
    "url": ("http://logger.example.com", "http://sink.team-a.svc"),
    "topologyKey": ("kubernetes.io/hostname", "topology.kubernetes.io/zone"),
    "whenUnsatisfiable": ("ScheduleAnyway", "DoNotSchedule"),
    "scaleMetric": ("cpu", "memory", "concurrency", "rps"),
    "deploymentStrategy": ("RollingUpdate",),
    "imagePullPolicy": ("Always", "IfNotPresent"),
}
_AMOUNTS = ("1", "2", "4Gi", "500m", "8Gi")
#: Components of InferenceServices: one that is made at random is nearly always refused.
_COMPONENTS = ("transformer", "explainer", "canary")
_OWN = (("team", "blue"), ("example.com/note", "hello"))


def generated_sources(seed: int, count: int) -> Iterator[Source]:
    """Yield so many generated LLMInferenceServices of each recorded release, with what is around them."""
    for release, root in {KServe.V0_17: RECORDINGS, **LATER}.items():
        system = shared_context(root)
        for case in Generator(seed, release).cases(count):
            name = f"generated/{release}/{case.namespace[:12]}"
            objects = (*system, *case.context)
            yield Source(name, case.document, objects, {}, of_release(release))


def edited_service(source: Source, seed: str) -> Source:
    """Return a service with one to six fields added, changed or left out. The same seed gives the same service."""
    chance = random.Random(seed)
    document = deepcopy(source.document)
    for dummy in range(chance.randint(1, 6)):
        document = _edited(document, source, chance)
    return replace(source, name=f"{source.name} {seed}", document=document)


def _edited(document: Json, source: Source, chance: random.Random) -> Json:
    deed = chance.random()
    if deed < 0.15:
        return _with_metadata(document, chance)
    spots = list(places(document, source.schema))
    leaves = [place for place in spots if not isinstance(place.value, dict | list)]
    if deed < 0.35 and leaves:
        place = chance.choice(leaves)
        value = other_value(place, chance)
        return document if value is None else put(document, place.steps, value)
    if deed < 0.45 and leaves:
        place = chance.choice(leaves)
        return document if isinstance(place.key, int) else dropped(document, place.steps)
    return _with_field(document, source.schema, chance)


def other_value(place: Place, chance: random.Random) -> Any:
    """Return another value that a field may have, None where none comes to mind."""
    found = legal(place.schema, str(place.key), chance, place.value) if place.schema else None
    return None if found == place.value or type(found) is not type(place.value) else found


def _with_metadata(document: Json, chance: random.Random) -> Json:
    part = chance.choice(("labels", "annotations"))
    prefix, family = chance.choice(list(FAMILIES.items()))
    names = list(family.names) or ["other"]
    name = chance.choice(names)
    known = family.names.get(name)
    values = known.values if known and known.values else ("1", "x")
    key, value = chance.choice([(f"{prefix}{name}", chance.choice(values)), *_OWN])
    holders: list[tuple[Any, ...]] = [("metadata",)]
    spec = document.get("spec") or {}
    if document["kind"] == "LLMInferenceService":
        holders += [("spec",), *((("spec", "prefill"),) if "prefill" in spec else ())]
    elif document["kind"] == "InferenceService":
        holders += [("spec", name) for name in ("predictor", "transformer") if name in spec]
    steps = chance.choice(holders)
    there = dict(at(document, steps).get(part) or {})
    return put(document, (*steps, part), {**there, key: value})


def _with_field(document: Json, schema: Object, chance: random.Random) -> Json:
    """Return the document with a field that it does not have, chosen step by step from the top, so that fields of the kind come before those of pods."""
    steps: tuple[Any, ...] = ("spec",)
    here: Schema = schema
    while True:
        value = at(document, steps)
        if isinstance(here, Object) and isinstance(value, dict):
            names = [
                name
                for name, each in here.fields.items()
                if each.until is None and (name in value or name not in _COMPONENTS)
            ]
            name = chance.choice(names)
            inner = here.fields[name]
            if name not in value:
                made = legal(inner, name, chance)
                return document if made is None else put(document, (*steps, name), made)
            steps, here = (*steps, name), inner
        elif isinstance(here, ListOf) and isinstance(value, list):
            if not value or chance.random() < 0.2:
                made = legal(here.items, str(steps[-1]), chance)
                return document if made is None else put(document, steps, [*value, made])
            steps, here = (*steps, chance.randrange(len(value))), here.items
        else:
            return document


def legal(
    schema: Schema, name: str, chance: random.Random, like: Any = None, depth: int = 0
) -> Any:
    """Return a value that a field may have, None where none comes to mind. like: one that it has."""
    match schema:
        case Boolean():
            return chance.random() < 0.5
        case Integer():
            low = schema.minimum or 0
            return chance.randint(low, min(schema.maximum or low + 4, low + 4))
        case QuantityValue():
            return chance.choice(_AMOUNTS)
        case IntOrText():
            return chance.choice((1, 2, 8080))
        case Text():
            return _text(schema, name, chance, like)
        case ListOf():
            item = legal(schema.items, name, chance, depth=depth + 1)
            return None if item is None else [item]
        case MapOf():
            value = legal(schema.values, name, chance, depth=depth + 1)
            key = "cpu" if isinstance(schema.values, QuantityValue) else "team"
            return None if value is None else {key: value}
        case Object():
            return _object(schema, chance, depth)
    return None


def _text(schema: Text, name: str, chance: random.Random, like: Any) -> str | None:
    if schema.enum:
        return chance.choice(schema.enum)
    if name in WORDS:
        return chance.choice(WORDS[name])
    if schema.pattern or schema.format:
        return None
    if isinstance(like, str) and "://" in like:
        return f"{like}x"
    return chance.choice(("alpha", "beta", "main" if name == "name" else "gamma"))


def _object(schema: Object, chance: random.Random, depth: int) -> Json | None:
    if depth > 6:
        return None
    optional = [
        name
        for name, each in schema.fields.items()
        if name not in schema.required and each.until is None
    ]
    few = 1 if depth else chance.randint(1, 3)
    names = [*schema.required, *chance.sample(optional, min(few, len(optional)))]
    made = {name: legal(schema.fields[name], name, chance, depth=depth + 1) for name in names}
    if any(made[name] is None for name in schema.required):
        return None
    return {name: value for name, value in made.items() if value is not None}
