# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Python's own import, and with it its bytecode, for the rooms below `module_utils`.

Ansible's loader of collections compiles every file anew in every process; for all of the rooms that is a third of a second.
Python keeps what it compiled beside the sources, where it may write there. While a room is imported the collector of garbage
pauses: almost all of what is made then stays, and the collector looks again and again at all that Ansible has loaded.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

ROOMS = "ansible_collections.modelops.inference.plugins.module_utils."


class RoomLoader(SourceFileLoader):
    """Imports a file and what it imports itself, without a look for garbage meanwhile."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the file."""
        if not gc.isenabled():
            super().exec_module(module)
            return
        gc.disable()
        try:
            super().exec_module(module)
        finally:
            # All that is there now counts as old, without a look at it.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


class RoomFinder(MetaPathFinder):
    """Finds the rooms and what is in them, nothing else."""

    def __init__(self) -> None:
        # One for each folder, so that it is listed once; a finder sees by itself when its folder has changed.
        self._folders: dict[str, FileFinder] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how Python imports a file of its parent's folder; its usual way there leads to Ansible's loader again."""
        if path is None or not fullname.startswith(ROOMS):
            return None
        folder = path[0]
        if folder not in self._folders:
            self._folders[folder] = FileFinder(folder, (RoomLoader, SOURCE_SUFFIXES))
        return self._folders[folder].find_spec(fullname, target)


def install() -> None:
    """Go before Ansible's loader, once in a process; where that is not at work, Python's own import is."""
    if any(isinstance(finder, RoomFinder) for finder in sys.meta_path):
        return
    for place, finder in enumerate(sys.meta_path):
        if type(finder).__name__ == "_AnsibleCollectionFinder":
            sys.meta_path.insert(place, RoomFinder())
            return
