# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests. They call the rooms by a short name: `module_utils.kube.problem` is the module that plugins import, not a second one.

What mypy reads (`TYPED_PACKAGES` in tests/tools/lint.py, and what they import) uses the long name.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

SHORT = "module_utils"
LONG = f"ansible_collections.modelops.inference.plugins.{SHORT}"


class ShortNames(MetaPathFinder, Loader):
    """Gives a room's own module where tests import it by its short name."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Return how a short name is imported."""
        return ModuleSpec(fullname, self) if fullname.partition(".")[0] == SHORT else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of the long name."""
        module = import_module(LONG + spec.name.removeprefix(SHORT))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as its own import has made it."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


sys.meta_path.insert(0, ShortNames())
