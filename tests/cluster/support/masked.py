# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded manifests with the texts that the recording only names by their digest."""

from __future__ import annotations

import hashlib
import re
from typing import Any

_DIGEST = re.compile(r"<text sha256=([0-9a-f]{64})\s+bytes=\d+>")


def original(recorded: Any, ours: Any) -> Any:
    """Return what was recorded, each `<text sha256=…>` replaced by our text of that digest, from the same place."""
    if isinstance(recorded, dict):
        there = ours if isinstance(ours, dict) else {}
        return {key: original(value, there.get(key)) for key, value in recorded.items()}
    if isinstance(recorded, list):
        there = ours if isinstance(ours, list) else []
        return [
            original(value, there[number] if number < len(there) else None)
            for number, value in enumerate(recorded)
        ]
    if isinstance(recorded, str) and (found := _DIGEST.fullmatch(recorded)):
        digest = hashlib.sha256(str(ours).encode()).hexdigest()
        assert digest == found[1], "our text has another digest than the recorded one"
        return ours
    return recorded
