# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries that may be missing, or of another version, where a task runs, and how that is reported."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module

from .errors import MissingLibrary


@dataclass(frozen=True, slots=True)
class Library:
    """What pip calls a package, and the versions that do, by their first number. below: 0 where no end is known."""

    name: str
    at_least: int
    below: int = 0

    def __str__(self) -> str:
        return f"{self.name}>={self.at_least}" + (f",<{self.below}" if self.below else "")


#: Everything that is imported beside Ansible and Python's own, by package. The ranges are those of requirements.txt.
LIBRARIES = {
    "cel_expr_python": Library("cel-expr-python", 0),
    "cryptography": Library("cryptography", 42),
    "jmespath": Library("jmespath", 1),
    "kubernetes": Library("kubernetes", 29),
    "socks": Library("PySocks", 1),
    "urllib3": Library("urllib3", 2, below=3),
    "yaml": Library("PyYAML", 6),
}


def need(module: str, purpose: str) -> None:
    """Import a module of a library before the work begins that cannot be done without it.

    purpose: a phrase that begins with `for` or `to`. Raises MissingLibrary, also where the version is none of those that do.
    """
    package = module.partition(".")[0]
    library = LIBRARIES[package]
    try:
        import_module(module)
    except ImportError as error:
        raise MissingLibrary(str(library), purpose, "is not installed") from error
    version = str(getattr(sys.modules[package], "__version__", ""))
    first = version.partition(".")[0]
    if first.isdigit() and not library.at_least <= int(first) < (library.below or sys.maxsize):
        raise MissingLibrary(str(library), purpose, f"has version {version}")


def missing_library(error: ImportError) -> MissingLibrary | None:
    """Return what a failed import says to the user, None where it is no library's: then it is a bug."""
    library = LIBRARIES.get((error.name or "").partition(".")[0])
    return MissingLibrary(str(library), "for this task", "is not installed") if library else None
