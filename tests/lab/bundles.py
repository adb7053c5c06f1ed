# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests as projects release them, made from the folders of their Go modules: with kubectl's own kustomize, never copied into the repository."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from . import build, crd_sources, paths, toolchain
from .files import locked, write_atomically

Json = dict[str, Any]


@dataclass(frozen=True)
class Overlay:
    """A kustomization in a Go module."""

    module: str
    version: str
    folder: str


#: What each project's own release files are made of.
RELEASES = {
    "gateway_api": Overlay("sigs.k8s.io/gateway-api", "v1.5.1", "config/crd"),
    "inference_extension": Overlay(
        "sigs.k8s.io/gateway-api-inference-extension", "v1.3.1", "config/crd"
    ),
    "lws": Overlay("sigs.k8s.io/lws", "v0.7.0", "config/default"),
    "kserve": Overlay("github.com/kserve/kserve", "v0.17.0", "config/overlays/all"),
    "kserve_resources": Overlay("github.com/kserve/kserve", "v0.17.0", "config/clusterresources"),
}


def release(name: str, version: str = "") -> list[Json]:
    """Return the objects of a release, of the one above where none is named. Made once: the cache keeps them."""
    overlay = RELEASES[name]
    if version:
        overlay = replace(overlay, version=version)
    cached = _cached(name, overlay.version)
    if not cached.is_file():
        go = toolchain.find_go(lambda dummy: None)
        with locked(paths.cache() / "locks" / "modules"):
            module = crd_sources.download(
                go, crd_sources.Bundle(overlay.module, overlay.version, ())
            )
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(cached, json.dumps(kustomized(module / overlay.folder)))
    found: list[Json] = json.loads(cached.read_text(encoding="utf-8"))
    return found


def is_there(name: str, version: str) -> bool:
    """Tell whether a release is in the cache, so that nothing has to be fetched."""
    return _cached(name, version).is_file()


def _cached(name: str, version: str) -> Path:
    return paths.cache() / "releases" / f"{name}@{version}.json"


def kustomized(folder: Path) -> list[Json]:
    """Return what a kustomization makes."""
    made = subprocess.run(
        [build.program("kubectl"), "kustomize", folder], capture_output=True, check=True
    )
    return [each for each in yaml.load_all(made.stdout, yaml.CSafeLoader) if each]
