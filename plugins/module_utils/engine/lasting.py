# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that last: one back-off of an image pull may pass, so a fault is believed only after some time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from ..kube.fault import WorkloadFault

K = TypeVar("K", bound=Hashable)

#: How long a fault has to last before it ends a wait, in seconds.
FAULT_LASTS_S = 20.0
#: Other times: an autoscaler that will help says so within this one; what a route refers to may be on its way.
LASTS_S = {"Unschedulable": 30.0, "BackendNotFound": 60.0, "RefNotPermitted": 60.0}
#: Words that the kubelet uses in turn for one fault.
_SAME = {"ErrImagePull": "ImagePullBackOff"}


class LastingFaults(Generic[K]):
    """Remembers since when each object or service has had a fault, on the clock that it is asked with."""

    def __init__(self) -> None:
        self._since: dict[tuple[K, str], float] = {}
        self._faults: list[tuple[K, WorkloadFault]] = []

    def see(self, faults: Iterable[tuple[K, WorkloadFault]], now: float) -> None:
        """Take the faults that there are now, each with what has it; those that have passed are forgotten."""
        self._faults = list(faults)
        keys = [_key(*each) for each in self._faults]
        self._since = {key: self._since.get(key, now) for key in keys}

    def lasting(self, now: float) -> Iterator[tuple[K, WorkloadFault]]:
        """Yield the faults that have lasted long enough to be believed."""
        for each in self._faults:
            if now - self._since[_key(*each)] >= LASTS_S.get(each[1].reason, FAULT_LASTS_S):
                yield each


def _key(of: K, fault: WorkloadFault) -> tuple[K, str]:
    return of, _SAME.get(fault.reason, fault.reason)
