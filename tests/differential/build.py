# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles KServe's controller and the recorder, once, into the lab's cache.

The controller of a release is built from the module of that release, with its own go.mod. Some lines are altered on the way, for speed
and for a readable record; none shows in any object: it may ask as often as it wants and speaks JSON, and its keys are short.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.lab import crd_sources, paths, toolchain
from tests.lab.crd_sources import Bundle
from tests.lab.errors import LabError

Say = Callable[[str], None]
_RECORDER = Path(__file__).parent / "go" / "recorder"
_FLAGS = ("-buildvcs=false", "-trimpath", "-ldflags=-s -w")


@dataclass(frozen=True)
class Alteration:
    """A text of a source file and what is there instead; it must be there once."""

    file: str
    text: str
    instead: str


@dataclass(frozen=True)
class Controller:
    """A program of a Go module."""

    name: str
    module: str
    version: str
    package: str
    alterations: tuple[Alteration, ...]


_JSON_AS_FAST_AS_IT_GOES = (
    "cfg.QPS = -1\n"
    '\tcfg.ContentType = "application/json"\n'
    "\tclientSet, err := kubernetes.NewForConfig(cfg)"
)


def _client(package: str) -> Alteration:
    return Alteration(
        f"{package}/main.go",
        "clientSet, err := kubernetes.NewForConfig(cfg)",
        _JSON_AS_FAST_AS_IT_GOES,
    )


def llm(version: str) -> Controller:
    """Return the controller of LLMInferenceServices of a release."""
    return Controller(
        "llmisvc",
        "github.com/kserve/kserve",
        version,
        "./cmd/llmisvc",
        (
            _client("cmd/llmisvc"),
            Alteration(
                "cmd/llmisvc/main.go",
                "ctrl.NewManager(ctrl.GetConfigOrDie(), ",
                "ctrl.NewManager(cfg, ",
            ),
            Alteration(
                "pkg/controller/v1alpha2/llmisvc/workload_tls_self_signed.go",
                "rsa.GenerateKey(rand.Reader, 4096)",
                "rsa.GenerateKey(rand.Reader, 2048)",
            ),
        ),
    )


def manager(version: str) -> Controller:
    """Return the controller of InferenceServices of a release, with its webhooks and the one for pods."""
    return Controller(
        "manager",
        "github.com/kserve/kserve",
        version,
        "./cmd/manager",
        (_client("cmd/manager"),),
    )


def local_models(version: str) -> Controller:
    """Return the controller of caches of models of a release, with their webhooks."""
    return Controller(
        "localmodel",
        "github.com/kserve/kserve",
        version,
        "./cmd/localmodel",
        (_client("cmd/localmodel"),),
    )


def node_agent(version: str) -> Controller:
    """Return the agent of a release that fills the caches of its node. It looks at a folder of its own in place of the node's."""
    file = "pkg/controller/v1alpha1/localmodelnode/controller.go"
    return Controller(
        "localmodelnode",
        "github.com/kserve/kserve",
        version,
        "./cmd/localmodelnode",
        (
            _client("cmd/localmodelnode"),
            # It takes no flags for its ports.
            Alteration("cmd/localmodelnode/main.go", '":8080"', '"0"'),
            Alteration("cmd/localmodelnode/main.go", '":8081"', '"0"'),
            Alteration(
                file,
                'filepath.Join(MountPath, "models")',
                'filepath.Join(os.Getenv("TMPDIR"), "models")',
            ),
        ),
    )


@dataclass(frozen=True)
class Programs:
    """The programs that are beside the lab's. recorder: see go/recorder. controller: KServe's own."""

    recorder: Path
    controller: Path


def built(controller: Controller, say: Say) -> Programs:
    """Return the programs, compiled if need be; the controller takes 10 to 20 minutes."""
    return Programs(_recorder(say), _controller(controller, say))


def _recorder(say: Say) -> Path:
    source = (_RECORDER / "main.go").read_bytes()
    target = _target("recorder", source)
    if not target.exists():
        _compile(_RECORDER, ".", target, say)
    return target


def _controller(controller: Controller, say: Say) -> Path:
    target = _target(controller.name, repr(controller).encode())
    if target.exists():
        return target
    source = crd_sources.download(
        toolchain.find_go(say), Bundle(controller.module, controller.version, ())
    )
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "source")
        # The module's own folder is read-only, and Go replaces nothing in it.
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("docs", "python", "*_test.go"))
        for each in controller.alterations:
            _alter(copy / each.file, each)
        _compile(copy, controller.package, target, say)
    return target


def _alter(file: Path, alteration: Alteration) -> None:
    text = file.read_text(encoding="utf-8")
    if text.count(alteration.text) != 1:
        raise LabError(f"{alteration.file} does not hold {alteration.text!r} once")
    file.chmod(0o644)
    file.write_text(text.replace(alteration.text, alteration.instead), encoding="utf-8")


def _target(name: str, recipe: bytes) -> Path:
    return paths.cache() / "bin" / f"{name}-{hashlib.sha256(recipe).hexdigest()[:16]}" / name


def _compile(source: Path, package: str, target: Path, say: Say) -> None:
    say(f"compiling {target.name}, once")
    target.parent.mkdir(parents=True, exist_ok=True)
    command = [toolchain.find_go(say), "build", "-p", "2", *_FLAGS, "-o", str(target), package]
    subprocess.run(command, cwd=source, env=toolchain.environment(), check=True)
