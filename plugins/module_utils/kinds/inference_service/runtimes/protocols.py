# SPDX-License-Identifier: GPL-3.0-or-later
"""The inference protocols in KServe's order. Source: KServe pkg/apis/serving/v1beta1/predictor_model.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Sequence

_RANKED = ("v1", "v2", "grpc-v1", "grpc-v2")


def best_rank(protocols: Sequence[str] | None) -> int:
    """Return the rank of the best of some protocols: the smaller, the better; one that nobody knows comes last."""
    return min(
        (_RANKED.index(each) if each in _RANKED else len(_RANKED) for each in protocols or ()),
        default=len(_RANKED),
    )
