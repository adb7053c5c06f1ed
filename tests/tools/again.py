# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run tests against a control plane, and those that failed once more: `python -m tests.tools.again tests/cluster -n 2`.

Hundreds of tests share one control plane and two cores, and some disturb it on purpose. What fails there and passes by itself
is told by name, as `unsteady`, and is not counted as a failure. A few such tests are a matter of the machine; more than
`FEW` failures are not, and are not tried again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import failures

FEW = 3
_TESTS_FAILED = 1


def main() -> int:
    """Run them and return the exit code of the run that counts."""
    code, failed = _run(sys.argv[1:])
    if code == _TESTS_FAILED and 0 < len(failed) <= FEW:
        print(f"again: {len(failed)} failed; they run once more, by themselves", flush=True)
        code, still = _run([*sys.argv[1:], "--last-failed", "-n", "0"])
        if code == 0:
            print("\n".join(f"unsteady: {line}" for line in failed), flush=True)
        failed = still
    if code and (wanted := os.environ.get(failures.VARIABLE)):
        with Path(wanted).open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in failed)
    return code


def _run(arguments: Sequence[str]) -> tuple[int, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "failures"
        environment = {**os.environ, failures.VARIABLE: str(kept)}
        command = [sys.executable, "-m", "pytest", *arguments]
        code = subprocess.run(command, env=environment, check=False).returncode
        return code, failures.read(kept)


if __name__ == "__main__":
    sys.exit(main())
