# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages are made of templates; whatever a value says, it stays text."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import TemplateError

from ansible_collections.modelops.inference.plugins.lookup.html import page, words


@pytest.fixture
def template(tmp_path: Path) -> Path:
    (tmp_path / "part.j2").write_text("{% macro bold(text) %}<b>{{ text }}</b>{% endmacro %}")
    return tmp_path / "page.j2"


def test_values_are_escaped_also_in_macros_and_attributes(template: Path) -> None:
    template.write_text(
        "{% from 'part.j2' import bold %}{{ bold(said) }} <i title=\"{{ said ~ '!' }}\"></i>"
    )
    found = page(template, {"said": "<script>\"&'"})
    text = "&lt;script&gt;&#34;&amp;&#39;"
    assert found == f'<b>{text}</b> <i title="{text}!"></i>'


def test_queries_and_words(template: Path) -> None:
    template.write_text("{{ all | query('[?a].n') | join(',') }} {{ 'RouteAccepted' | words }}")
    assert page(template, {"all": [{"a": 1, "n": "x"}, {"n": "y"}]}) == "x Route accepted"
    assert words("Ready") == "Ready"
    assert words("HTTPRoutesReady") == "HTTP routes ready"
    assert words("") == ""


def test_name_that_is_not_given_is_an_error(template: Path) -> None:
    template.write_text("{{ missing }}")
    with pytest.raises(TemplateError, match="'missing' is undefined"):
        page(template, {})
