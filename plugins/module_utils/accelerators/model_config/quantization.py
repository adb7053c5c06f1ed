# SPDX-License-Identifier: GPL-3.0-or-later
"""What `quantization_config` says: which tensors are packed how. A method or value that is not known is refused by name.

Source: quantizers of huggingface/transformers, vllm-project/vllm `model_executor/layers/quantization`, and the formats' own
descriptions (AutoAWQ, GPTQModel, compressed-tensors, TensorRT Model Optimizer, bitsandbytes, OCP microscaling).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from fractions import Fraction
from functools import lru_cache

from ...kube.schema_faults import show
from .block import Tensor
from .fields import Fields
from .scheme import WHOLE, Scheme

_HALF, _SINGLE = Fraction(2), Fraction(4)
_FP8 = Scheme("fp8", 8, WHOLE, WHOLE, _SINGLE)
_MXFP4 = Scheme("mxfp4", 4, 1, 32, Fraction(1))
_NVFP4 = Scheme("nvfp4", 4, 1, 16, Fraction(1), bytes_once=8)
#: Fields with the names of modules that stay as they are, one for each method.
_IGNORED = (
    "ignore",
    "modules_to_not_convert",
    "ignored_layers",
    "exclude_modules",
    "llm_int8_skip_modules",
)
#: The name of a class of modules other than linear layers.
_CLASS = re.compile(r"(?!Linear$)[A-Z][A-Za-z0-9]*", re.ASCII)
#: Segments of a module's place that say nothing about which layer it is.
_OUTER = ("model", "language_model", "text_model", "backbone")


@dataclass(frozen=True, slots=True)
class Quantization:
    """Rules in order: targets (empty: every linear layer) and how they are stored. ignored: places that stay as they are.

    whole_model: whether `lm_head` is packed like other linear layers; towers: whether theirs are, which checkpoints mostly leave alone.
    kv_precision: of the cache, empty where nothing is said.
    """

    name: str
    rules: Sequence[tuple[Sequence[str], Scheme]]
    ignored: Sequence[str] = ()
    whole_model: bool = False
    kv_precision: str = ""
    towers: bool = False

    def scheme(self, tensor: Tensor) -> Scheme | None:
        """Return how a tensor is stored, None for its own precision."""
        if not tensor.linear or (tensor.name == "lm_head" and not self.whole_model):
            return None
        if not (self.towers or tensor.name.startswith("layers.") or tensor.name == "lm_head"):
            return None
        if any(_matches(each, tensor.name) for each in self.ignored):
            return None
        for targets, scheme in self.rules:
            if not targets or any(
                each == "Linear" or _matches(each, tensor.name) for each in targets
            ):
                return scheme
        return None


def _matches(pattern: str, name: str) -> bool:
    """Tell whether a config's name of modules means a tensor."""
    expression = _expression(pattern)
    return bool(expression and (expression.match(name) or expression.match(f"model.{name}")))


@lru_cache(maxsize=4096)
def _expression(pattern: str) -> re.Pattern[str] | None:
    """Return a name of modules as a regular expression, which it may be (`re:`), or a glob, or some segments of a place."""
    if pattern.startswith("re:"):
        try:
            return re.compile(pattern[3:])
        except re.error:
            return None
    segments = pattern.strip(".").split(".")
    while len(segments) > 1 and segments[0] in _OUTER:
        segments.pop(0)
    plain = ".".join(segments)
    if "*" in plain:
        return re.compile(f"{translate(plain)}|{translate(f'{plain}.*')}")
    return re.compile(rf"(.*\.)?{re.escape(plain)}(\..*)?$")


def read_quantization(fields: Fields) -> Quantization | None:
    """Return what `quantization_config` says, None where it cannot be used; faults are noted."""
    method = fields.text("quant_method") or ("modelopt" if fields.has("quant_algo") else "")
    reader = _METHODS.get(method)
    if reader is None:
        known = ", ".join(_METHODS)
        text = f"{show(method or None)} is not a method that is known here ({known}); give the index, or {fields.notes.root}.precision"
        fields.fault("quant_method", text)
        return None
    return reader(fields)


def _ignored(fields: Fields) -> list[str]:
    """Return the names of modules that stay as they are."""
    return [each for name in _IGNORED for each in _modules(fields, name)]


