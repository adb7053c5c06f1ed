# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model needs of device memory: weights, KV cache, and how much context fits. Each figure says what it rests on.

Sizes are bytes. Source of the formulas: reference figures of public model cards, checked by the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..kube.problem import Problem
from ..kube.schema_faults import show
from .devices import Parallelism

GIB = 2**30
#: Bytes of one number.
PRECISIONS: Mapping[str, Fraction] = {
    "fp32": Fraction(4),
    "bf16": Fraction(2),
    "fp16": Fraction(2),
    "fp8": Fraction(1),
    "int8": Fraction(1),
    "int4": Fraction(1, 2),
    "fp4": Fraction(1, 2),
}
#: Activations and CUDA graphs of an engine, on each device.
ENGINE_OVERHEAD_GIB = 2
#: The part of a device that vLLM takes (`--gpu-memory-utilization`).
UTILIZATION = 0.9
_COUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMBT]?)", re.ASCII)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_WHOLE = (
    "layers",
    "attention_heads",
    "kv_heads",
    "head_dim",
    "hidden_size",
    "kv_lora_rank",
    "rope_head_dim",
    "context",
)


@dataclass(frozen=True, slots=True)
class Model:
    """What sizing needs to know of a model; 0 where it is not known.

    kv_lora_rank, rope_head_dim: of models with latent attention (MLA), whose cache is neither doubled nor split.
    """

    parameters: int
    precision: str = "bf16"
    kv_precision: str = "bf16"
    layers: int = 0
    attention_heads: int = 0
    kv_heads: int = 0
    head_dim: int = 0
    hidden_size: int = 0
    kv_lora_rank: int = 0
    rope_head_dim: int = 0
    context: int = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its unit and what it rests on."""

    name: str
    value: float
    unit: str
    basis: str


def read_model(given: Mapping[str, Any], path: str) -> tuple[Model | None, list[Problem]]:
    """Return the model that a user describes, None where it cannot be sized, and every problem found."""
    problems = []
    facts: dict[str, Any] = {}
    try:
        facts["parameters"] = _count(given.get("parameters"))
    except ValueError as error:
        problems.append(Problem(f"{path}.parameters", str(error), rule="model"))
    for name in ("precision", "kv_precision"):
        value = given.get(name)
        if value is None:
            continue
        if value in PRECISIONS:
            facts[name] = value
        else:
            text = f"{show(value)} is not one of {', '.join(PRECISIONS)}"
            problems.append(Problem(f"{path}.{name}", text, rule="model"))
    for name in _WHOLE:
        value = given.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            text = f"{show(value)} is not a whole number of 1 or more"
            problems.append(Problem(f"{path}.{name}", text, rule="model"))
        else:
            facts[name] = value
    return (None if problems else Model(**facts)), problems


def _count(value: Any) -> int:
    """Return a number of parameters, given as number or as `8.03B`."""
    match = None if isinstance(value, bool) else _COUNT.fullmatch(str(value).strip())
    if value is None or match is None or float(match[1]) == 0:
        raise ValueError(f"{show(value)} is not a number of parameters such as 8.03B")
    return int(Fraction(match[1]) * _UNITS[match[2]])


def kv_bytes_per_token(model: Model) -> Fraction:
    """Return the KV cache of one token, of all layers and heads together, 0 where the shape is not known."""
    each = PRECISIONS[model.kv_precision]
    if model.kv_lora_rank:
        return model.layers * (model.kv_lora_rank + model.rope_head_dim) * each
    return 2 * model.layers * _kv_heads(model) * _head_dim(model) * each


def _kv_heads(model: Model) -> int:
    return model.kv_heads or model.attention_heads


def _head_dim(model: Model) -> int:
    return model.head_dim or model.hidden_size // (model.attention_heads or 1)


def weight_bytes(model: Model) -> Fraction:
    """Return the size of all weights. All experts of a mixture count, whether they are active or not."""
    return model.parameters * PRECISIONS[model.precision]


def kv_bytes_on_device(model: Model, parallelism: Parallelism) -> Fraction:
    """Return the KV cache of one token on one device.

    Tensor parallelism splits the heads, but each device holds at least one, and all of a latent cache; a pipeline splits layers.
    """
    stages = Fraction(-(-model.layers // parallelism.pipeline), model.layers or 1)
    if model.kv_lora_rank or not _kv_heads(model):
        return kv_bytes_per_token(model) * stages
    heads = -(-_kv_heads(model) // parallelism.tensor)
    return kv_bytes_per_token(model) * stages * heads / _kv_heads(model)


def size(
    model: Model,
    parallelism: Parallelism,
    device_gib: float = 0,
    utilization: float = UTILIZATION,
) -> list[Figure]:
    """Return the figures of a model on devices of a size; without a size (0) those that do not depend on it."""
    share = weight_bytes(model) / (parallelism.tensor * parallelism.pipeline)
    figures = [*_weights(model, parallelism, share), *_cache(model)]
    if device_gib:
        room = _room(share, device_gib, utilization)
        figures += _fitting(model, parallelism, room, f"{device_gib:g} GiB × {utilization}")
    return figures


def _weights(model: Model, parallelism: Parallelism, share: Fraction) -> Iterator[Figure]:
    """Yield the size of all weights, and of those of one device."""
    yield Figure(
        "weights",
        _gib(weight_bytes(model)),
        "GiB",
        f"{model.parameters} parameters × {_bytes(model.precision)}",
    )
    yield Figure(
        "weights_per_device",
        _gib(share),
        "GiB",
        f"split over tensor {parallelism.tensor} × pipeline {parallelism.pipeline}",
    )


def _cache(model: Model) -> Iterator[Figure]:
    """Yield what a token and a request take, where the shape of the model is known."""
    token = kv_bytes_per_token(model)
    if token:
        yield Figure("kv_cache_per_token", float(token), "bytes", _kv_basis(model))
        if model.context:
            text = f"one request of {model.context} tokens"
            yield Figure("kv_cache_per_request", _gib(token * model.context), "GiB", text)


def _room(share: Fraction, device_gib: float, utilization: float) -> Fraction:
    """Return what is left of a device for the cache, in bytes; less than nothing where the weights are too large."""
    used = share + ENGINE_OVERHEAD_GIB * GIB
    return Fraction(device_gib) * Fraction(str(utilization)) * GIB - used


def _fitting(
    model: Model, parallelism: Parallelism, room: Fraction, device: str
) -> Iterator[Figure]:
    """Yield how many tokens and requests find room. device: how much of it is used, in words."""
    basis = f"{device} − weights − {ENGINE_OVERHEAD_GIB} GiB for the engine itself (an estimate)"
    yield Figure("kv_room_per_device", _gib(room), "GiB", basis)
    if not kv_bytes_per_token(model) or room <= 0:
        return
    tokens = int(room / kv_bytes_on_device(model, parallelism))
    yield Figure("tokens", tokens, "tokens", "room ÷ the cache of a token on one device")
    if model.context:
        text = f"requests of {model.context} tokens at the same time"
        yield Figure("concurrency", round(tokens / model.context, 2), "requests", text)


def _kv_basis(model: Model) -> str:
    if model.kv_lora_rank:
        return f"{model.layers} layers × ({model.kv_lora_rank} + {model.rope_head_dim}) × {_bytes(model.kv_precision)}"
    return f"2 × {model.layers} layers × {_kv_heads(model)} KV heads × {_head_dim(model)} × {_bytes(model.kv_precision)}"


def _bytes(precision: str) -> str:
    return f"{float(PRECISIONS[precision]):g} bytes ({precision})"


def _gib(size_in_bytes: Fraction) -> float:
    return round(float(size_in_bytes / GIB), 2)


def check_model(
    model: Model, parallelism: Parallelism, figures: list[Figure], path: str
) -> Iterator[Problem]:
    """Yield what an engine refuses about a model on these devices, or what is wasted."""
    heads, tensor = model.attention_heads, parallelism.tensor
    if heads and heads % tensor:
        text = f"{tensor} does not divide the model's {heads} attention heads, which engines refuse"
        yield Problem(f"{path}.tensor", text, rule="tensor-heads")
    if model.layers and model.layers < parallelism.pipeline:
        text = f"{parallelism.pipeline} is more than the model's {model.layers} layers"
        yield Problem(f"{path}.pipeline", text, rule="pipeline-layers")
    if model.kv_heads and tensor > model.kv_heads and not model.kv_lora_rank:
        text = f"{tensor} is more than the model's {model.kv_heads} KV heads: beyond that the KV cache of a device does not shrink"
        yield Problem(f"{path}.tensor", text, "warning", rule="tensor-kv-heads")
    found = {figure.name: figure.value for figure in figures}
    if found.get("kv_room_per_device", 1) <= 0:
        text = (
            f"{found['weights_per_device']} GiB of weights leave no room on a device; give a larger tensor, a smaller precision "
            "or devices with more memory"
        )
        yield Problem("model", text, "warning", rule="memory")
    elif found.get("concurrency", 1) < 1:
        text = (
            f"{int(found['tokens'])} tokens fit, less than one request of {model.context}; the engine will not start "
            "(lower the context, or give a larger tensor)"
        )
        yield Problem("model.context", text, "warning", rule="memory")
