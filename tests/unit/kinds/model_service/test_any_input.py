# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever stands in a field, the answer is a service or a problem."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from module_utils.kinds.model_service.normalise import load
from module_utils.kinds.model_service.releases import NEWEST
from module_utils.kinds.model_service.schema import documentation

from .build import document, settings

FIELDS = [row.path.removeprefix("spec.") for row in documentation(NEWEST)]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["1Gi", "9090", "..", "/", "$(A)", "a" * 300, "*.a.b", "-1", "1e999"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["name", "value", "key", "limits", "cpu", "a/b", "", "."]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=5,
)


def put(target: dict[str, Any], path: str, value: Any) -> None:
    """Set a field, making what is above it; a path through a list makes a list of one."""
    step, dummy, rest = path.partition(".")
    name = step.removesuffix("[]")
    if not rest:
        target[name] = [value] if step.endswith("[]") else value
        return
    below = target.get(name)
    if step.endswith("[]"):
        below = below if isinstance(below, list) and below and isinstance(below[0], dict) else [{}]
        put(below[0], rest, value)
    else:
        below = below if isinstance(below, dict) else {}
        put(below, rest, value)
    target[name] = below


@given(
    st.lists(st.tuples(st.sampled_from(FIELDS), VALUES), max_size=6),
    st.sampled_from(["0.9.0-alpha.2", "1.0.1"]),
)
def test_every_value_in_every_field_is_answered(
    changes: list[tuple[str, Any]], release: str
) -> None:
    made = document()
    for path, value in changes:
        put(made["spec"], path, value)
    loaded = load(made, settings(release))
    failed = any(problem.severity == "error" for problem in loaded.problems)
    assert (loaded.service is None) is failed
    assert all(problem.path and problem.message and problem.rule for problem in loaded.problems)


@given(st.text(max_size=80), st.text(max_size=80))
def test_every_name_is_answered(name: str, namespace: str) -> None:
    loaded = load(document(name, namespace), settings())
    assert (loaded.service is None) is any(
        problem.severity == "error" for problem in loaded.problems
    )
