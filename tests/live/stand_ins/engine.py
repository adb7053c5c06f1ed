# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stands in for vLLM: `vllm serve MODEL --port N --served-model-name NAME … --ssl-certfile FILE --ssl-keyfile FILE`.

Speaks as vLLM's server does (docs.vllm.ai, "OpenAI-Compatible Server" and "Production Metrics"): health, metrics, models, completions,
as a stream if asked for. What it answers names its pod in `system_fingerprint`. Flags that it does not know are read over. A
model without files ends it, as it ends vLLM; TERM lets running requests end. Of several data parallel servers the first one is healthy
once every other has found it.
"""

from __future__ import annotations

import argparse
import http.server
import json
import os
import signal
import socket
import ssl
import sys
import threading
import time
from pathlib import Path
from typing import Any


class Load:
    """Requests that run now, for the metrics by which a picker chooses."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.running = 0

    def __enter__(self) -> None:
        with self._lock:
            self.running += 1

    def __exit__(self, *dummy: object) -> None:
        with self._lock:
            self.running -= 1


class Peers:
    """The servers that share a model with this one: where it leads them it is healthy once all have come."""

    def __init__(self) -> None:
        self.missing = 0

    def lead(self, port: int, others: int) -> None:
        """Take the connections of the others."""
        self.missing = others
        listener = socket.create_server(("", port))
        threading.Thread(target=self._take, args=(listener, others), daemon=True).start()

    def _take(self, listener: socket.socket, others: int) -> None:
        self.connections = []
        for dummy in range(others):
            self.connections.append(listener.accept()[0])
            self.missing -= 1

    @staticmethod
    def follow(address: str, port: int) -> None:
        """Find the one that leads, and stay for as long as it does."""
        until = time.monotonic() + FOUND_WITHIN
        while True:
            try:
                leader = socket.create_connection((address, port), timeout=5)
                break
            except OSError as error:
                if time.monotonic() > until:
                    sys.exit(f"no answer from {address}:{port}: {error}")
                time.sleep(0.2)
        leader.settimeout(None)
        print(f"found {address}:{port}", flush=True)
        leader.recv(1)
        sys.exit(f"{address}:{port} went away")


#: Seconds that a server looks for the one that leads.
FOUND_WITHIN = 120.0
LOAD = Load()
PEERS = Peers()
POD = socket.gethostname()


