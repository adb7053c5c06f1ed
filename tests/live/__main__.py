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
from ..tools import debian, tree
from . import background, build, host, needs, outside
from .place import STARTED, Place
from .tally import Tally
from .turn import SECONDS, Turn

NAME = "live"
#: Seconds that the last scenario may take beyond the time of all.
_LAST_SCENARIO = 240.0


def _say(text: str) -> None:
    print(text, flush=True)


def run(words: Sequence[str]) -> int:
    """Build what is missing, start, run the scenarios, end, look at the machine; the last line counts."""
    parser = argparse.ArgumentParser(prog="make live", description=run.__doc__)
    parser.add_argument("--keep", action="store_true", help="let it run afterwards")
    arguments, for_pytest = parser.parse_known_args(words)
    turn = Turn.of_environment()
    tally = Tally()
    if why := needs.lacking() or _build(turn) or needs.lacking_for_pods() or _time(turn):
        tally.skipped += 1
        _say(f"not run: {why}")
    else:
        _scenarios(Place.named(NAME), tally, for_pytest, keep=arguments.keep)
    _say(str(tally))
    return 1 if tally.failed else 0


def _build(turn: Turn | None) -> str:
    """Build what is missing, or wait for who builds it, and return what is not there; empty when all is."""
    if turn is not None:
        absent = turn.await_built(build.missing)
        return f"not built yet: {', '.join(absent)} (see {background.LOG})" if absent else ""
    try:
        build.build(_say)
    except debian.NotToBeHad as error:
        return str(error)
    return ""


def _time(turn: Turn | None) -> str:
    """Say that there is too little time; else tell the scenarios how much there is."""
    if turn is None:
        return ""
    os.environ[SECONDS] = str(turn.seconds)
    return "" if turn.seconds else "make test has taken its time already"


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
        tally.read(lambda report: outside.enter(place, _pytest(report, for_pytest), _within()))
    except LabError as error:
        tally.fail("start", str(error))
    finally:
        if keep:
            _say("it runs on: python -m tests.live shell    end it: python -m tests.live down")
        else:
            tally.demand("test_nothing_of_the_machine_is_changed", _ended(place, before, spaces))


def _within() -> float | None:
    """Seconds after which pytest hangs: each scenario has deadlines of its own, and none begins when their time is over."""
    seconds = os.environ.get(SECONDS)
    return float(seconds) + _LAST_SCENARIO if seconds else None


def _ended(place: Place, before: host.Seen, spaces: dict[str, str]) -> list[str]:
    """End everything, and return what is left of it."""
    try:
        outside.end(place)
    except TimeoutError as error:
        return [str(error), *_left(before, spaces)]
    return _left(before, spaces)


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