def _modules(fields: Fields, name: str) -> list[str]:
    """Return a list of names of modules. A regular expression that is none is a fault."""
    found = [str(each) for each in fields.items(name)]
    for each in found:
        if _expression(each) is None:
            fields.fault(name, f"{show(each)} is not a regular expression")
        elif name == "targets" and _CLASS.fullmatch(each):
            text = f"{show(each)} is not known here; known are Linear, and places of modules"
            fields.fault(name, text)
    return found


def _fp8(fields: Fields) -> Quantization:
    """Return fp8 as DeepSeek has it: a scale of 4 bytes for each block, or for each matrix."""
    block = fields.items("weight_block_size")
    scheme = _FP8
    if block:
        if len(block) == 2 and all(isinstance(each, int) and each > 0 for each in block):
            scheme = Scheme("fp8", 8, block[0], block[1], _SINGLE)
        else:
            fields.fault("weight_block_size", f"{show(block)} is not two whole numbers")
    return Quantization(_named("fp8", scheme), [((), scheme)], _ignored(fields))


def _named(name: str, scheme: Scheme) -> str:
    block = f"{scheme.block_rows or 'all'} × {scheme.block_columns or 'all'}"
    return f"{name} with scales of {block}" if scheme.scale_bytes else name


def _row_fp8(fields: Fields) -> Quantization:
    scheme = Scheme("fp8", 8, 1, WHOLE, _SINGLE)
    return Quantization("fp8 with scales of rows", [((), scheme)], _ignored(fields))


def _mxfp4(fields: Fields) -> Quantization:
    """Return mxfp4 as gpt-oss has it: the experts, with a byte for 32 numbers."""
    return Quantization(_named("mxfp4", _MXFP4), [(("experts",), _MXFP4)], _ignored(fields))


def _group(fields: Fields) -> tuple[int, int]:
    """Return bits, and columns of a group (WHOLE for -1)."""
    bits = fields.whole("bits", "w_bit")
    size = fields.raw("group_size") if fields.has("group_size") else fields.raw("q_group_size")
    if size == -1:
        return bits, WHOLE
    return bits, fields.whole("group_size", "q_group_size")


def _awq(fields: Fields) -> Quantization:
    bits, group = _group(fields)
    zero = bits if fields.flag("zero_point", default=True) else 0
    scheme = Scheme("awq", bits, 1, group, _HALF, zero)
    name = f"int{bits} (AWQ) with scales and zero points of {group or 'all'}"
    return Quantization(name, [((), scheme)], _ignored(fields))


def _gptq(fields: Fields) -> Quantization:
    """Return GPTQ, which stores zero points even where they are all the same, and the group of each column."""
    bits, group = _group(fields)
    scheme = Scheme("gptq", bits, 1, group, _HALF, bits, column_bytes=4)
    name = f"int{bits} (GPTQ) with scales and zero points of {group or 'all'}"
    whole = fields.flag("lm_head")
    return Quantization(name, [((), scheme)], _ignored(fields), whole)


def _bitsandbytes(fields: Fields) -> Quantization:
    if fields.flag("load_in_8bit") or fields.flag("_load_in_8bit"):
        scheme = Scheme("int8", 8, 1, WHOLE, _SINGLE)
        return Quantization("int8 (bitsandbytes)", [((), scheme)], _ignored(fields), towers=True)
    if not (fields.flag("load_in_4bit") or fields.flag("_load_in_4bit")):
        fields.fault("load_in_4bit", "neither this nor load_in_8bit is true")
    twice = fields.flag("bnb_4bit_use_double_quant")
    scales = Fraction(1) + Fraction(4, 256) if twice else _SINGLE
    scheme = Scheme("nf4", 4, 1, 64, scales)
    name = "4 bits (bitsandbytes)" + (" with scales of scales" if twice else "")
    return Quantization(name, [((), scheme)], _ignored(fields), towers=True)


def _compressed(fields: Fields) -> Quantization:
    """Return compressed-tensors: groups of targets, each with a format of its own."""
    rules = []
    groups = fields.part("config_groups")
    for name in groups.names() if groups else []:
        group = groups.part(name) if groups else None
        weights = group.part("weights") if group else None
        if group and weights:
            form = group.text("format") or fields.text("format")
            targets = _modules(group, "targets")
            rules.append((targets, _compressed_scheme(weights, form)))
    if not rules:
        fields.fault("config_groups", "missing: no group says how weights are stored")
    name = " and ".join(dict.fromkeys(scheme.name for dummy, scheme in rules))
    kv_precision = _cache_scheme(fields)
    return Quantization(f"{name} (compressed-tensors)", rules, _ignored(fields), True, kv_precision)