class Engine(http.server.BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    #: Names under which the model is served, set before the first request.
    models: tuple[str, ...] = ()
    #: What the files of the model say of themselves.
    weights = ""

    def do_GET(self) -> None:
        if self.path == "/health":
            sick = PEERS.missing or "STAND_IN_SICK" in os.environ
            self._answer(503 if sick else 200, b"", "text/plain")
        elif self.path == "/metrics":
            self._answer(200, metrics(self.models[0]).encode(), "text/plain; version=0.0.4")
        elif self.path == "/v1/models":
            models = [{"id": name, "object": "model", "owned_by": "vllm"} for name in self.models]
            self._answer_json(200, {"object": "list", "data": models})
        else:
            self._answer_json(404, {"detail": "Not Found"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path not in ("/v1/chat/completions", "/v1/completions"):
            self._answer_json(404, {"detail": "Not Found"})
            return
        try:
            request = json.loads(body)
            model, stream = request["model"], bool(request.get("stream"))
        except (ValueError, KeyError, TypeError):
            self._answer_json(400, {"error": {"message": "a body with a model is wanted"}})
            return
        if model not in self.models:
            text = f"The model `{model}` does not exist."
            self._answer_json(404, {"error": {"message": text, "code": 404}})
            return
        with LOAD:
            (self._stream if stream else self._complete)(model)

    def _complete(self, model: str) -> None:
        message = {"role": "assistant", "content": f"{self.weights} answered by {POD}"}
        choice = {
            "index": 0,
            "message": message,
            "text": message["content"],
            "finish_reason": "stop",
        }
        self._answer_json(200, completion(model, "chat.completion", choice))

    def _stream(self, model: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for word in ("answered ", "by ", POD):
            choice = {"index": 0, "delta": {"content": word}, "finish_reason": None}
            self._event(json.dumps(completion(model, "chat.completion.chunk", choice)))
        self._event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, data: str) -> None:
        event = f"data: {data}\n\n".encode()
        self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        self.wfile.flush()

    def _answer_json(self, code: int, value: object) -> None:
        self._answer(code, json.dumps(value).encode(), "application/json")

    def _answer(self, code: int, body: bytes, content_type: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("x-served-by", POD)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        if self.command == "POST":
            print(format % args, flush=True)


def completion(model: str, kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    """An answer or a part of one."""
    return {
        "id": f"cmpl-{time.monotonic_ns()}",
        "object": kind,
        "model": model,
        "system_fingerprint": POD,
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 3, "total_tokens": 4},
    }


def metrics(model: str) -> str:
    """The gauges that pickers read."""
    labels = f'{{model_name="{model}",engine="0"}}'
    gauges = {
        "vllm:num_requests_running": LOAD.running,
        "vllm:num_requests_waiting": 0,
        "vllm:kv_cache_usage_perc": 0.0,
    }
    lines = [f"# TYPE {name} gauge\n{name}{labels} {value}" for name, value in gauges.items()]
    cache = 'vllm:cache_config_info{block_size="16",num_gpu_blocks="1000"} 1'
    return "\n".join([*lines, f"# TYPE vllm:cache_config_info gauge\n{cache}", ""])


def config(folder: Path) -> dict[str, Any]:
    """The configuration of a model, empty where it has none."""
    file = folder / "config.json"
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}


def main() -> None:
    """Serve until TERM."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("command", choices=["serve"])
    parser.add_argument("model", nargs="?")
    parser.add_argument("--model", dest="named_model")
    parser.add_argument("--host", default="")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--served-model-name", nargs="+", default=[])
    parser.add_argument("--data-parallel-size", type=int, default=1)
    parser.add_argument("--data-parallel-size-local", type=int, default=1)
    parser.add_argument("--data-parallel-address", default="")
    parser.add_argument("--data-parallel-rpc-port", type=int, default=5555)
    parser.add_argument("--headless", action="store_true")
    parser.add_argument("--ssl-certfile")
    parser.add_argument("--ssl-keyfile")
    flags, unknown = parser.parse_known_args()
    model = flags.model or flags.named_model or ""
    held = b"x" * (int(os.environ.get("STAND_IN_MEMORY_MIB", "0")) << 20)
    if why := os.environ.get("STAND_IN_FAILURE"):
        sys.exit(why)
    if not any(Path(model).glob("*")):
        sys.exit(f"OSError: {model} holds no model")
    if flags.headless:
        signal.signal(signal.SIGTERM, lambda *dummy: os._exit(0))
        PEERS.follow(flags.data_parallel_address, flags.data_parallel_rpc_port)
    if others := flags.data_parallel_size // flags.data_parallel_size_local - 1:
        PEERS.lead(flags.data_parallel_rpc_port, others)
    Engine.weights = " ".join(config(Path(model)).get("architectures") or ())
    Engine.models = tuple(flags.served_model_name or [model])
    server = http.server.ThreadingHTTPServer((flags.host, flags.port), Engine)
    server.daemon_threads = False
    if flags.ssl_certfile:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(flags.ssl_certfile, flags.ssl_keyfile)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    signal.signal(signal.SIGTERM, lambda *dummy: threading.Thread(target=server.shutdown).start())
    print(
        f"serving {', '.join(Engine.models)} from {model} on {flags.port}; holds {len(held)}, not known: {unknown}",
        flush=True,
    )
    server.serve_forever(poll_interval=0.1)
    while LOAD.running:
        time.sleep(0.02)
    # Connections that are kept alive would hold the process.
    os._exit(0)


if __name__ == "__main__":
    main()
