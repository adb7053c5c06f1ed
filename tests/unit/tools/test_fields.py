# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of fields is the one that the schema gives."""

from __future__ import annotations

from tests.tools.fields import (
    CACHE_PAGE,
    GRAPH_PAGE,
    ISVC_PAGE,
    LLM_PAGE,
    PAGE,
    cache_page,
    graph_page,
    isvc_page,
    llm_page,
    page,
)


def test_page_of_fields_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.tools.fields"


def test_the_page_about_llm_inference_services_is_up_to_date() -> None:
    assert LLM_PAGE.read_text(encoding="utf-8") == llm_page(), "run: python -m tests.tools.fields"


def test_the_page_about_inference_services_is_up_to_date() -> None:
    assert ISVC_PAGE.read_text(encoding="utf-8") == isvc_page(), "run: python -m tests.tools.fields"


def test_the_page_about_inference_graphs_is_up_to_date() -> None:
    assert GRAPH_PAGE.read_text(encoding="utf-8") == graph_page(), (
        "run: python -m tests.tools.fields"
    )


def test_the_page_about_caches_of_models_is_up_to_date() -> None:
    assert CACHE_PAGE.read_text(encoding="utf-8") == cache_page(), (
        "run: python -m tests.tools.fields"
    )
