# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""service-checks: what it takes inside the task to check one new or changed service, lines without effect included.

Checked are recorded services of every kind with what was in their cluster, and the examples.
"""

from __future__ import annotations

import random
import statistics
import time
from typing import Any
from unittest.mock import patch

from module_utils.fleet.service import Service
from tests.mistakes.sources import all_sources

from .plane import Bench, entry
from .runs import Json

#: So many of the sources, drawn with the same seed in each run.
SERVICES, SEED = 120, 1


def checking(_bench: Bench) -> list[Json]:
    """Return service-checks: seconds of processor time for the checks of one service: a usual one, and the slowest of all."""
    sources = list(all_sources())
    random.Random(SEED).shuffle(sources)
    seconds: list[float] = []
    advice = Service.advice

    def timed(*given: Any, **named: Any) -> Any:
        began = time.process_time()
        told = advice(*given, **named)
        seconds.append(time.process_time() - began)
        return told

    with patch.object(Service, "advice", timed):
        for source in sources[:SERVICES]:
            source.result_of(source.document)
    ours = {
        "services": len(seconds),
        "check_s": round(statistics.median(seconds), 6),
        "check_max_s": round(max(seconds), 6),
    }
    return [entry("service-checks", 1, {"ours": ours})]
