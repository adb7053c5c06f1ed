# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kubeconfig files, written and read."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.lab import kubeconfig
from tests.lab.errors import LabError
from tests.lab.kubeconfig import Access

BY_TOKEN = Access("https://127.0.0.1:1", "CA", token="t")
BY_CERTIFICATE = Access("https://127.0.0.1:1", "CA", certificate="C", key="K")


@pytest.mark.parametrize("access", [BY_TOKEN, BY_CERTIFICATE])
def test_what_is_written_is_read_back(tmp_path: Path, access: Access) -> None:
    path = kubeconfig.write(tmp_path / "config", access, context="lab")
    assert kubeconfig.read(path) == access
    assert path.stat().st_mode & 0o077 == 0


def test_files_beside_the_kubeconfig_are_followed(tmp_path: Path) -> None:
    content = kubeconfig.document(BY_TOKEN, context="lab")
    content["clusters"][0]["cluster"] = {"server": "https://x", "certificate-authority": "ca.crt"}
    (tmp_path / "ca.crt").write_text("CA in a file")
    (tmp_path / "config").write_text(yaml.safe_dump(content))
    assert kubeconfig.read(tmp_path / "config").authority == "CA in a file"


def test_missing_context_is_named(tmp_path: Path) -> None:
    path = kubeconfig.write(tmp_path / "config", BY_TOKEN, context="lab")
    with pytest.raises(LabError, match="no context named 'other'"):
        kubeconfig.read(path, "other")
