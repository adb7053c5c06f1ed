# SPDX-License-Identifier: GPL-3.0-or-later
"""Which release of the picker an image holds, as far as its name and its tag tell."""

from __future__ import annotations

import re

from .releases import Family, PickerRelease, releases

#: The last parts of repositories in which pickers are published.
_REPOSITORIES: dict[str, Family] = {
    "gateway-api-inference-extension/epp": "gaie",
    "llm-d/llm-d-inference-scheduler": "llmd",
    "llm-d/llm-d-router-endpoint-picker": "llmd",
}
_IMAGE = re.compile(
    r"(?:.*/)?(?P<name>[^/:@]+/[^/:@]+):v?(?P<version>[0-9]+\.[0-9]+)(?:\.[0-9]+)?(?:[-+].*)?(?:@.*)?"
)


def release_of_image(image: str) -> PickerRelease | None:
    """Return the release of the picker in an image, None where its name or its tag does not tell."""
    found = _IMAGE.fullmatch(image)
    family = _REPOSITORIES.get(found["name"]) if found else None
    return releases().get(f"{family}:{found['version']}") if found and family else None
