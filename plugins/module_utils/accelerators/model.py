# SPDX-License-Identifier: GPL-3.0-or-later
"""A model to be sized: what a user says of it by hand, what its `config.json` says, and where the two contradict each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..kube.manifest import value_at
from ..kube.problem import Problem
from ..kube.schema_faults import show
from .model_config.block import Kept
from .model_config.fields import Notes
from .model_config.index import Index, read_index
from .model_config.read import ModelConfig, Network, Weights, read_config
from .precision import OTHER_NAMES, PRECISIONS, in_bytes

_COUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMBT]?)", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
#: Fewer parameters than any language model has.
_FEWEST = 10**4
#: Whole numbers of the option `model`, with the field of a config that each takes precedence over.
_WHOLE: Mapping[str, str] = {
    "layers": "num_hidden_layers",
    "attention_heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "hidden_size": "hidden_size",
    "kv_lora_rank": "kv_lora_rank",
    "rope_head_dim": "qk_rope_head_dim",
    "context": "",
}
#: How far two figures of the same weights may be apart before it is reported; rounded names such as 70B are within it.
_APART = Fraction(3, 100)


@dataclass(frozen=True, slots=True)
class Model:
    """What sizing needs to know of a model; 0 where it is not known.

    kv_lora_rank, rope_head_dim: of models with latent attention (MLA), whose cache is neither doubled nor split.
    weights, kept: what a config says of them, each layer's part of the cache; None where there is no config.
    state_precision: of states of constant size. networks: feed-forward networks, none where there is no config.
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
    weights: Weights | None = None
    kept: Sequence[Kept] | None = None
    state_precision: str = "bf16"
    networks: Sequence[Network] = ()

    @property
    def all_weights(self) -> Weights:
        """The weights, of the numbers given by hand where there is no config."""
        if self.weights:
            return self.weights
        size = self.parameters * PRECISIONS[self.precision]
        basis = f"{self.parameters} parameters × {in_bytes(self.precision)}"
        return Weights(size, self.parameters, basis)

    @property
    def all_kept(self) -> Sequence[Kept]:
        """What each layer keeps, by the numbers given by hand where there is no config."""
        if self.kept is not None:
            return self.kept
        if self.kv_lora_rank:
            basis = f"({self.kv_lora_rank} + {self.rope_head_dim})"
            return [Kept(self.kv_lora_rank + self.rope_head_dim, basis=basis)] * self.layers
        heads = self.kv_heads or self.attention_heads
        size = self.head_dim or self.hidden_size // (self.attention_heads or 1)
        if not heads or not size:
            return []
        return [Kept(2 * heads * size, heads, basis=f"{heads} KV heads × 2 × {size}")] * self.layers


def read_model(
    given: Mapping[str, Any],
    path: str,
    config: Mapping[str, Any] | None = None,
    index: Mapping[str, Any] | None = None,
    *,
    broken: bool = False,
) -> tuple[Model | None, list[Problem]]:
    """Return the model that a user describes, None where it cannot be sized, and every problem found.

    config, index: content of `config.json` and `model.safetensors.index.json`. What is given by hand takes precedence over both.
    broken: a config is given that cannot be read, so that nothing else need be missing.
    """
    facts, problems = _by_hand(given, path)
    if config is None and index is None and given.get("parameters") is None and not broken:
        text = "missing: give parameters such as 8.03B, or the model's config.json as config"
        problems.append(Problem(f"{path}.parameters", text, rule="model"))
    notes = Notes(path)
    found_index = read_index(index, f"{path}.index", notes) if index is not None else None
    if config is None:
        problems += notes.found.values()
        return _checked(_without_config(facts, found_index), problems)
    overlay = {field: facts[name] for name, field in _WHOLE.items() if field and name in facts}
    found = read_config(
        config,
        f"{path}.config",
        overlay,
        notes,
        precision_given="precision" in facts,
        size_given=found_index is not None,
    )
    problems += _explained(notes, facts, found_index, path)
    if found is None:
        return _checked(_without_config(facts, found_index), problems)
    if found_index:
        found = found.of_checkpoint(drafts=found_index.has_drafts(found.layers))
    problems += _contradictions(config, facts, found, path)
    problems += _weights_problems(found, facts, found_index, path)
    return _checked(_with_config(facts, found, found_index), problems)


