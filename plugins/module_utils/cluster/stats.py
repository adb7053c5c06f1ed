# SPDX-License-Identifier: GPL-3.0-or-later
"""How many requests a run has sent: what is promised to users as `stats`, counted as a proxy would count."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from .call import Account


@dataclass(slots=True)
class Stats:
    """Counters of one connection; safe to use from several threads.

    requests: all that were sent, repeats included: reads + writes + lease_requests.
    reads: also watches, access reviews and dry runs: what changes nothing.
    retries: how many of the requests were repeats.
    """

    requests: int = 0
    reads: int = 0
    writes: int = 0
    lease_requests: int = 0
    retries: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def count(self, account: Account, *, repeat: bool) -> None:
        """Count one request that is about to be sent."""
        with self._lock:
            self.requests += 1
            self.retries += repeat
            if account == "read":
                self.reads += 1
            elif account == "write":
                self.writes += 1
            else:
                self.lease_requests += 1
