# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects made as people make them: with each verb of the real kubectl, and with the library below kubernetes.core."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from module_utils.kube.manifest import Json
from tests.lab import build

#: An editor that adds a key to what it is given, as somebody would by hand.
EDITOR = f"""#!{sys.executable}
import sys, yaml
from pathlib import Path
path = Path(sys.argv[1])
manifest = yaml.safe_load(path.read_text())
manifest["data"]["edited"] = "by hand"
path.write_text(yaml.safe_dump(manifest))
"""


class Hand:
    """Somebody with a kubeconfig. folder: for files that kubectl is given."""

    def __init__(self, kubeconfig: Path, folder: Path) -> None:
        self._kubeconfig = kubeconfig
        self._folder = folder

    def kubectl(self, *arguments: str, manifest: Json | None = None, **environment: str) -> None:
        """Run kubectl. manifest: what it reads."""
        given = ["-f", "-"] if manifest is not None else []
        done = subprocess.run(
            [str(build.program("kubectl")), *arguments, *given],
            input=json.dumps(manifest) if manifest is not None else None,
            env={**os.environ, "KUBECONFIG": str(self._kubeconfig), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def edit(self, manifest: Json) -> None:
        """Add a key to a ConfigMap with `kubectl edit`."""
        editor = self._folder / "editor"
        editor.write_text(EDITOR, encoding="utf-8")
        editor.chmod(0o755)
        meta = manifest["metadata"]
        self.kubectl(
            "edit", manifest["kind"], meta["name"], "-n", meta["namespace"], KUBE_EDITOR=str(editor)
        )

    def by_library(self, manifest: Json) -> None:
        """Create an object with the Python client, as kubernetes.core does."""
        from kubernetes import config, dynamic

        client = dynamic.DynamicClient(config.new_client_from_config(str(self._kubeconfig)))
        resource = client.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
        resource.create(body=manifest, namespace=manifest["metadata"]["namespace"])
