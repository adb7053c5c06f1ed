# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a field that an author wrote comes to nothing: a row of a kind's table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


def always(dummy: Any) -> bool:
    """Tell that a row fits whatever the service is."""
    return True


@dataclass(frozen=True, slots=True)
class Idle:
    """A row. path: a regular expression for the fields. why, fix: in words; `{release}` stands for the controller's release.

    where: tells by the intent's `basis` whether the row fits. fault: whether that is reported; not where somebody else says the same.
    """

    path: str
    why: str
    fix: str
    where: Callable[[Any], bool] = always
    fault: bool = True


def reason_for(path: str, rows: Sequence[Idle], basis: Any) -> Idle | None:
    """Return the first row that fits a field."""
    return next(
        (row for row in rows if re.fullmatch(row.path, path) and row.where(basis)),
        None,
    )
