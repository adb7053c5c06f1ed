# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases by their seeds: each third is a whole service, the others are single objects."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

from tests.lab.client import Client

from .bases import bases
from .judge import Case, judged
from .services import judged_service
from .spoil import Spoiler

#: Requests at once; each waits for the server most of the time.
THREADS = 4
_SERVICES = 3


def cases(client: Client, namespace: str, seeds: Sequence[int]) -> Iterator[Case]:
    """Yield the cases of seeds. Of services those that are refused before they have objects are left out."""
    with ThreadPoolExecutor(THREADS) as pool:
        for case in pool.map(lambda seed: _case(client, namespace, seed), seeds):
            if case is not None:
                yield case


def _case(client: Client, namespace: str, seed: int) -> Case | None:
    try:
        return _judged(client, namespace, seed)
    except Exception:  # noqa: BLE001  # whatever it is, it is a fault of ours
        told = traceback.format_exc(limit=-2)
        return Case(seed, {}, "", f"ours ended in {told}")


def _judged(client: Client, namespace: str, seed: int) -> Case | None:
    if seed % _SERVICES == 0:
        return judged_service(client, namespace, seed)
    chance = Random(seed)
    manifest = Spoiler(chance).spoilt(chance.choice(bases()))
    return judged(client, namespace, seed, manifest)
