# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Start a control plane, reconcile the examples until all are Ready, do it again, and say what to do next.

The control plane stays for the user to look at; it ends here with `--end`, with CI=true, or without a terminal.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

from ..lab.control_plane import ControlPlane
from ..lab.errors import LabError
from ..lab.existing import VARIABLE
from ..tools import tree
from ..tools.example_cluster import add_gateway, control_plane
from . import advice
from .play import PAGE, Play, calls, reconcile, report


class DemoError(Exception):
    """What the demo promises did not come true."""


def main() -> int:
    """Tell the story and return the exit code."""
    arguments = _arguments(sys.argv[1:])
    tree.sync()
    owner = os.getpid() if arguments.end else int(os.environ.get("LAB_OWNER", "0"))
    plane = control_plane(arguments.name, owner, print)
    ours = False
    if os.environ.get(VARIABLE):
        print(
            f"{VARIABLE} is set: the demo leaves that cluster alone and starts its own. Yours: docs/first_ten_minutes.md"
        )
    try:
        ours = _start(plane)
        _fleet(plane)
    except (DemoError, LabError) as error:
        print(f"\nThe demo failed: {error}", file=sys.stderr)
        if plane.state and not arguments.end:
            print(advice.after_failure(plane), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nInterrupted. {advice.end(plane)}")
        return 130
    finally:
        # What was there before the demo stays.
        if arguments.end and ours:
            plane.stop()
    print(advice.after_end() if arguments.end and ours else advice.after_success(plane))
    print(
        f"The demo took {_spoken(time.time() - arguments.began)}, with everything that was built for it."
    )
    return 0


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    unattended = os.environ.get("CI", "") not in ("", "false", "0") or not sys.stdin.isatty()
    parser.add_argument("--name", default="demo", help="of the control plane (default: demo)")
    parser.add_argument(
        "--began",
        type=float,
        default=time.time(),
        help="when the whole began, as seconds of the epoch (default: now)",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--end", action="store_true", default=unattended, help="end the control plane afterwards"
    )
    group.add_argument("--keep", action="store_false", dest="end", help="let it run")
    return parser.parse_args(words)


def _start(plane: ControlPlane) -> bool:
    """Start the control plane, or take the one of an earlier demo; return whether it was started."""
    running = plane.state is not None and plane.state.phase == "ready"
    if running:
        _title(f"The control plane of the last demo still runs: {plane.access.server}")
    else:
        _title(
            "Starting Kubernetes' own programs, LeaderWorkerSet's manager, and kwok, which simulates nodes with GPUs"
        )
        plane.start()
        print(f"ready: {plane.access.server}")
    print(f"the examples' gateway, simulated by the lab: {', '.join(add_gateway(plane.client))}")
    return not running


def _fleet(plane: ControlPlane) -> None:
    _title("Reconciling the fifteen services of examples/ until every one is Ready")
    first = reconcile(plane.kubeconfig)
    _demand_ready(first)
    _title("Once more: nothing has to change")
    second = reconcile(plane.kubeconfig)
    _demand_ready(second)
    if second.changed or second.writes:
        raise DemoError(
            f"the second run changed {second.changed} tasks and wrote {second.writes} times; it should write nothing"
        )
    _title("Writing the report page")
    if report(plane.kubeconfig):
        raise DemoError("the report page could not be written; its playbook's output is above")
    print(f"open it in a browser: {PAGE.as_uri()}")
    _title("How each service is called")
    asked = calls(plane.kubeconfig)
    if not asked:
        raise DemoError("llmisvc_info did not say how the services are called; its output is above")
    for name, line in asked.items():
        print(f"{name}:\n  {line}")
    print(
        "Gateway and pods of this control plane are simulated; `make live` gets an answer from real ones."
    )
    _title("What you saw")
    print(f"first run:   {_figures(first)}")
    print(f"second run:  {_figures(second)}")


def _spoken(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _figures(play: Play) -> str:
    return (
        f"changed={play.changed}, {play.ready} of {play.services} services Ready, "
        f"{play.requests} requests, {play.writes} of them writes, {play.seconds:.1f} s"
    )


def _demand_ready(play: Play) -> None:
    if play.code:
        raise DemoError(
            f"ansible-playbook ended with {play.code}; the output above names the services that are not Ready, and why"
        )
    if not play.services or play.ready < play.services:
        raise DemoError(f"only {play.ready} of {play.services} services are Ready")


def _title(text: str) -> None:
    line = f"\n── {text} "
    print(line.ljust(100, "─"), flush=True)


if __name__ == "__main__":
    sys.exit(main())
