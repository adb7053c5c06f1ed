# SPDX-License-Identifier: GPL-3.0-or-later
"""The door: what a config says of weights, cache and shape. What it does not say, or is not known here, is a problem by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...kube.schema_faults import show
from ..precision import PRECISIONS
from .architecture import Architecture, read_architecture, unknown_class
from .block import Kept, Tensor
from .fields import Fields, Notes
from .quantization import Quantization, read_quantization
from .scheme import WHOLE

#: The matrix of a network whose inputs are its inner size, and the part of its place that says that it is an expert's.
_LAST_OF_NETWORK, _OF_EXPERTS = ".down_proj", ".experts."

#: `dtype` of a config, in the words of the option `precision`.
_DTYPES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "float8_e4m3fn": "fp8",
}


@dataclass(frozen=True, slots=True)
class Weights:
    """All tensors of a checkpoint. size: in bytes, 0 where it is not known; parameters: as many numbers. draft_size: of them, those of layers that draft."""

    size: Fraction
    parameters: int
    basis: str
    draft_size: Fraction = Fraction(0)

    def of_unknown_size(self) -> Weights:
        """Return the same numbers, of which it is not known how they are packed."""
        return replace(self, size=Fraction(0), draft_size=Fraction(0))


@dataclass(frozen=True, slots=True)
class Network:
    """A feed-forward network as tensor ranks split it. inner: its size. block: numbers that have a scale together, 1 where each is alone."""

    inner: int
    block: int
    expert: bool


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What a config says. weights: None where not all tensors are known. known: whether its model class is.

    kept: what each layer keeps; state_precision: of states. kv_precision: empty where the config says nothing.
    """

    kind: str
    precision: str
    layers: int = 0
    attention_heads: int = 0
    kv_heads: int = 0
    context: int = 0
    weights: Weights | None = None
    kept: Sequence[Kept] = ()
    kv_precision: str = ""
    state_precision: str = ""
    latent: bool = False
    unreckoned: Sequence[str] = ()
    networks: Sequence[Network] = ()

    def of_checkpoint(self, *, drafts: bool) -> ModelConfig:
        """Return what the config says of a checkpoint, which may have been saved without the layers that draft."""
        weights = self.weights
        if drafts or weights is None or not weights.draft_size:
            return self
        return replace(
            self,
            weights=replace(
                weights, size=weights.size - weights.draft_size, draft_size=Fraction(0)
            ),
        )


def read_config(
    config: Mapping[str, Any],
    path: str,
    overlay: Mapping[str, Any],
    notes: Notes,
    *,
    precision_given: bool = False,
    size_given: bool = False,
) -> ModelConfig | None:
    """Return what a config says, None where its model class is not known, which is noted.

    overlay: fields of the language model that the user gives by hand. precision_given, size_given: whether the precision of the
    weights or their size is known from elsewhere, so that a quantisation that cannot be read is only a warning.
    """
    architecture, fields = read_architecture(config, path, overlay, notes)
    if architecture is None:
        notes.add(path, unknown_class(config, fields))
        return None
    whole = Fields(config, path, notes)
    precision = _precision(whole, fields, notes, given=precision_given)
    faults = Notes(notes.root)
    quantization = _quantization(whole, fields, faults)
    for problem in faults.found.values():
        severity = "warning" if precision_given or size_given else "error"
        notes.add(problem.path, problem.message, severity)
    kept = list(architecture.kept())
    heads = max([each.heads for each in kept], default=0)
    weights = None if architecture.unreckoned else _weights(architecture, precision, quantization)
    return ModelConfig(
        architecture.kind,
        precision,
        fields.layers,
        fields.whole("num_attention_heads", default=0, least=0) if heads or _is_latent(kept) else 0,
        heads,
        _context(fields),
        weights.of_unknown_size() if weights and faults.found else weights,
        kept,
        quantization.kv_precision if quantization else "",
        _state_precision(fields, precision),
        _is_latent(kept),
        architecture.unreckoned,
        _networks(architecture, quantization),
    )


