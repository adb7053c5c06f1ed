# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The process that starts a control plane's programs, watches them, and ends them all.

It runs as `python -m tests.lab.supervisor` in a session of its own. It ends everything when it gets TERM or INT, when its
owner is gone however that ended, and when one program stops by itself. Should it be killed, Linux kills its children. A
signal of its own makes it restart the API server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import sys
import time
import traceback
from functools import partial
from pathlib import Path

from . import build, commands, crd_sources, crds, layout, lws, process, state
from .client import UNREACHABLE, ApiError, Client, Manifest
from .commands import Ports
from .errors import LabError
from .files import lock_or_fail
from .layout import LWS_MANAGER, Layout
from .own_stages import await_descriptions, stages_for
from .state import State

_READY_WITHIN = 60.0
_LOOK_EVERY = 0.1

#: Ended first to last: nobody asks a server that is gone.
_STOP_ORDER = (
    (LWS_MANAGER, "kwok", "kube-scheduler", "kube-controller-manager"),
    ("kube-apiserver",),
    ("etcd",),
)


class Supervisor:
    """One control plane's programs."""

    def __init__(
        self,
        place: Layout,
        owner: int,
        definitions: list[Manifest],
        token: str,
        contents: str,
        address: str,
        played: bool,
    ) -> None:
        self.place = place
        self.began = time.monotonic()
        self.definitions = definitions
        self.token = token
        self.played = played
        self.ports = Ports.free(address)
        server = f"https://{address}:{self.ports.api}"
        self.state = State(
            "starting", supervisor=os.getpid(), server=server, owner=owner, contents=contents
        )
        self.programs: dict[str, asyncio.subprocess.Process] = {}
        self.restarting: asyncio.Task[None] | None = None
        self.stop_asked = asyncio.Event()

    async def run(self) -> None:
        """Live until asked to stop or until something ends; raises LabError if that was not asked for."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self.stop_asked.set)
        loop.add_signal_handler(state.RESTART, self._ask_for_restart)
        reasons = [asyncio.create_task(self.stop_asked.wait())]
        if self.state.owner:
            reasons.append(asyncio.create_task(process.ended(self.state.owner)))  # type: ignore[arg-type]
        starting = asyncio.create_task(self._start())
        try:
            await asyncio.wait([*reasons, starting], return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                watching = asyncio.create_task(self._first_exit())
                await asyncio.wait([*reasons, watching], return_when=asyncio.FIRST_COMPLETED)
                if watching.done() and not any(each.done() for each in reasons):
                    raise LabError(self._obituary(watching.result()))
        finally:
            starting.cancel()
            await self._stop()

    async def _start(self) -> None:
        layout.prepare(self.place, self.ports.address, self.ports.api, self.token)
        state.write(self.place, self.state)
        # The API server retries until etcd answers, so the two start together.
        await asyncio.gather(
            self._launch("etcd", commands.etcd), self._launch("kube-apiserver", commands.api_server)
        )
        client = Client.of(self.place.kubeconfig)
        await self._until_ready(client)
        self._note("the API server is ready")
        await self._launch("kube-scheduler", commands.scheduler)
        # Before the controllers start: the garbage collector then knows the kinds at once, not half a minute later.
        stage_kind = crds.documents(crd_sources.KWOK_CRD) if self.played else []
        await asyncio.to_thread(crds.install, client, [*stage_kind, *self.definitions])
        self._note("CRDs are served")
        controllers = partial(commands.controller_manager, played=self.played)
        await self._launch("kube-controller-manager", controllers)
        if self.played:
            await self._start_kwok(client)
            self._note("stages are applied")
        if lws.is_wanted(self.definitions):
            await self._start_lws_manager(client)
            self._note("LeaderWorkerSet's manager is ready")
        self.state.phase = "ready"
        self.state.started_in = round(time.monotonic() - self.began, 2)
        state.write(self.place, self.state)

    async def _start_kwok(self, client: Client) -> None:
        await self._launch("kwok", commands.kwok)
        own = stages_for(self.definitions)
        await asyncio.to_thread(await_descriptions, client, own)
        await asyncio.to_thread(client.apply_all, [*crds.documents(crd_sources.KWOK_STAGES), *own])

    async def _start_lws_manager(self, client: Client) -> None:
        lws.configure(self.place, self.ports.lws_webhooks)
        await self._launch(LWS_MANAGER, commands.lws_manager)
        await asyncio.to_thread(lws.install, client, self.place, self.ports.lws_webhooks)

    def _note(self, text: str) -> None:
        # Goes to the supervisor's log: where a slow start spent its time.
        print(f"{time.monotonic() - self.began:5.2f} s  {text}", flush=True)

    async def _launch(self, name: str, command: commands.Command) -> None:
        arguments = command(build.program(name), self.place, self.ports)
        self.programs[name] = await process.start(arguments, self.place.log(name))
        self.state.pids[name] = self.programs[name].pid
        state.write(self.place, self.state)

    async def _until_ready(self, client: Client) -> None:
        end = time.monotonic() + _READY_WITHIN
        while True:
            for name, program in self.programs.items():
                if program.returncode is not None:
                    raise LabError(self._obituary(name))
            try:
                await asyncio.to_thread(client.request, "GET", "/readyz")
                return
            except (ApiError, *UNREACHABLE) as error:
                if time.monotonic() > end:
                    log = state.tail(self.place.log("kube-apiserver"))
                    raise LabError(
                        f"kube-apiserver is not ready after {_READY_WITHIN:.0f} s: {error}\n{log}"
                    ) from error
            await asyncio.sleep(_LOOK_EVERY)

    async def _first_exit(self) -> str:
        """Return the name of the program that ends by itself; the end of a restart is none."""
        while True:
            waits = {
                asyncio.create_task(program.wait()): name for name, program in self.programs.items()
            }
            done, dummy = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            name = waits[done.pop()]
            if name != "kube-apiserver" or self.restarting is None:
                return name
            await self.restarting
            self.restarting = None

    def _ask_for_restart(self) -> None:
        if self.restarting is None and self.state.phase == "ready":
            self.restarting = asyncio.create_task(self._restart())

    async def _restart(self) -> None:
        """End the API server and start it again, as an upgrade does."""
        await process.end(self.programs["kube-apiserver"])
        await self._launch("kube-apiserver", commands.api_server)

    def _obituary(self, name: str) -> str:
        code = self.programs[name].returncode
        return f"{name} ended by itself with code {code}; the last lines of its log:\n{state.tail(self.place.log(name))}"

    async def _stop(self) -> None:
        if self.state.phase != "failed":
            self.state.phase = "stopping"
            state.write(self.place, self.state)
        for names in _STOP_ORDER:
            await asyncio.gather(
                *(process.end(self.programs[name]) for name in names if name in self.programs)
            )


def main() -> int:
    """Run one control plane; the folder that is named holds `request.json`."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.supervisor")
    parser.add_argument("folder", type=Path)
    place = Layout(parser.parse_args().folder)
    lock_or_fail(place.lock)
    request = json.loads(place.request.read_text(encoding="utf-8"))
    supervisor = Supervisor(place, **request)
    try:
        asyncio.run(supervisor.run())
    # Whatever it is, its text must reach the user: nobody sees this process.
    except Exception as error:  # noqa: BLE001
        supervisor.state.phase = "failed"
        supervisor.state.message = (
            str(error) if isinstance(error, LabError) else f"{type(error).__name__}: {error}"
        )
        state.write(place, supervisor.state)
        traceback.print_exc()
        return 1
    if not place.keep.exists():
        shutil.rmtree(place.root, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