def _checked(model: Model | None, problems: list[Problem]) -> tuple[Model | None, list[Problem]]:
    """Return a model only where no problem is an error."""
    failed = any(problem.severity == "error" for problem in problems)
    return (None if failed else model), problems


def _by_hand(given: Mapping[str, Any], path: str) -> tuple[dict[str, Any], list[Problem]]:
    """Return what a user gives by hand, and what is wrong with it."""
    problems = []
    facts: dict[str, Any] = {}
    if given.get("parameters") is not None:
        try:
            facts["parameters"] = _count(given["parameters"])
        except ValueError as error:
            problems.append(Problem(f"{path}.parameters", str(error), rule="model"))
    for name in ("precision", "kv_precision"):
        value = given.get(name)
        if value in PRECISIONS:
            facts[name] = value
        elif value is not None:
            meant = OTHER_NAMES.get(str(value).casefold())
            hint = f"; write {meant}" if meant else ""
            text = f"{show(value)} is not one of {', '.join(PRECISIONS)}{hint}"
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
    heads, kv_heads = facts.get("attention_heads", 0), facts.get("kv_heads", 1)
    if heads % kv_heads:
        text = f"{kv_heads} does not divide the {heads} attention heads, which engines refuse"
        problems.append(Problem(f"{path}.kv_heads", text, rule="model"))
    return facts, problems


def _count(value: Any) -> int:
    """Return a number of parameters, given as number or as `8.03B`."""
    match = None if isinstance(value, bool) else _COUNT.fullmatch(str(value).strip())
    if match is None or float(match[1]) == 0:
        raise ValueError(f"{show(value)} is not a number of parameters such as 8.03B")
    count = int(Fraction(match[1]) * _UNITS[match[2].upper()])
    if count < _FEWEST:
        raise ValueError(f"{show(value)} means {count} parameters; write {match[1]}B for billions")
    return count


def _indexed(index: Index) -> Weights:
    basis = f"total_size of the index, {index.total_size} bytes"
    return Weights(Fraction(index.total_size), 0, basis)


def _without_config(facts: Mapping[str, Any], index: Index | None) -> Model:
    """Return a model of what is given by hand, and of the index's size where no parameters are given."""
    model = Model(**{"parameters": 0, **facts})
    return model if "parameters" in facts or not index else replace(model, weights=_indexed(index))


def _with_config(facts: Mapping[str, Any], found: ModelConfig, index: Index | None) -> Model:
    weights = _weights(facts, found, index)
    return Model(
        weights.parameters,
        facts.get("precision", found.precision),
        facts.get("kv_precision") or found.kv_precision or _cache_precision(found.precision),
        found.layers,
        found.attention_heads,
        0 if found.latent else found.kv_heads,
        kv_lora_rank=int(found.latent),
        context=facts.get("context", found.context),
        weights=weights,
        kept=found.kept,
        state_precision=found.state_precision,
        networks=found.networks,
    )


def _cache_precision(precision: str) -> str:
    """Return the precision of a cache that is of the model's: engines have none of 4 bytes by themselves."""
    return precision if precision in ("bf16", "fp16") else "bf16"


