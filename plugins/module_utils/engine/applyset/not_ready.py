# SPDX-License-Identifier: GPL-3.0-or-later
"""Which refusals pass by themselves: a webhook whose pod has just started, a kind that is served in a moment."""

from __future__ import annotations

from ...cluster.errors import ApiError, ClusterError, KindMissing

#: What the API server says of a webhook that it cannot reach. Source: recorded, parity/install.
_UNREACHABLE = ("failed calling webhook", "conversion webhook for")
#: A webhook that answers, and refuses, says so in other words.
_REFUSED = "denied the request"


def is_not_ready(error: ClusterError) -> bool:
    """Tell whether a request is worth repeating although the server has answered."""
    if isinstance(error, KindMissing):
        return True
    if not isinstance(error, ApiError) or _REFUSED in error.message:
        return False
    return error.status >= 500 and any(text in error.message for text in _UNREACHABLE)
