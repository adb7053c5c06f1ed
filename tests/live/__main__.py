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
from .turn import UNTIL, Turn

NAME = "live"


def _say(text: str) -> None:
    print(text, flush=True)


def run(words: Sequence[str]) -> int:
    """Build what is missing, start, run the scenarios, end, look at the machine; the last line counts."""
    parser = argparse.ArgumentParser(prog="make live", description=run.__doc__)
    parser.add_argument("--keep", action="store_true", help="let it run afterwards")
    arguments, for_pytest = parser.parse_known_args(words)
    turn = Turn.of_environment()
    tally = Tally()
    if why := _lacking(turn):
        tally.leave_out(why)
    else:
        _scenarios(Place.named(NAME), tally, for_pytest, turn, keep=arguments.keep)
    _say(str(tally))
    return 1 if tally.failed else 0


def _lacking(turn: Turn | None) -> str:
    """Build what is missing, and say why nothing can be started; empty where it can."""
    if outside.is_running(Place.named(NAME)):
        return "a live lab runs already; end it: python -m tests.live down"
    if why := needs.lacking() or _build(turn) or needs.lacking_for_pods():
        return why
    too_late = turn is not None and not turn.is_worth_a_start
    return "make test has taken its time already" if too_late else ""


def _build(turn: Turn | None) -> str:
    """Build what is missing, or wait for who builds it, and return what is not there; empty when all is."""
    if turn is not None:
        absent = turn.await_built(build.missing)
        return _not_built(", ".join(absent), turn) if absent else ""
    try:
        build.build(_say)
    except debian.NotToBeHad as error:
        return str(error)
    return ""


def _not_built(absent: str, turn: Turn) -> str:
    """Say why something is not there: the build takes longer, or it has ended, with its last words."""
    if turn.is_building:
        return f"not built yet: {absent} (see {background.LOG})"
    return f"not built: {absent}; the build ended with: {background.last_words()}"


def _scenarios(
    place: Place, tally: Tally, for_pytest: Sequence[str], turn: Turn | None, *, keep: bool
) -> None:
    before = host.look()
    spaces: dict[str, str] = {}
    runs_on = False
    os.environ[STARTED] = str(time.time())
    try:
        if why := _start(place, keep=keep):
            _did_not_start(tally, turn, why)
        else:
            runs_on = keep
            spaces = host.namespaces(outside.first_process(place) or 0)
            _run_pytest(place, tally, for_pytest, turn)
    finally:
        if runs_on:
            _say("it runs on: python -m tests.live shell    end it: python -m tests.live down")
        else:
            tally.demand("test_nothing_of_the_machine_is_changed", _ended(place, before, spaces))


def _start(place: Place, *, keep: bool) -> str:
    """Start it, and say why it did not start; empty where it did."""
    began = time.monotonic()
    try:
        said = outside.start(place, keep=keep)
    except (LabError, OSError) as error:
        return f"it did not start: {error}"
    took = time.monotonic() - began
    _say(f"the node and the gateway are ready after {took:.0f} s (inside {said.seconds:.0f} s)")
    return ""


def _did_not_start(tally: Tally, turn: Turn | None, why: str) -> None:
    """Count it as a failure of `make live`. What `make test` promises does not depend on whether a machine can start a node."""
    if turn is None:
        tally.fail("start", why)
    else:
        tally.leave_out(why)


def _run_pytest(place: Place, tally: Tally, more: Sequence[str], turn: Turn | None) -> None:
    """Run the scenarios; each has deadlines of its own, so those that do not end in time hang."""
    within = None
    if turn is not None:
        os.environ[UNTIL] = str(turn.until)
        within = turn.hangs_at - time.time()
    words = [sys.executable, "-m", "pytest", "tests/live", *more]
    try:
        tally.read(lambda report: outside.enter(place, [*words, f"--junit-xml={report}"], within))
    except LabError as error:
        tally.fail("scenarios", str(error))


def _ended(place: Place, before: host.Seen, spaces: dict[str, str]) -> list[str]:
    """End everything, and return what is left of it."""
    try:
        outside.end(place)
    except TimeoutError as error:
        return [str(error), *_left(before, spaces)]
    return _left(before, spaces)


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
