# SPDX-License-Identifier: GPL-3.0-or-later
"""The releases of KServe whose controllers are run, and the modules that these releases are built with.

0.18 and 0.21 are missing: the Go module proxy does not serve them.
"""

from __future__ import annotations

from dataclasses import dataclass

from module_utils.kinds.kserve.releases import KServe
from tests.lab.crd_sources import Bundle

KSERVE = "github.com/kserve/kserve"


@dataclass(frozen=True)
class Modules:
    """Versions of Go modules. kserve: of the release. gateway, extension, groups: whose CRDs its controllers were written for.

    old_pools: whether the extension still has pools of `inference.networking.x-k8s.io`; else KServe's own tests bring their CRD.
    """

    kserve: str
    gateway: str
    extension: str
    groups: str
    old_pools: bool = True

    def of_kserve(self, *files: str, only: tuple[str, ...] = ()) -> Bundle:
        """Return files of the release itself."""
        return Bundle(KSERVE, self.kserve, files, only)


MODULES = {
    KServe.V0_17: Modules("v0.17.0", "v1.4.2-0.20260116062110-0d0ca872766e", "v1.3.0", "v0.7.0"),
    KServe.V0_19: Modules("v0.19.0", "v1.4.2-0.20260116062110-0d0ca872766e", "v1.3.1", "v0.8.0"),
    KServe.V0_20: Modules("v0.20.0", "v1.5.1", "v1.5.0", "v0.8.0", old_pools=False),
}


def release_of(text: str) -> KServe:
    """Return a release that is run by its text."""
    return next(release for release in MODULES if str(release) == text)
