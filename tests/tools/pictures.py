# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Take the README's picture of the report page anew: `make demo`, then `python -m tests.tools.pictures`. Needs Chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys

from ..demo.play import PAGE
from .tree import CHECKOUT

PICTURE = CHECKOUT / "docs" / "pictures" / "report.png"
#: In points of the page: the overview, and a service of each kind.
WIDTH, HEIGHT = 1180, 890


def main() -> int:
    """Take it; return the exit code."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if browser is None or not PAGE.is_file():
        lacking = "Chromium is not installed" if browser is None else "run `make demo` first"
        print(f"pictures: {lacking}", file=sys.stderr)
        return 1
    command = [
        *(browser, "--headless", "--no-sandbox", "--hide-scrollbars"),
        *(f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={PICTURE}", PAGE.as_uri()),
    ]
    subprocess.run(command, check=True, capture_output=True)
    print(PICTURE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
