# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A language model of one layer that says nothing sensible: `python tiny_model.py FOLDER`, run with vLLM's packages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

_START, _END = "<s>", "</s>"


def _tokenizer() -> Any:
    """A tokenizer of bytes."""
    from tokenizers import (  # type: ignore[import-not-found]  # in a folder of its own
        Tokenizer,
        decoders,
        models,
        pre_tokenizers,
        trainers,
    )
    from transformers import PreTrainedTokenizerFast  # type: ignore[import-not-found]

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(special_tokens=[_START, _END], initial_alphabet=alphabet)
    made.train_from_iterator([], trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=made, bos_token=_START, eos_token=_END)
    fast.chat_template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    return fast


def main() -> None:
    """Write the model's files."""
    import torch  # type: ignore[import-not-found]
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer()
    tokenizer.save_pretrained(sys.argv[1])
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=256,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(sys.argv[1])
    for each in Path(sys.argv[1]).iterdir():
        # Who serves it is another user.
        each.chmod(0o644)


if __name__ == "__main__":
    main()
