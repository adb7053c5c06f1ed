# SPDX-License-Identifier: GPL-3.0-or-later
"""Text that is no JSON is told as Go's encoding/json tells it: the table was made with it."""

from __future__ import annotations

import json

import pytest

from module_utils.kube.go_json_error import go_json_error

TOLD = {
    '["a "c"]': "invalid character 'c' after array element",
    '{"a": "b" "c": 1}': "invalid character '\"' after object key:value pair",
    '{"a": ["b"], c}': "invalid character 'c' looking for beginning of object key string",
    '{"a" 1}': "invalid character '1' after object key",
    '{"a": x}': "invalid character 'x' looking for beginning of value",
    '{"a": "b\nc"}': "invalid character '\\n' in string literal",
    '{"a": "b\\c"}': "invalid character 'c' in string escape code",
    '{"a": trie}': "invalid character 'i' in literal true (expecting 'u')",
    '{"a": nul': "invalid character ' ' in literal null (expecting 'l')",
    '{"a": -x}': "invalid character 'x' in numeric literal",
    '{"a": "b"}}': "invalid character '}' after top-level value",
    '{"a": "b': "unexpected end of JSON input",
    '{"a": "b\\': "invalid character ' ' in string escape code",
    "": "unexpected end of JSON input",
    "it's": "invalid character 'i' looking for beginning of value",
}


@pytest.mark.parametrize("text", TOLD)
def test_what_is_no_json_is_told_as_go_tells_it(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(text)
    assert go_json_error(caught.value) == TOLD[text]
