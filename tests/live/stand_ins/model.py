# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A model of one's own for KServe's model server: `--model_name NAME --model_dir FOLDER`; it adds up what each instance holds."""

from __future__ import annotations

import argparse
import socket
from pathlib import Path
from typing import Any

from kserve import (  # type: ignore[import-not-found]  # in the image alone
    Model,
    ModelServer,
    model_server,
)


class Sum(Model):  # type: ignore[misc]
    """Ready once the files of a model are there."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name)
        self._folder = folder

    def load(self) -> bool:
        self.ready = any(self._folder.glob("*"))
        return bool(self.ready)

    def predict(self, payload: dict[str, Any], *dummy: Any) -> dict[str, Any]:
        sums = [sum(instance) for instance in payload["instances"]]
        return {"predictions": sums, "system_fingerprint": socket.gethostname()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(parents=[model_server.parser])
    flags, _unknown = parser.parse_known_args()
    model = Sum(flags.model_name, Path("/mnt/models"))
    model.load()
    ModelServer().start([model])
