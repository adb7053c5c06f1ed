# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The live lab's commands: `python -m tests.live run | build | down | shell`; `make live` is the first."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

from ..lab import build as lab_build
from ..lab.errors import LabError
from ..lab.process import is_alive
from ..tools import debian, tree
from . import background, build, host, needs, outside
from .place import STARTED, Place
from .tally import Tally

NAME = "live"


def _say(text: str) -> None:
    print(text, flush=True)


def run(words: Sequence[str]) -> int:
    """Build what is missing, start, run the scenarios, end, look at the machine; the last line counts."""
    parser = argparse.ArgumentParser(prog="make live", description=run.__doc__)
    parser.add_argument("--keep", action="store_true", help="let it run afterwards")
    arguments, for_pytest = parser.parse_known_args(words)
    tally = Tally()
    if why := needs.lacking() or _build():
        tally.skipped += 1
        _say(f"not run: {why}")
    else:
        _scenarios(Place.named(NAME), tally, for_pytest, keep=arguments.keep)
    _say(str(tally))
    return 1 if tally.failed else 0


def _build() -> str:
    """Build what is missing, or wait for who builds it, and return what is not there; empty when all is."""
    until = float(os.environ.get(background.VARIABLE, "0"))
    builder = int(os.environ.get(background.BUILDER_VARIABLE, "0"))
    try:
        if not until:
            build.build(_say)
        while (absent := build.missing()) and time.time() < until and is_alive(builder):
            time.sleep(1)
    except debian.NotToBeHad as error:
        return str(error)
    log = f" (see {background.LOG})" if until else ""
    return f"not built yet: {', '.join(absent)}{log}" if absent else ""


def _scenarios(place: Place, tally: Tally, for_pytest: Sequence[str], *, keep: bool) -> None:
    before = host.look()
    spaces: dict[str, str] = {}
    os.environ[STARTED] = str(time.time())
    try:
        began = time.monotonic()
        said = outside.start(place, keep=keep)
        spaces = host.namespaces(outside.first_process(place) or 0)
        _say(
            f"the node and the gateway are ready after {time.monotonic() - began:.0f} s (inside {said.seconds:.0f} s)"
        )
        tally.read(lambda report: outside.enter(place, _pytest(report, for_pytest)))
    except LabError as error:
        tally.fail("start", str(error))
    finally:
        if keep:
            _say("it runs on: python -m tests.live shell    end it: python -m tests.live down")
        else:
            outside.end(place)
            tally.demand("test_nothing_of_the_machine_is_changed", _left(before, spaces))


def _pytest(report: str, more: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "pytest", "tests/live", f"--junit-xml={report}", *more]


def _left(before: host.Seen, spaces: dict[str, str]) -> list[str]:
    return [
        *host.changes(before, host.look()),
        *(f"process {pid} still runs" for pid in (host.members(spaces) if spaces else ())),
    ]


def _shell() -> int:
    place = Place.named(NAME)
    search = os.pathsep.join((str(lab_build.program("kubectl").parent), os.environ["PATH"]))
    _say("kubectl talks to the live lab; leave with exit")
    words = [
        "env",
        f"KUBECONFIG={place.kubeconfig}",
        f"PATH={search}",
        os.environ.get("SHELL", "/bin/sh"),
    ]
    return outside.enter(place, words)


def main() -> int:
    """Run one command; an error is one plain message."""
    try:
        match sys.argv[1:]:
            case ["build"]:
                build.build(_say)
                return 0
            case ["down"]:
                outside.end(Place.named(NAME))
                return 0
            case ["shell"]:
                return _shell()
            case ["run", *words]:
                tree.sync()
                return run(words)
    except (LabError, debian.NotToBeHad) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
