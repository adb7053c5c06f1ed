# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A manager of KServe that reconciles nothing: it is healthy, and answers its webhooks with the certificate that its pod has.

The proxy in front of the real one's metrics has the same image, and no certificate.
"""

from __future__ import annotations

import signal
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from reviews import Answers  # type: ignore[import-not-found]  # beside this file in the image

CERTIFICATES = Path("/tmp/k8s-webhook-server/serving-certs")
HEALTH_PORT, WEBHOOK_PORT = 8081, 9443


class Health(BaseHTTPRequestHandler):
    """Says that all is well."""

    def do_GET(self) -> None:
        """Answer a probe."""
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


def _serve(server: ThreadingHTTPServer) -> None:
    threading.Thread(target=server.serve_forever, daemon=True).start()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_args: sys.exit())
    if CERTIFICATES.is_dir():
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / "tls.crt", CERTIFICATES / "tls.key")
        webhooks = ThreadingHTTPServer(("", WEBHOOK_PORT), Answers)
        webhooks.socket = context.wrap_socket(webhooks.socket, server_side=True)
        _serve(webhooks)
        _serve(ThreadingHTTPServer(("", HEALTH_PORT), Health))
    while True:
        signal.pause()