def _weights(facts: Mapping[str, Any], found: ModelConfig, index: Index | None) -> Weights:
    """Return the weights: by hand, else as the index says, else as the config's tensors add up."""
    counted = found.weights or Weights(Fraction(0), 0, "")
    if "precision" in facts or ("parameters" in facts and not counted.parameters):
        parameters = facts.get("parameters", counted.parameters)
        precision = facts.get("precision", found.precision)
        size = parameters * PRECISIONS[precision]
        draft = size * _share(counted)
        return Weights(size, parameters, f"{parameters} parameters × {in_bytes(precision)}", draft)
    if "parameters" in facts:
        parameters = facts["parameters"]
        size = counted.size * parameters / counted.parameters
        each = float(counted.size / counted.parameters)
        basis = f"{parameters} parameters × {each:.3g} bytes, as in the config"
        return Weights(size, parameters, basis, size * _share(counted))
    if index:
        return replace(
            _indexed(index), parameters=counted.parameters, draft_size=counted.draft_size
        )
    return counted


def _share(counted: Weights) -> Fraction:
    return counted.draft_size / counted.size if counted.size else Fraction(0)


def _explained(
    notes: Notes, facts: Mapping[str, Any], index: Index | None, path: str
) -> Iterator[Problem]:
    """Yield what was noted. An unknown model class is no error where everything that sizing needs is given by hand."""
    enough = ("parameters" in facts or index) and {"layers", "kv_heads", "head_dim"} <= {*facts}
    for problem in notes.found.values():
        if problem.path != f"{path}.config":
            yield problem
        elif enough and problem.message.startswith("model_type"):
            text = (
                f"{problem.message}; its layers are taken as given by hand, all with full attention"
            )
            yield Problem(problem.path, text, "warning", rule=problem.rule)
        elif problem.message.startswith("model_type"):
            text = f"{problem.message}; give {path}.parameters (or an index), layers, kv_heads and head_dim in its place"
            yield Problem(problem.path, text, rule=problem.rule)
        else:
            yield problem


def _contradictions(
    config: Mapping[str, Any], facts: Mapping[str, Any], found: ModelConfig, path: str
) -> Iterator[Problem]:
    """Yield where the config says something else than the user, whose word holds."""
    part = config.get("text_config")
    fields = part if isinstance(part, Mapping) else config
    said = {name: fields.get(field) for name, field in _WHOLE.items() if field}
    said["precision"] = found.precision
    said["kv_precision"] = found.kv_precision or None
    for name, value in said.items():
        if name in facts and value is not None and value != facts[name]:
            text = f"{show(facts[name])} is given, but the config says {show(value)}; the given value counts"
            yield Problem(f"{path}.{name}", text, "warning", rule="model-contradiction")
    method = value_at({**config}, ("quantization_config", "quant_method"))
    if method and PRECISIONS[facts.get("precision", "int4")] >= PRECISIONS["bf16"]:
        text = f"{show(facts['precision'])} is given, but the config says that the weights are quantised ({method}); the given value counts"
        yield Problem(f"{path}.precision", text, "warning", rule="model-contradiction")
    if found.context and facts.get("context", 0) > found.context:
        text = f"{facts['context']} is more than the {found.context} tokens that the config allows; engines refuse it"
        yield Problem(f"{path}.context", text, "warning", rule="model-contradiction")


def _weights_problems(
    found: ModelConfig, facts: Mapping[str, Any], index: Index | None, path: str
) -> Iterator[Problem]:
    """Yield where weights are not known, or two sources of them are apart."""
    counted = found.weights
    if counted is None and not index and "parameters" not in facts:
        for place in found.unreckoned:
            text = "the tensors of this part are not known here; give the index, or parameters"
            yield Problem(place, text, rule="model-config")
    if counted is None:
        return
    if "parameters" in facts and _apart(facts["parameters"], counted.parameters):
        text = f"{facts['parameters']} is given, but the config's tensors have {counted.parameters}; the given value counts"
        yield Problem(f"{path}.parameters", text, "warning", rule="model-contradiction")
    if index and counted.size and _apart(index.total_size, counted.size):
        text = f"{index.total_size} bytes, and the config's tensors have {int(counted.size)}; is it the index of this model?"
        yield Problem(f"{path}.index", text, "warning", rule="model-contradiction")


def _apart(one: int, two: Fraction | int) -> bool:
    first, second = Fraction(one), Fraction(two)
    return abs(first - second) > _APART * max(first, second)