def _networks(architecture: Architecture, quantization: Quantization | None) -> Sequence[Network]:
    """Return the networks of all layers, those that are alike once."""
    found: dict[Network, None] = {}
    for tensor in architecture.tensors():
        if tensor.name.startswith("layers.") and tensor.name.endswith(_LAST_OF_NETWORK):
            scheme = quantization.scheme(tensor) if quantization else None
            block = scheme.block_columns if scheme else WHOLE
            found[Network(tensor.columns, block or 1, _OF_EXPERTS in tensor.name)] = None
    return tuple(found)


def _is_latent(kept: Sequence[Kept]) -> bool:
    return any(each.numbers and not each.heads for each in kept)


def _precision(whole: Fields, fields: Fields, notes: Notes, *, given: bool) -> str:
    for part in (fields, whole):
        for name in ("dtype", "torch_dtype"):
            if not part.has(name):
                continue
            value = part.text(name).removeprefix("torch.")
            if value in _DTYPES:
                return _DTYPES[value]
            text = f"{show(part.raw(name))} is not one of {', '.join(_DTYPES)}; give {notes.root}.precision"
            notes.add(f"{part.path}.{name}", text, "warning" if given else "error")
            return "bf16"
    text = f"missing: bf16 is taken for what is not quantised, as most engines do; give {notes.root}.precision otherwise"
    if not given:
        notes.add(f"{fields.path}.dtype", text, "warning")
    return "bf16"


def _state_precision(fields: Fields, precision: str) -> str:
    for name in ("mamba_ssm_cache_dtype", "mamba_ssm_dtype"):
        value = fields.text(name)
        if value in _DTYPES:
            return _DTYPES[value]
        if value not in ("", "auto"):
            fields.fault(name, f"{show(value)} is not one of auto, {', '.join(_DTYPES)}")
    return precision


def _quantization(whole: Fields, fields: Fields, notes: Notes) -> Quantization | None:
    """Return how weights are packed, None where they are not, or where that is unknown, which is noted."""
    for part in (whole, fields):
        for name in ("quantization_config", "quantization"):
            if part.has(name):
                found = Fields({name: part.raw(name)}, part.path, notes).part(name)
                return read_quantization(found) if found else None
    return None


def _context(fields: Fields) -> int:
    """Return the tokens of the longest request. YaRN multiplies those that the model was trained with.

    Source: vllm-project/vllm `config/model.py`, the length that is derived where none is given.
    """
    most = fields.whole("max_position_embeddings", default=0, least=0)
    scaling = fields.part("rope_scaling") or fields.part("rope_parameters")
    kind = (scaling.raw("rope_type") or scaling.raw("type")) if scaling else None
    if scaling is None or kind != "yarn" or not scaling.has("original_max_position_embeddings"):
        return most
    factor = scaling.number("factor")
    return int(scaling.whole("original_max_position_embeddings") * factor)


def _weights(
    architecture: Architecture, precision: str, quantization: Quantization | None
) -> Weights:
    main = _sum(list(architecture.tensors()), precision, quantization)
    draft = _sum(list(architecture.tensors(draft=True)), precision, quantization)
    parameters = main[0] + draft[0]
    how = f"{quantization.name}, the rest {precision}" if quantization else precision
    basis = f"{parameters} parameters of {architecture.kind}: {how}"
    return Weights(main[1] + draft[1], parameters, basis, draft[1])


def _sum(
    tensors: Sequence[Tensor], precision: str, quantization: Quantization | None
) -> tuple[int, Fraction]:
    """Return how many numbers tensors have, and their bytes."""
    numbers, size = 0, Fraction(0)
    for tensor in tensors:
        scheme = quantization.scheme(tensor) if quantization else None
        numbers += tensor.numbers
        size += scheme.bytes_of(tensor) if scheme else tensor.numbers * PRECISIONS[precision]
    return numbers, size
