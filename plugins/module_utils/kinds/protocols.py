# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocols in which models are asked: where a server says that it has a model, and what a request for an answer looks like.

Source: OpenAI's API as vLLM serves it; KServe's protocols v1 (`/v1/models/<name>:predict`) and v2 (`/v2/models/<name>/infer`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from ..kube.manifest import Json

#: Stands for the model's name in a path.
_MODEL = "{model}"


@dataclass(frozen=True, slots=True)
class Protocol:
    """One protocol.

    check: the path that tells whether the server has a model. call: the path of a request for an answer.
    lists_models: the answer to `check` is a list that has to name the model. body: of a request; None where its author alone knows it.
    """

    check: str
    call: str
    lists_models: bool = False
    body: Json | None = None

    def check_path(self, model: str) -> str:
        """Return the path that tells whether a server has a model."""
        return self.check.replace(_MODEL, model)

    def call_path(self, model: str) -> str:
        """Return the path of a request to a model."""
        return self.call.replace(_MODEL, model)

    def data(self, model: str) -> str:
        """Return the body of a request as curl takes it: a small one, or the name of a file that its author writes."""
        return json.dumps({"model": model, **self.body}) if self.body else "@request.json"


OPENAI = Protocol(
    "/v1/models",
    "/v1/chat/completions",
    lists_models=True,
    body={"messages": [{"role": "user", "content": "Hello"}]},
)
#: OpenAI's for models that make vectors of texts.
EMBEDDINGS = Protocol("/v1/models", "/v1/embeddings", lists_models=True, body={"input": "Hello"})
V1 = Protocol("/v1/models/{model}", "/v1/models/{model}:predict")
V2 = Protocol("/v2/models/{model}/ready", "/v2/models/{model}/infer")
#: V2 of a server whose models are named by a repository that nobody here has read.
V2_SERVER = Protocol("/v2/health/ready", "/v2/health/ready")
#: KServe's router of a graph: it takes what the first service of the graph takes.
GRAPH = Protocol("/readyz", "/")
