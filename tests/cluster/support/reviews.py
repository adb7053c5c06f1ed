# SPDX-License-Identifier: GPL-3.0-or-later
"""What played webhooks answer. It imports nothing of its neighbours: an image of the live lab holds this file alone."""

from __future__ import annotations

import json
from abc import abstractmethod
from http.server import BaseHTTPRequestHandler
from typing import Any

Json = dict[str, Any]


class Reviews(BaseHTTPRequestHandler):
    """Answers the reviews that an API server posts."""

    @abstractmethod
    def judge(self, kind: str, request: Json) -> Json:
        """Return the answer to a request without its uid. kind: of the review."""

    def do_POST(self) -> None:
        """Answer a review."""
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = review["request"]
        response = {"uid": request["uid"], **self.judge(review["kind"], request)}
        answer = json.dumps(
            {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


class Answers(Reviews):
    """Admits everything but objects labelled `refuse`, and converts by writing the other version."""

    def judge(self, kind: str, request: Json) -> Json:
        """Answer a review of either kind."""
        if kind == "ConversionReview":
            wanted = request["desiredAPIVersion"]
            converted = [{**each, "apiVersion": wanted} for each in request["objects"]]
            return {"convertedObjects": converted, "result": {"status": "Success"}}
        made = request.get("object") or {}
        return {"allowed": "refuse" not in (made.get("metadata", {}).get("labels") or {})}
