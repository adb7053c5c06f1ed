# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A cluster that the user brings: `LAB_KUBECONFIG` names its kubeconfig, and the same tests run against it."""

from __future__ import annotations

import os
import tempfile
from functools import cached_property
from pathlib import Path

from . import cluster, kubeconfig
from .client import Client
from .errors import LabError
from .kubeconfig import Access

VARIABLE = "LAB_KUBECONFIG"


class ExistingCluster:
    """A cluster that is neither started nor stopped here."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise LabError(f"{VARIABLE} names {path}, which is no file")
        self.kubeconfig = path
        self.audit_log: Path | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="lab-users-")

    def close(self) -> None:
        """Remove the users' kubeconfigs."""
        self._folder.cleanup()

    @cached_property
    def access(self) -> Access:
        return kubeconfig.read(self.kubeconfig)

    @cached_property
    def client(self) -> Client:
        return Client(self.access)

    def user_kubeconfig(self, user: str, *_: object, **__: object) -> Path:
        """Refused: only the lab's own control plane can sign a user's certificate."""
        raise LabError(
            f"{user}: users come from certificates of the lab's authority; use a ServiceAccount"
        )

    def service_account_kubeconfig(self, name: str, namespace: str, seconds: int = 3600) -> Path:
        access = cluster.service_account_access(self, name, namespace, seconds)
        return cluster.write_kubeconfig(
            Path(self._folder.name), f"{namespace}/{name}", access, namespace
        )


def lab_from_environment() -> ExistingCluster | None:
    """The user's cluster if `LAB_KUBECONFIG` is set, else None: start a ControlPlane."""
    path = os.environ.get(VARIABLE, "")
    return ExistingCluster(Path(path).expanduser()) if path else None
