# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compiles the lab's programs once per version, into the cache. Needs only the standard library and Go."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from . import crd_sources, paths, toolchain
from .errors import LabError
from .files import locked
from .programs import MODULES, Module
from .progress import Progress

Say = Callable[[str], None]
Job = Callable[[], object]


def key(module: Module) -> str:
    """What decides whether a cached build still fits: go.mod, go.sum, the recipe and the machine's kind."""
    digest = hashlib.sha256()
    for name in ("go.mod", "go.sum"):
        digest.update((_source(module) / name).read_bytes())
    digest.update(repr((module, _flags(module), platform.system(), platform.machine())).encode())
    return digest.hexdigest()[:16]


def folder(module: Module) -> Path:
    """Where the module's programs lie once they are built."""
    return paths.cache() / "bin" / f"{module.name}-{key(module)}"


def program(name: str) -> Path:
    """The path of a built program."""
    for module in MODULES:
        if any(each.name == name for each in module.programs):
            return folder(module) / name
    raise LabError(f"the lab has no program {name}")


def is_built() -> bool:
    """Whether every program and every CRD is in the cache."""
    return all(folder(module).is_dir() for module in MODULES) and crd_sources.all_fetched()


def build(say: Say) -> None:
    """Compile what is missing, side by side, and say how far it is."""
    started = time.monotonic()
    say_lock = threading.Lock()

    def tell(text: str) -> None:
        with say_lock:
            say(f"[{time.monotonic() - started:4.0f} s] {text}")

    if is_built():
        tell(f"everything is built already, in {paths.cache()}")
        return
    go = toolchain.find_go(tell)
    progress = Progress()
    jobs: list[Job] = [partial(build_module, go, module, tell, progress) for module in MODULES]
    jobs.append(lambda: crd_sources.fetch_all(go, tell))
    with ThreadPoolExecutor(len(jobs)) as pool:
        for future in [pool.submit(job) for job in jobs]:
            future.result()
    tell(f"done, everything is in {paths.cache()}")


def _source(module: Module) -> Path:
    return module.source or paths.GO_MODULES / module.name


def _flags(module: Module) -> list[str]:
    link = " ".join(["-s", "-w", *(f"-X {stamp}" for stamp in module.stamps)])
    tags = [f"-tags={','.join(module.tags)}"] if module.tags else []
    # The linker would leave out what debuggers want, so the compiler need not write it: a twelfth less work.
    undebugged = "-gcflags=all=-dwarf=false"
    return ["-mod=readonly", "-buildvcs=false", "-trimpath", undebugged, *tags, f"-ldflags={link}"]


def build_module(go: str, module: Module, tell: Say, progress: Progress | None = None) -> None:
    """Compile one module's programs into the cache; nothing happens where they are there."""
    target = folder(module)
    with locked(
        paths.cache() / "locks" / f"build-{module.name}",
        on_wait=lambda: tell(f"{module.name}: another process builds it, waiting"),
    ):
        if target.is_dir():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{module.name}-"))
        try:
            _compile(go, module, temporary, tell, progress or Progress())
            for each in module.programs:
                (temporary / each.output).replace(temporary / each.name)
            temporary.chmod(0o755)
            temporary.replace(target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    tell(f"{module.name}: done ({', '.join(each.name for each in module.programs)})")


def _compile(go: str, module: Module, output: Path, tell: Say, progress: Progress) -> None:
    source = _source(module)
    packages = [each.package for each in module.programs]
    environment = toolchain.environment()
    tell(f"{module.name}: downloading modules")
    listing = [
        go,
        "list",
        "-deps",
        *_flags(module),
        "-f",
        "{{if .Stale}}{{.ImportPath}}{{end}}",
        *packages,
    ]
    listed = subprocess.run(
        listing, cwd=source, env=environment, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        raise LabError(f"{module.name}: modules could not be downloaded:\n{_tail(listed.stderr)}")
    total = len(listed.stdout.split())
    tell(f"{module.name}: compiling {total} packages")
    progress.expect(total, time.monotonic())
    command = [go, "build", "-v", *_flags(module), "-o", f"{output}{os.sep}", *packages]
    # One read for both streams: `-v` writes a line per compiled package to stderr, errors come there too.
    with subprocess.Popen(
        command, cwd=source, env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if said := progress.compiled(time.monotonic()):
                tell(said)
    if process.returncode:
        raise LabError(f"{module.name}: the build failed:\n{_tail(''.join(lines))}")


def _tail(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-20:])
