# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model needs of device memory: weights, KV cache, and how much context fits. Each figure says what it rests on.

Sizes are bytes. Source of the formulas: published figures of models, checked by the tests (`tests/unit/accelerators/model_sizes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..kube.problem import Problem
from .devices import Parallelism
from .model import Model
from .model_config.block import Kept
from .precision import PRECISIONS, in_bytes

GIB = 2**30
#: Smaller blocks are padded by engines.
_LARGE_BLOCK = 64
#: Activations and CUDA graphs of an engine, on each device.
ENGINE_OVERHEAD_GIB = 2
#: The part of a device that vLLM takes (`--gpu-memory-utilization`).
UTILIZATION = 0.9


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its unit and what it rests on."""

    name: str
    value: float
    unit: str
    basis: str


def kv_bytes_per_token(model: Model) -> Fraction:
    """Return the KV cache of one token, of all layers and heads together, 0 where the shape is not known."""
    each = PRECISIONS[model.kv_precision]
    return Fraction(sum(kept.numbers for kept in model.all_kept)) * each


def weight_bytes(model: Model) -> Fraction:
    """Return the size of all weights. All experts of a mixture count, whether they are active or not."""
    return model.all_weights.size


def request_bytes(model: Model, tokens: int, tensor: int = 1) -> Fraction:
    """Return what a request of so many tokens keeps, with `tensor` on one of that many ranks; windows hold no more than they are wide."""
    each = PRECISIONS[model.kv_precision]
    total = Fraction(0)
    for kept in model.all_kept:
        held = min(tokens, kept.window) if kept.window else tokens
        total += held * (kept.numbers * each * _part(kept.heads, tensor) + kept.fixed_bytes)
        total += _state_bytes(model, kept) / tensor
    return total


def _part(heads: int, tensor: int) -> Fraction:
    """Return the part of a cache that a rank holds: at least one head, and all of a latent cache."""
    return Fraction(-(-heads // tensor), heads) if heads else Fraction(1)


def _state_bytes(model: Model, kept: Kept) -> Fraction:
    convolution = kept.convolution * PRECISIONS[_half(model.precision)]
    return convolution + kept.state * PRECISIONS[model.state_precision]


def _half(precision: str) -> str:
    """Return the precision of what an engine computes with, which is none of those that weights are packed in."""
    return precision if precision in ("bf16", "fp16", "fp32") else "bf16"


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
    """Yield the size of all weights, of those that only draft, and of those of one device."""
    weights = model.all_weights
    yield Figure("weights", _gib(weights.size), "GiB", weights.basis)
    if weights.draft_size:
        text = "of the weights, those of layers that draft tokens (MTP), which an engine loads for speculative decoding"
        yield Figure("draft_weights", _gib(weights.draft_size), "GiB", text)
    text = f"split over tensor {parallelism.tensor} × pipeline {parallelism.pipeline}"
    yield Figure("weights_per_device", _gib(share), "GiB", text)


def _cache(model: Model) -> Iterator[Figure]:
    """Yield what a token and a request take, where the shape of the model is known."""
    layers = model.all_kept
    token = kv_bytes_per_token(model)
    if token:
        yield Figure("kv_cache_per_token", float(token), "bytes", _kv_basis(model, layers))
    windows = [kept for kept in layers if kept.window]
    if windows:
        each = PRECISIONS[model.kv_precision]
        beyond = sum(kept.numbers for kept in layers if not kept.window) * each
        widths = ", ".join(str(width) for width in sorted({kept.window for kept in windows}))
        text = f"once {len(windows)} layers have filled their window of {widths} tokens"
        yield Figure("kv_cache_per_token_beyond_window", float(beyond), "bytes", text)
    fixed = sum(kept.fixed_bytes for kept in layers)
    if fixed:
        text = "keys of the sparse indexer, beside the KV cache"
        yield Figure("indexer_cache_per_token", float(fixed), "bytes", text)
    states = [kept for kept in layers if kept.state or kept.convolution]
    if states:
        state = sum((_state_bytes(model, kept) for kept in states), Fraction(0))
        yield Figure("state_per_request", float(state), "bytes", _state_basis(model, states))
    if layers and model.context:
        text = f"one request of {model.context} tokens"
        yield Figure("kv_cache_per_request", _gib(request_bytes(model, model.context)), "GiB", text)


def _kv_basis(model: Model, layers: Sequence[Kept]) -> str:
    """Return the sum behind the cache of a token: how many layers keep what."""
    groups = Counter(kept.basis for kept in layers if kept.numbers)
    terms = [f"{count} layers × {basis}" for basis, count in groups.items()]
    joined = " + ".join(terms)
    joined = f"({joined})" if len(terms) > 1 else joined
    return f"{joined} × {in_bytes(model.kv_precision)}"


def _state_basis(model: Model, states: Sequence[Kept]) -> str:
    groups = Counter(kept.basis for kept in states)
    terms = " + ".join(f"{count} layers × {basis}" for basis, count in groups.items())
    return f"states of {terms}, {in_bytes(model.state_precision)}, and last inputs of convolutions"


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
    layers = model.all_kept
    if not layers or room <= 0:
        return
    stage = Fraction(-(-model.layers // parallelism.pipeline), model.layers or 1)
    tokens = model.context or 1
    request = request_bytes(model, tokens, parallelism.tensor) * stage
    alike = not any(kept.window or kept.state or kept.convolution for kept in layers)
    if alike:
        text = "room ÷ the cache of a token on one device"
    elif model.context:
        text = f"in requests of {model.context} tokens, which windows and states make smaller or larger"
    else:
        text = "as long as no window is full, without states"
    fitting = int(room / request * tokens)
    yield Figure("tokens", fitting, "tokens", text)
    if model.context:
        text = f"requests of {model.context} tokens at the same time"
        yield Figure("concurrency", round(fitting / model.context, 2), "requests", text)


def _gib(size_in_bytes: Fraction) -> float:
    return round(float(size_in_bytes / GIB), 2)


def _networks(model: Model, parallelism: Parallelism, path: str) -> Iterator[Problem]:
    """Yield experts that are spread and are none, and blocks of quantised numbers that the ranks would cut."""
    if parallelism.expert and model.networks and not any(each.expert for each in model.networks):
        text = "the model has no experts to spread, which engines refuse; leave it out"
        yield Problem(f"{path}.expert", text, rule="tensor-heads")
    tensor = parallelism.tensor
    for each in model.networks:
        whole = each.inner % (tensor * each.block) == 0
        if whole or each.block < _LARGE_BLOCK or (each.expert and parallelism.expert):
            continue
        part = f"{each.inner} ÷ {tensor} = {each.inner / tensor:g}"
        what = "experts" if each.expert else "networks"
        way = "give a smaller tensor, or expert: true" if each.expert else "give a smaller tensor"
        text = f"the model's {what} are split into {part}, no multiple of the {each.block} numbers that are quantised together, which engines refuse; {way}"
        yield Problem(f"{path}.tensor", text, "warning", rule="tensor-blocks")


def check_model(
    model: Model, parallelism: Parallelism, figures: list[Figure], path: str
) -> Iterator[Problem]:
    """Yield what an engine refuses about a model on these devices, or what is wasted."""
    heads, tensor = model.attention_heads, parallelism.tensor
    if heads and heads % tensor:
        text = f"{tensor} does not divide the model's {heads} attention heads, which engines refuse"
        yield Problem(f"{path}.tensor", text, rule="tensor-heads")
    yield from _networks(model, parallelism, path)
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
