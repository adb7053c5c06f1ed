# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lab's commands: `python -m tests.lab build | up | down | status | kubeconfig | shell`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from . import build, paths
from .errors import LabError

DEFAULT_NAME = "lab"


def _say(text: str) -> None:
    print(text, flush=True)


def _build(_arguments: argparse.Namespace) -> int:
    build.build(_say)
    return 0


def _up(arguments: argparse.Namespace) -> int:
    from .control_plane import ControlPlane
    from .crd_sources import MODEL_SERVICE

    bundles = (
        [name for name in arguments.crds.split(",") if name]
        if arguments.crds is not None
        else list(MODEL_SERVICE)
    )
    place = ControlPlane(arguments.name, nodes=arguments.nodes, crds=bundles, owner=0, say=_say)
    began = time.monotonic()
    place.start()
    _say(
        f"control plane {arguments.name} is ready after {time.monotonic() - began:.1f} s: {place.access.server}"
    )
    _say(f"  nodes: {arguments.nodes}; CRDs: {', '.join(bundles) or 'none'}")
    _say(f"  export KUBECONFIG={place.kubeconfig}")
    _say(f"  kubectl: {build.program('kubectl')}")
    _say(
        f"next: python -m tests.lab shell {arguments.name}   end it: python -m tests.lab down {arguments.name}"
    )
    return 0


def _down(arguments: argparse.Namespace) -> int:
    from . import state
    from .control_plane import end
    from .layout import Layout

    places = (
        [place for place, dummy in state.everyone()]
        if arguments.all
        else [Layout(paths.control_plane(arguments.name))]
    )
    for place in places:
        _say(f"{place.name}: {'ended' if end(place) else 'does not run'}")
    return 0


def _status(_arguments: argparse.Namespace) -> int:
    from . import state

    found = state.everyone()
    if not found:
        built = "built" if build.is_built() else "not built yet"
        _say(f"no control plane runs; start one with: python -m tests.lab up ({built})")
    for place, each in found:
        life = f"lives for process {each.owner}" if each.owner else "lives until down"
        _say(f"{place.name}: {each.phase}, {each.server}, {life}, {each.contents}")
        _say(f"  KUBECONFIG={place.kubeconfig}")
        if each.pids:
            _say("  " + ", ".join(f"{program} {pid}" for program, pid in each.pids.items()))
        if each.message:
            _say(f"  {each.message}\n  logs: {place.file('logs')}")
    return 0 if all(each.phase not in ("failed", "dead") for dummy, each in found) else 1


def _running(name: str) -> Path:
    from . import state
    from .layout import Layout

    place = Layout(paths.control_plane(name))
    found = state.read(place)
    if found is None or found.phase != "ready":
        how = f"is {found.phase}" if found else "does not run"
        raise LabError(f"control plane {name} {how}; start it with: python -m tests.lab up {name}")
    return place.kubeconfig


def _kubeconfig(arguments: argparse.Namespace) -> int:
    _say(str(_running(arguments.name)))
    return 0


def _shell(arguments: argparse.Namespace) -> int:
    kubeconfig = _running(arguments.name)
    shell = os.environ.get("SHELL", "/bin/sh")
    search = os.pathsep.join((str(build.program("kubectl").parent), os.environ.get("PATH", "")))
    _say(f"kubectl talks to {arguments.name}; leave with exit")
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "PATH": search}
    return subprocess.run([shell], env=environment, check=False).returncode


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.lab", description=__doc__)
    commands = parser.add_subparsers(required=True)

    def command(
        name: str, run: object, text: str, *, named: bool = True
    ) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(run=run)
        if named:
            made.add_argument(
                "name",
                nargs="?",
                default=DEFAULT_NAME,
                help=f"which control plane (default: {DEFAULT_NAME})",
            )
        return made

    command("build", _build, "compile the programs into the cache", named=False)
    up = command("up", _up, "start a control plane that lives until down; builds if need be")
    up.add_argument("--nodes", default="gpu", help="node profile (default: gpu)")
    up.add_argument(
        "--crds", help="CRD bundles, separated by commas (default: those that ModelService needs)"
    )
    command("down", _down, "end a control plane").add_argument(
        "--all", action="store_true", help="end all of them"
    )
    command("status", _status, "show what runs; fails when one has crashed", named=False)
    command("kubeconfig", _kubeconfig, "print the path of the administrator's kubeconfig")
    command("shell", _shell, "open a shell with KUBECONFIG and kubectl")
    return parser


def main() -> int:
    """Run one command; an error is one plain message."""
    arguments = _parser().parse_args()
    try:
        return int(arguments.run(arguments))
    except LabError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "tests":
            raise
        print(
            f"error: Python package {error.name} is missing; pip install -r tests/lab/requirements.txt",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
