# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the named make targets in order, all of them, and say which passed: `python -m tests.tools.suite lint unit`.

Failed tests of any target are named once more at the end, where a reader of a long log looks first.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from ..live import background
from . import failures
from .steps import Step, run_steps

_TOLD = 10


def main() -> int:
    """Run them and return the exit code."""
    make = os.environ.get("MAKE", "make")
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "failures"
        with background.built_beside(wanted="live" in sys.argv[1:]) as beside:
            env = {failures.VARIABLE: str(kept), **beside}
            code = run_steps("suite", [Step(name, [make, name], env=env) for name in sys.argv[1:]])
        for line in failures.read(kept)[:_TOLD]:
            print(f"failed: {line}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
