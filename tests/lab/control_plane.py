# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A control plane of the lab, as tests and commands hold it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from . import build, cluster, crds, kubeconfig, nodes, paths, pki, state
from .client import UNREACHABLE, ApiError, Client, Manifest, wait_until
from .errors import LabError
from .files import is_locked, locked
from .kubeconfig import Access
from .layout import Layout
from .ports import LOOPBACK
from .process import is_alive
from .state import State

_START_WITHIN = 240.0
_STOP_WITHIN = 30.0
_LOOK_EVERY = 0.05


class ControlPlane:
    """etcd, API server, controllers, scheduler and kwok on free ports of the loopback address.

    nodes: a profile of `nodes.PROFILES`. crds: names of bundles, or CRDs as data. name: of its state folder, unique among
    those that run. owner: the process it lives for; by default this one, so that it ends with it whatever happens; 0
    lets it live until `stop` or `python -m tests.lab down`. address: where the API server listens, one of this machine's own.
    played: kwok plays nodes, pods and the controllers that the lab does not run; without it somebody else runs them.
    """

    def __init__(
        self,
        name: str = "",
        *,
        nodes: str = "none",
        crds: Sequence[str | Manifest] = (),
        owner: int | None = None,
        address: str = LOOPBACK,
        played: bool = True,
        say: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self.name = name or f"test-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        self.layout = Layout(paths.control_plane(self.name))
        self._nodes = nodes
        self._crds = list(crds)
        self._owner = os.getpid() if owner is None else owner
        self._say = say
        self._address = address
        self._played = played

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *dummy: object) -> None:
        self.stop()

    @property
    def kubeconfig(self) -> Path:
        return self.layout.kubeconfig

    @property
    def token_kubeconfig(self) -> Path:
        """The administrator by token instead of client certificate."""
        return self.layout.token_kubeconfig

    @property
    def audit_log(self) -> Path:
        return self.layout.audit_log

    @cached_property
    def access(self) -> Access:
        return kubeconfig.read(self.layout.kubeconfig)

    @cached_property
    def client(self) -> Client:
        return Client(self.access)

    @property
    def state(self) -> State | None:
        """What its supervisor says; None when it does not run."""
        return state.read(self.layout)

    def start(self) -> None:
        """Build if need be, start, and return when the API server, the controllers and every node are ready."""
        wanted = nodes.profile(self._nodes)
        named = [each for each in self._crds if isinstance(each, str)]
        if not build.is_built():
            build.build(self._say)
        definitions = [
            *crds.load(*named),
            *(each for each in self._crds if not isinstance(each, str)),
        ]
        with locked(paths.state() / ".start.lock"):
            self._clear()
            supervisor = self._spawn(
                definitions, f"nodes {self._nodes}; CRDs {', '.join(named) or 'none'}"
            )
        try:
            self._await_ready(supervisor)
            self._add_nodes(wanted)
        except BaseException:
            supervisor.terminate()
            supervisor.wait()
            raise

    def stop(self) -> None:
        """End it and wait until every process is gone; its folder goes too."""
        end(self.layout)

    def add_nodes(self, *pools: nodes.Pool) -> None:
        """Add fake nodes and wait until they are ready."""
        self._add_nodes([manifest for pool in pools for manifest in pool.manifests()])

    def install_crds(self, *bundles: str | Manifest) -> None:
        """Add CRDs to the running cluster. The garbage collector learns of kinds added now within half a minute."""
        given: list[Manifest] = []
        for bundle in bundles:
            given.extend(crds.load(bundle) if isinstance(bundle, str) else [bundle])
        crds.install(self.client, given)

    def restart_api_server(self) -> None:
        """End the API server and start it again on its port; return when it answers. Its clients see all of it."""
        before = self._supervised()
        os.kill(before.supervisor, state.RESTART)

        def look() -> tuple[bool, str]:
            found = self._supervised()
            if found.pids["kube-apiserver"] == before.pids["kube-apiserver"]:
                return False, "the old one runs"
            try:
                self.client.request("GET", "/readyz")
            except (ApiError, *UNREACHABLE) as error:
                return False, str(error)
            return True, ""

        wait_until(look, "the API server to answer again")

    def _supervised(self) -> State:
        found = self.state
        if found is None or found.phase != "ready":
            raise LabError(f"the control plane {self.name} does not run")
        return found

    def user_kubeconfig(
        self, user: str, groups: Sequence[str] = (), namespace: str = "default"
    ) -> Path:
        authority = pki.Authority.load(self.layout.authority, self.layout.authority_key)
        pair = authority.client(user, groups)
        access = Access(
            self.access.server, self.access.authority, certificate=pair.certificate, key=pair.key
        )
        return cluster.write_kubeconfig(self.layout.file("users"), user, access, namespace)

    def service_account_kubeconfig(self, name: str, namespace: str, seconds: int = 3600) -> Path:
        access = cluster.service_account_access(self, name, namespace, seconds)
        return cluster.write_kubeconfig(
            self.layout.file("users"), f"{namespace}/{name}", access, namespace
        )

    def _clear(self) -> None:
        found = state.read(self.layout)
        if is_locked(self.layout.lock) or (found and found.phase not in ("failed", "dead")):
            raise LabError(
                f"a control plane named {self.name} runs already; end it: python -m tests.lab down {self.name}"
            )
        shutil.rmtree(self.layout.root, ignore_errors=True)

    def _spawn(self, definitions: list[Manifest], contents: str) -> subprocess.Popen[bytes]:
        self.layout.root.mkdir(parents=True, mode=0o700)
        request = {
            "owner": self._owner,
            "definitions": definitions,
            "token": secrets.token_urlsafe(24),
            "contents": contents,
            "address": self._address,
            "played": self._played,
        }
        self.layout.request.touch(mode=0o600)
        self.layout.request.write_text(json.dumps(request), encoding="utf-8")
        self.layout.file("logs").mkdir()
        search = os.pathsep.join(
            filter(None, (str(paths.CHECKOUT), os.environ.get("PYTHONPATH", "")))
        )
        with self.layout.log("supervisor").open("wb") as log:
            supervisor = subprocess.Popen(
                [sys.executable, "-m", "tests.lab.supervisor", str(self.layout.root)],
                cwd=self.layout.root,
                env={**os.environ, "PYTHONPATH": search},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        # Only then does a second start of this name see that it is taken.
        taken = threading.Event()
        while not is_locked(self.layout.lock) and supervisor.poll() is None:
            taken.wait(_LOOK_EVERY)
        # Reaps it whenever it ends, so that it does not stay behind as a zombie of a long test run.
        threading.Thread(target=supervisor.wait, daemon=True, name="lab-reaper").start()
        return supervisor

    def _await_ready(self, supervisor: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _START_WITHIN
        pause = threading.Event()
        logs = self.layout.file("logs")
        while True:
            found = state.read(self.layout) if self.layout.state.exists() else None
            if found and found.phase == "ready":
                return
            if supervisor.poll() is not None:
                text = (
                    found.message
                    if found and found.message
                    else state.tail(self.layout.log("supervisor"), 20)
                )
                raise LabError(
                    f"the control plane {self.name} did not start: {text}\nits logs: {logs}"
                )
            if time.monotonic() > deadline:
                raise LabError(
                    f"{self.name} is not ready after {_START_WITHIN:.0f} s; its logs: {logs}"
                )
            pause.wait(_LOOK_EVERY)

    def _add_nodes(self, wanted: list[Manifest]) -> None:
        for manifest in wanted:
            try:
                self.client.create(manifest)
            except ApiError as error:
                if error.code != 409:
                    raise
        names = {manifest["metadata"]["name"] for manifest in wanted}

        def look() -> tuple[bool, list[str]]:
            waiting = names - {
                each["metadata"]["name"]
                for each in self.client.list_all("v1", "Node")
                if nodes.is_ready(each)
            }
            return not waiting, sorted(waiting)

        if names:
            wait_until(look, "nodes to be ready")


def end(place: Layout) -> bool:
    """End a control plane by its folder, and wait; False where none ran. Its folder is removed."""
    found = state.read(place)
    if found is None:
        return False
    ran = found.phase not in ("failed", "dead")
    if ran:
        with contextlib.suppress(ProcessLookupError):
            os.kill(found.supervisor, signal.SIGTERM)
        pids = [found.supervisor, *found.pids.values()]

        def look() -> tuple[bool, list[int]]:
            left = [pid for pid in pids if is_alive(pid)]
            return not left, left

        wait_until(look, f"the processes of {place.name} to end", _STOP_WITHIN)
    if not place.keep.exists():
        shutil.rmtree(place.root, ignore_errors=True)
    return ran
