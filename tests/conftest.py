# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fixtures and settings for every test below tests/."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from tests.tools import failures, tree

# Before any test file is imported, and once: the workers of pytest-xdist find the tree made.
if "PYTEST_XDIST_WORKER" not in os.environ:
    tree.sync()

os.environ["ANSIBLE_COLLECTIONS_PATH"] = str(tree.TREE_ROOT)
os.environ.setdefault("ANSIBLE_HOME", str(tree.BUILD / "ansible"))
os.environ.setdefault("ANSIBLE_REMOTE_TMP", str(tree.BUILD / "ansible" / "tmp"))
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(tree.BUILD / "hypothesis"))

# A busy machine is no failure, so no deadline; `make fuzz` looks much further than the inner loop.
settings.register_profile("default", deadline=None)
settings.register_profile("fuzz", deadline=None, max_examples=20_000)
settings.load_profile("default")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Keep the failures for whoever runs several such runs."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        stats = terminalreporter.stats
        failures.keep([*stats.get("failed", []), *stats.get("error", [])])
