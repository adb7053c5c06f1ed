# SPDX-License-Identifier: GPL-3.0-or-later
"""The configurations that a ModelService embeds are the operator's, byte by byte."""

from __future__ import annotations

import hashlib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from module_utils.endpoint_picker.build import (
    as_text,
    config_hash,
    default_config,
    disaggregated_config,
    picker_config,
)
from module_utils.endpoint_picker.text.decode import decode

#: What only one of the two YAMLs takes for text.
WORDS = (
    "y",
    "n",
    "Y",
    "1e3",
    "1E-3",
    "0o17",
    "0b1",
    "1_000",
    "12:30",
    "2026-01-02",
    "~",
    ".5e1",
    "on",
)

EMBEDDED = [
    (
        False,
        "default-plugins.yaml",
        367,
        "9051e075b8854abaf24a51848440af42b4da7ab7f9b3387bf42ee0556ad3ed59",
        "3aee930c4fc2cf8c749623ba30a077bd93d5cca0c6513c87a5fe3427b089f2f1",
    ),
    (
        True,
        "pd-config.yaml",
        905,
        "9369149aeb30bf412873a8256da2bd365a09eeeb32437f9f060a4b472c4e6a9e",
        "da2206ceec8c17d0eef3714ea7387e412c7b565661113eef5c0d0fd2b083eb23",
    ),
]


@pytest.mark.parametrize(("disaggregated", "key", "length", "text", "config"), EMBEDDED)
def test_embedded_configuration_is_the_operators(
    disaggregated: bool, key: str, length: int, text: str, config: str
) -> None:
    embedded = picker_config(disaggregated)
    assert embedded.key == key
    assert len(embedded.text) == length
    assert hashlib.sha256(embedded.text.encode()).hexdigest() == text
    assert embedded.hash == config


def test_text_holds_the_structure() -> None:
    for document in (default_config(), disaggregated_config()):
        assert yaml.safe_load(as_text(document)) == document


def test_profiles_refer_to_plugins_that_are_there() -> None:
    for document in (default_config(), disaggregated_config()):
        plugins = {plugin["type"] for plugin in document["plugins"]}
        for profile in document["schedulingProfiles"]:
            assert {entry["pluginRef"] for entry in profile["plugins"]} <= plugins


def test_hash_depends_on_names_and_texts_but_not_on_their_order() -> None:
    assert config_hash({"a": "1", "b": "2"}) == config_hash({"b": "2", "a": "1"})
    assert len({config_hash({"a": "1"}), config_hash({"a": "2"}), config_hash({"b": "1"})}) == 3


@given(st.dictionaries(st.text(), st.one_of(st.text(), st.sampled_from(WORDS)), max_size=4))
def test_the_picker_reads_back_what_is_written(parameters: dict[str, str]) -> None:
    """Text stays text, also where YAML for Go has another meaning for it than PyYAML."""
    assert decode(as_text({"parameters": parameters})).value == {"parameters": parameters}
