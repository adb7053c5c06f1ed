# SPDX-License-Identifier: GPL-3.0-or-later
"""What played webhooks of KServe answer. It imports nothing of its neighbours: an image of the live lab holds this file alone."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any


class Answers(BaseHTTPRequestHandler):
    """Admits everything but objects labelled `refuse`, and converts by writing the other version."""

    def do_POST(self) -> None:
        """Answer a review of either kind."""
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = review["request"]
        response: dict[str, Any] = {"uid": request["uid"]}
        if review["kind"] == "ConversionReview":
            wanted = request["desiredAPIVersion"]
            converted = [{**each, "apiVersion": wanted} for each in request["objects"]]
            response |= {"convertedObjects": converted, "result": {"status": "Success"}}
        else:
            made = request.get("object") or {}
            refuse = "refuse" in (made.get("metadata", {}).get("labels") or {})
            response["allowed"] = not refuse
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
