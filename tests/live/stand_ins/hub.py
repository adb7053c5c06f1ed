# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stands in for the Hugging Face Hub: one repository of one file, by the paths that its client asks for."""

from __future__ import annotations

import http.server
import json

REPOSITORY = "acme/chat"
#: What the file says, so that whoever serves it shows where it is from.
CONFIG = json.dumps({"architectures": ["FromHub"]}).encode()
_REVISION = "0" * 39 + "1"
_FILE = "config.json"


class Hub(http.server.BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        path = self.path.partition("?")[0]
        if path.startswith(f"/api/models/{REPOSITORY}/tree/"):
            files = [{"type": "file", "path": _FILE, "size": len(CONFIG), "oid": _REVISION}]
            self._send(200, json.dumps(files).encode(), "application/json", with_body=with_body)
        elif path.startswith(f"/api/models/{REPOSITORY}"):
            siblings = [{"rfilename": _FILE}]
            told = {"id": REPOSITORY, "sha": _REVISION, "siblings": siblings}
            self._send(200, json.dumps(told).encode(), "application/json", with_body=with_body)
        elif path.startswith(f"/{REPOSITORY}/resolve/") and path.endswith(f"/{_FILE}"):
            self._send(200, CONFIG, "application/octet-stream", with_body=with_body)
        else:
            self._send(
                404, b'{"error": "Repository not found"}', "application/json", with_body=with_body
            )

    def _send(self, code: int, body: bytes, kind: str, *, with_body: bool) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if code == 200:
            self.send_header("ETag", '"1"')
            self.send_header("X-Repo-Commit", _REVISION)
        else:
            self.send_header("X-Error-Code", "RepoNotFound")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nobody reads it."""
