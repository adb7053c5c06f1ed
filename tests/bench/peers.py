# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the peers come from: kubernetes.core without Galaxy, and the lab's own kubectl."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

#: The bundle on PyPI that carries kubernetes.core 6.6.0 as plain files.
BUNDLE = "ansible==14.5.0"
PREFIX = "ansible_collections/kubernetes/core/"


def kubernetes_core(build: Path) -> Path:
    """Return a folder for ANSIBLE_COLLECTIONS_PATH that holds kubernetes.core; downloaded once."""
    root = build / "peers"
    if (root / PREFIX / "MANIFEST.json").is_file():
        return root
    print("bench: downloading kubernetes.core (51 MB) …", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder]
        # The bundle wants a newer Python than we may run; only files of one collection are taken from it.
        command += ["--python-version", "3.12", "--only-binary=:all:", BUNDLE]
        subprocess.run(command, check=True)
        wheel = next(Path(folder).glob("ansible-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            members = [name for name in archive.namelist() if name.startswith(PREFIX)]
            archive.extractall(root, members)
    return root