def _compressed_scheme(weights: Fields, form: str) -> Scheme:
    bits = weights.whole("num_bits")
    strategy = weights.text("strategy") or ("group" if weights.has("group_size") else "tensor")
    kind = weights.text("type") or "int"
    group = weights.whole("group_size") if strategy in ("group", "tensor_group") else WHOLE
    if kind == "float" and bits == 4:
        return _MXFP4 if "mxfp4" in form or group == 32 else _NVFP4
    name = f"{'fp' if kind == 'float' else 'int'}{bits}"
    zero = 0 if weights.flag("symmetric", default=True) else bits
    if strategy == "tensor":
        return Scheme(name, bits, WHOLE, WHOLE, _HALF, zero)
    if strategy == "block":
        block = weights.items("block_structure")
        if len(block) != 2 or not all(isinstance(each, int) and each > 0 for each in block):
            weights.fault("block_structure", f"{show(block)} is not two whole numbers")
            return Scheme(name, bits)
        return Scheme(name, bits, block[0], block[1], _HALF)
    if strategy not in ("channel", "group", "tensor_group"):
        weights.fault(
            "strategy",
            f"{show(strategy)} is not known here (tensor, channel, group, tensor_group, block)",
        )
    return Scheme(name, bits, 1, group, _HALF, zero)


def _cache_scheme(fields: Fields) -> str:
    """Return the precision of the cache that a config asks for, empty where it says nothing."""
    part = (
        None if isinstance(fields.raw("kv_cache_scheme"), str) else fields.part("kv_cache_scheme")
    )
    if part is not None:
        bits, kind = part.whole("num_bits"), part.text("type")
        if bits == 8:
            return "fp8" if kind == "float" else "int8"
        part.fault("num_bits", f"a KV cache of {bits} bits is not known here")
    said = fields.raw("kv_cache_quant_algo") or fields.raw("kv_cache_scheme") or ""
    algorithm = str(said).upper()
    if algorithm in ("", "NONE"):
        return ""
    if algorithm not in ("FP8", "INT8"):
        fields.fault("kv_cache_quant_algo", f"{show(algorithm)} is not known here (FP8, INT8)")
        return ""
    return algorithm.lower()


_ALGORITHMS: Mapping[str, Scheme] = {
    "FP8": _FP8,
    "FP8_PER_CHANNEL_PER_TOKEN": Scheme("fp8", 8, 1, WHOLE, _SINGLE),
    "FP8_PB_WO": Scheme("fp8", 8, 128, 128, _SINGLE),
    "NVFP4": _NVFP4,
    "W4A16_NVFP4": _NVFP4,
    "MXFP4": _MXFP4,
    "W4A16_AWQ": Scheme("int4", 4, 1, 128, _HALF),
    "INT8_SQ": Scheme("int8", 8, 1, WHOLE, _SINGLE),
}


def _modelopt(fields: Fields) -> Quantization:
    """Return NVIDIA's Model Optimizer, whose description is in the config or in `hf_quant_config.json`."""
    algorithm = fields.text("quant_algo").upper()
    mixed = algorithm == "MIXED_PRECISION"
    kv_precision = _cache_scheme(fields)
    if mixed:
        layers = fields.part("quantized_layers")
        rules = []
        for name in layers.names() if layers else []:
            each = layers.part(name) if layers else None
            if each:
                rules.append(((name,), _algorithm(each, each.text("quant_algo").upper())))
        if not rules:
            fields.fault("quantized_layers", "missing: no layer says how its weights are stored")
        return Quantization("mixed (Model Optimizer)", rules, (), True, kv_precision)
    scheme = _algorithm(fields, algorithm)
    name = f"{algorithm} (Model Optimizer)"
    return Quantization(name, [((), scheme)], _ignored(fields), True, kv_precision)


def _algorithm(fields: Fields, algorithm: str) -> Scheme:
    scheme = _ALGORITHMS.get(algorithm)
    if scheme is None:
        known = ", ".join(_ALGORITHMS)
        fields.fault(
            "quant_algo", f"{show(algorithm or None)} is not known here ({known}, MIXED_PRECISION)"
        )
        return _FP8
    return scheme


_METHODS: Mapping[str, Callable[[Fields], Quantization]] = {
    "fp8": _fp8,
    "fbgemm_fp8": _row_fp8,
    "mxfp4": _mxfp4,
    "awq": _awq,
    "gptq": _gptq,
    "compressed-tensors": _compressed,
    "modelopt": _modelopt,
    "modelopt_fp4": _modelopt,
    "bitsandbytes": _bitsandbytes,
}
