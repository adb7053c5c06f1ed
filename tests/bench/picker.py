# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""epp-check: what it takes inside the task to check one picker configuration for one release, from its text to its findings.

Checked are all recorded configurations, each for every release: small and large ones, accepted and refused ones.
"""

from __future__ import annotations

import statistics
import time

from module_utils.endpoint_picker.check import check_text
from module_utils.endpoint_picker.releases import releases

from .plane import BUILD, Bench, entry
from .runs import Json

RUNS = 3
INPUTS = BUILD.parent / "tests" / "parity" / "recordings" / "endpoint_picker" / "inputs"


def checking(_bench: Bench) -> list[Json]:
    """Return epp-check: seconds for one check: a usual one, in the mean of all, and the slowest of a hundred."""
    sources = [path.read_bytes() for path in sorted(INPUTS.iterdir())]
    usual, means, slow = [], [], []
    for dummy in range(RUNS):
        seconds = []
        for release in releases().values():
            for source in sources:
                began = time.perf_counter()
                check_text(source, release, experimental=True)
                seconds.append(time.perf_counter() - began)
        usual.append(statistics.median(seconds))
        means.append(statistics.fmean(seconds))
        slow.append(statistics.quantiles(seconds, n=100)[-1])
    ours = {
        "runs": RUNS,
        "checks": len(sources) * len(releases()),
        "check_s": round(statistics.median(usual), 6),
        "check_mean_s": round(statistics.median(means), 6),
        "check_p99_s": round(statistics.median(slow), 6),
    }
    return [entry("epp-check", 1, {"ours": ours})]
