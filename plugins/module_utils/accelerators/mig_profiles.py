# SPDX-License-Identifier: GPL-3.0-or-later
"""Into which slices NVIDIA's products can be cut (MIG). What is not listed may have any.

Source: NVIDIA Multi-Instance GPU User Guide, Supported GPUs and Supported MIG Profiles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_LARGE = ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb")
_SMALL = ("1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb")
_H200 = ("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb")
#: Words that the name of a product has, and its profiles; the first row that fits is meant.
_PROFILES: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("a100", "80gb"): _LARGE,
    ("a100", "40gb"): _SMALL,
    ("a800", "80gb"): _LARGE,
    ("a800", "40gb"): _SMALL,
    ("a30",): ("1g.6gb", "2g.12gb", "4g.24gb"),
    ("h100", "80gb"): _LARGE,
    ("h800", "80gb"): _LARGE,
    ("h100", "pcie"): _LARGE,
    ("h200",): _H200,
    **dict.fromkeys(((name,) for name in ("l4", "l40", "l40s", "t4", "v100", "p100", "p4")), ()),
    **dict.fromkeys(((name,) for name in ("a2", "a10", "a10g", "a16", "a40")), ()),
}
_WORD_END = re.compile(r"[-_ ]")
#: A profile without what it has beside memory, such as `+me`.
_BARE = re.compile(r"[12347]g\.[0-9]+gb")


def profiles_of(product: str) -> Sequence[str] | None:
    """Return the profiles of a product, none where it cannot be cut, None where nobody knows."""
    words = {*_WORD_END.split(product.lower())}
    return next((each for names, each in _PROFILES.items() if words >= {*names}), None)


def profile_fault(profile: str, product: str) -> str:
    """Return why devices of a product have no slices of a profile, empty where they have, and where nobody knows."""
    known, bare = profiles_of(product), _BARE.match(profile)
    if known is None or bare is None or bare[0] in known:
        return ""
    if not known:
        return f"{product} cannot be cut into slices (MIG)"
    return f"{product} has no slices {profile}; it has {', '.join(known)}"
