# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the linters: those of the inner loop with --quick, else all."""

from __future__ import annotations

import sys

from .steps import Step, run_steps, tool
from .tree import BUILD, COLLECTION, sync

#: Checked strictly by mypy. Tests themselves are only held to ruff's rules.
TYPED_PACKAGES = (
    "ansible_collections.modelops.inference.plugins",
    "tests.lab",
    "tests.live",
    "tests.tools",
)

#: Where import-linter keeps what it has parsed.
CACHE = str(BUILD / "import-linter")


def quick() -> list[Step]:
    """Return style, types and import contracts."""
    packages = [argument for name in _present(TYPED_PACKAGES) for argument in ("-p", name)]
    return [
        Step("ruff check", [tool("ruff"), "check", "--quiet"]),
        Step("ruff format", [tool("ruff"), "format", "--check", "--quiet"]),
        # Only `mypy_path` may lead to the tree: what is on PYTHONPATH counts as untyped.
        Step("mypy", [tool("mypy"), *packages], env={"PYTHONPATH": ""}),
        Step("import contracts", [tool("lint-imports"), "--no-logo", "--cache-dir", CACHE]),
    ]


def slow() -> list[Step]:
    """Return the linters of Ansible content."""
    references = ["--plugin-docs", "--validate-collection-refs=all"]
    strict = "--disallow-unknown-collection-refs"
    antsibull_docs = [tool("antsibull-docs"), "lint-collection-docs", *references, strict, "."]
    return [
        Step("ansible-lint", [tool("ansible-lint"), "--offline", "--nocolor"], cwd=COLLECTION),
        # Writes a log into the home folder.
        Step("antsibull-docs", antsibull_docs, cwd=COLLECTION, env={"HOME": str(BUILD)}),
        Step("changelog", [tool("antsibull-changelog"), "lint"]),
    ]


def _present(packages: tuple[str, ...]) -> list[str]:
    roots = {"tests": COLLECTION, "ansible_collections": COLLECTION.parents[2]}
    return [
        name
        for name in packages
        if any(roots[name.partition(".")[0]].joinpath(*name.split(".")).glob("**/*.py"))
    ]


def main() -> int:
    """Run them and return the exit code."""
    sync()
    steps = quick() if "--quick" in sys.argv[1:] else [*quick(), *slow()]
    return run_steps("lint", steps)


if __name__ == "__main__":
    sys.exit(main())
