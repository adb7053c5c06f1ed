# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities are read, and printed, exactly as Kubernetes does it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.modelops.inference.plugins.module_utils.kube.quantity import (
    Family,
    canonical_quantity,
    format_quantity,
    parse_quantity,
)

from .quantity_table import BEYOND_SUFFIXES, PRINTED, REFUSED

FAMILIES: tuple[Family, ...] = ("BinarySI", "DecimalSI", "DecimalExponent")

DIGITS = st.text("0123456789", min_size=1, max_size=15)
SUFFIXES = ["", "n", "u", "m", "k", "M", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-3", "e1"]
QUANTITIES = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "+", "-"]),
    DIGITS,
    st.just("") | st.just(".") | DIGITS.map(".{}".format),
    st.sampled_from(SUFFIXES),
)


@pytest.mark.parametrize(("text", "printed", "value"), PRINTED)
def test_prints_and_counts_as_kubernetes_does(text: str, printed: str, value: str) -> None:
    assert canonical_quantity(text) == printed
    assert parse_quantity(text) == Fraction(value)


@pytest.mark.parametrize("text", ["", *REFUSED])
def test_what_is_no_quantity_is_an_error_that_shows_it(text: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity: write a number"):
        parse_quantity(text)


@pytest.mark.parametrize("text", BEYOND_SUFFIXES)
def test_what_kubernetes_would_print_wrongly_is_an_error_with_the_way_out(text: str) -> None:
    with pytest.raises(ValueError, match=r"write it as -?\d+e21"):
        canonical_quantity(text)


@pytest.mark.parametrize(
    ("number", "printed"),
    [(4, "4"), (1000, "1k"), (32.5, "32500m"), (0.1, "100m"), (1e21, "1e+21"), (-2, "-2")],
)
def test_numbers_are_printed_as_their_json_would_be(number: float, printed: str) -> None:
    assert canonical_quantity(number) == printed


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**500, "9" * 101, "1e1000"])
def test_what_has_no_bounds_is_refused(number: str | float) -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        parse_quantity(number)


@pytest.mark.parametrize("value", [True, None, [], {}])
def test_other_types_are_an_error(value: object) -> None:
    with pytest.raises(TypeError, match="a quantity is text or a number"):
        parse_quantity(value)  # type: ignore[arg-type]


@given(QUANTITIES)
def test_the_printed_text_means_the_same_and_is_printed_alike(text: str) -> None:
    printed = canonical_quantity(text)
    assert parse_quantity(printed) == parse_quantity(text)
    assert canonical_quantity(printed) == printed


@given(st.integers(-(10**18), 10**18), st.integers(0, 9), st.sampled_from(FAMILIES))
def test_an_exact_number_survives_being_printed(number: int, places: int, family: Family) -> None:
    amount = Fraction(number, 10**places)
    assert parse_quantity(format_quantity(amount, family)) == amount


@given(st.integers(1, 10**9), st.sampled_from(["m", "", "k", "Ki", "Mi", "Gi"]))
def test_order_of_quantities_is_order_of_amounts(number: int, suffix: str) -> None:
    assert parse_quantity(f"{number}{suffix}") < parse_quantity(f"{number + 1}{suffix}")


def test_a_number_is_printed_in_the_family_that_is_asked_for() -> None:
    printed = [format_quantity(64 * 1024**3, family) for family in FAMILIES]
    assert printed == ["64Gi", "68719476736", "68719476736"]
    assert format_quantity(2**80, "BinarySI") == f"{2**20}Ei"
    assert format_quantity(10**9, "DecimalExponent") == "1e9"
