# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Models of one's own for KServe's model server: `--model_name NAME [--predictor_host HOST]`.

Without a predictor it is one: it adds up what each instance holds. With one it is a transformer in front of it, which doubles every number.
"""

from __future__ import annotations

import argparse
import json
import socket
from pathlib import Path
from typing import Any

from kserve import (  # type: ignore[import-not-found]  # in the image alone
    Model,
    ModelServer,
    model_server,
)
from kserve.model import PredictorConfig  # type: ignore[import-not-found]

Json = dict[str, Any]
#: Where the files of a model are.
MODELS = Path("/mnt/models")


class Sum(Model):  # type: ignore[misc]
    """Ready once the files of a model are there; what they say of themselves is answered, too."""

    def load(self) -> bool:
        self.ready = any(MODELS.glob("*"))
        return bool(self.ready)

    def predict(self, payload: Json, *dummy: Any) -> Json:
        config = MODELS / "config.json"
        weights = json.loads(config.read_text("utf-8"))["architectures"]
        sums = [sum(instance) for instance in payload["instances"]]
        return {"predictions": sums, "weights": weights, "system_fingerprint": socket.gethostname()}


class Double(Model):  # type: ignore[misc]
    """Passes doubled numbers on to the predictor, and says so in what comes back."""

    def preprocess(self, payload: Json, *dummy: Any) -> Json:
        return {"instances": [[2 * number for number in each] for each in payload["instances"]]}

    def postprocess(self, result: Json, *dummy: Any) -> Json:
        return {**result, "doubled_by": socket.gethostname()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(parents=[model_server.parser])
    flags, _unknown = parser.parse_known_args()
    if flags.predictor_host:
        model = Double(flags.model_name, PredictorConfig(flags.predictor_host))
    else:
        model = Sum(flags.model_name)
    model.load()
    ModelServer().start([model])
