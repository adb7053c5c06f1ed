# SPDX-License-Identifier: GPL-3.0-or-later
"""From a config to the tensors of a model and what its layers keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from ...kube.schema_faults import show
from .block import Block, Kept, Tensor, other
from .families import FAMILIES, Family
from .fields import Fields, Notes
from .towers import TOWERS

#: What stands for a whole model in other formats, with what to give.
_OTHERS = {
    "_diffusers_version": "is a pipeline that makes pictures (diffusers), which has no KV cache",
    "_class_name": "is a part of a pipeline that makes pictures (diffusers), which has no KV cache",
    "peft_type": "is an adapter; give the config.json of its base model",
    "weight_map": "is the index of the weights; give it as index, and the config.json next to it as config",
    "n_layers": "looks like a params.json of the model's authors; give the config.json that Hugging Face has",
}
_DRAFTS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")
_TOWERS = ("vision_config", "audio_config", "vision_tower_config", "sound_config")


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer, by its number. draft: it proposes tokens for the others to check (MTP)."""

    number: int
    blocks: Sequence[Block]
    draft: bool = False

    def tensors(self, hidden: int) -> Iterator[Tensor]:
        """Yield its tensors, by their place in the model."""
        prefix = f"layers.{self.number}"
        for block in self.blocks:
            for each in block.tensors():
                yield Tensor(
                    f"{prefix}.{each.name}", each.rows, each.columns, each.count, each.linear
                )
        yield other(f"{prefix}.norms", 2 * hidden)


@dataclass(frozen=True, slots=True)
class Architecture:
    """What a model is made of. unreckoned: fields of parts whose tensors are not known here."""

    kind: str
    hidden: int
    layers: Sequence[Layer]
    others: Sequence[Tensor]
    unreckoned: Sequence[str] = field(default_factory=list)

    def tensors(self, *, draft: bool = False) -> Iterator[Tensor]:
        """Yield the tensors of the layers that draft, or of everything else."""
        if not draft:
            yield from self.others
        for layer in self.layers:
            if layer.draft == draft:
                yield from layer.tensors(self.hidden)

    def kept(self) -> Iterator[Kept]:
        """Yield what layers keep, without those that draft."""
        for layer in self.layers:
            for block in layer.blocks:
                found = None if layer.draft else block.kept()
                if found:
                    yield found


def read_architecture(
    config: Mapping[str, Any], path: str, overlay: Mapping[str, Any], notes: Notes
) -> tuple[Architecture | None, Fields]:
    """Return what a config describes, None where its class is not known, and the fields of the language model.

    overlay: fields of the language model that a user gives by hand. Faults go to notes.
    """
    whole = Fields(config, path, notes)
    part = _text(whole)
    kind = part.text("model_type") or whole.text("model_type")
    family = FAMILIES.get(kind)
    fields = part.overlaid(overlay, family.defaults if family else {})
    for name in family.refused if family else ():
        if fields.has(name):
            fields.fault(name, f"models of class {kind} with this field are not known here")
    return (_read(kind, family, fields, whole) if family else None), fields


def _text(whole: Fields) -> Fields:
    """Return the part that describes the language model."""
    for name in ("text_config", "llm_config", "language_config"):
        part = whole.part(name)
        if part:
            return part
    thinker = whole.part("thinker_config")
    return _text(thinker) if thinker else whole


def unknown_class(config: Mapping[str, Any], fields: Fields) -> str:
    """Return why a config cannot be read, and what to give in its place."""
    for name, text in _OTHERS.items():
        if name in config and "model_type" not in config:
            return f"has {name}, so it {text}"
    kind = fields.raw("model_type") or config.get("model_type")
    if kind is None:
        return (
            "has no model_type; is it the config.json of a language model, as Hugging Face has it?"
        )
    near = get_close_matches(str(kind), FAMILIES, 1, 0.85)
    hint = f" (near: {near[0]})" if near else ""
    return f"model_type: {show(kind)} is a model class that is not known here{hint}"


def _read(kind: str, family: Family, fields: Fields, whole: Fields) -> Architecture:
    hidden = fields.whole("hidden_size", "d_model")
    count = fields.layers
    layers = [Layer(number, _blocks(family, fields, number)) for number in range(count)]
    layers += _drafts(family, fields, layers)
    unreckoned = [] if family.counted else [fields.path]
    others = [*_embeddings(family, fields, whole, hidden), *_towers(whole, hidden, unreckoned)]
    return Architecture(kind, hidden, layers, others, unreckoned)


def _blocks(family: Family, fields: Fields, number: int) -> Sequence[Block]:
    return [*family.mixer(fields, number), *family.feed(fields, number)]


def _drafts(family: Family, fields: Fields, layers: Sequence[Layer]) -> Iterator[Layer]:
    """Yield the layers that draft, which are like the last one that has attention, with a matrix that joins two inputs."""
    count = fields.count(*_DRAFTS, default=family.drafts, least=0)
    if not count:
        return
    blocks = family.draft(fields) if family.draft else _last_attention(layers)
    hidden = fields.whole("hidden_size")
    copies = 2 * fields.whole("vocab_size") if family.draft_embeddings else 0
    for number in range(count):
        yield Layer(len(layers) + number, [*blocks, Joining(hidden, copies)], draft=True)


def _last_attention(layers: Sequence[Layer]) -> Sequence[Block]:
    found = (
        layer.blocks for layer in reversed(layers) if any(_attends(each) for each in layer.blocks)
    )
    return next(found, [])


def _attends(block: Block) -> bool:
    kept = block.kept()
    return bool(kept and kept.numbers)


@dataclass(frozen=True, slots=True)
class Joining:
    """The matrix of a layer that drafts, which joins the last state with the next token. rows: of embeddings that it has copies of."""

    hidden: int
    rows: int = 0

    def tensors(self) -> Iterator[Tensor]:
        """Yield the matrix, and copies of embeddings."""
        yield other("eh_proj", 2 * self.hidden**2)
        yield other("embed_tokens", self.rows * self.hidden)

    def kept(self) -> Kept | None:
        """Return nothing."""
        return None


def _embeddings(family: Family, fields: Fields, whole: Fields, hidden: int) -> Iterator[Tensor]:
    vocabulary = fields.whole("vocab_size")
    yield Tensor("embed_tokens", vocabulary, hidden, linear=False)
    yield other("norm", hidden)
    outer = whole.flag("tie_word_embeddings", default=family.tied)
    if not fields.flag("tie_word_embeddings", default=outer):
        yield Tensor("lm_head", vocabulary, hidden)
    small = fields.whole("hidden_size_per_layer_input", default=0, least=0)
    if small:
        layers = fields.layers
        rows = fields.whole("vocab_size_per_layer_input", default=vocabulary)
        yield Tensor("embed_tokens_per_layer", rows, layers * small, linear=False)
        yield Tensor("per_layer_model_projection", layers * small, hidden)


def _towers(whole: Fields, hidden: int, unreckoned: list[str]) -> Iterator[Tensor]:
    thinker = whole.part("thinker_config")
    if thinker:
        unreckoned.append(thinker.path)
    for name in _TOWERS:
        part = whole.part(name)
        if part is None:
            continue
        tower = TOWERS.get(whole.text("model_type")) if name == "vision_config" else None
        if tower is None:
            unreckoned.append(part.path)
        else:
            yield from tower(part, hidden)
