# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests to the gateway, as somebody who uses a service sends them, and what came back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import urllib3

from ..lab.client import wait_until
from . import network

_HTTP = urllib3.PoolManager(maxsize=8)
_TIMEOUT = urllib3.Timeout(connect=5, read=15)
#: A route that was just made is known to the gateway a moment later.
ROUTED_WITHIN = 30.0


@dataclass(frozen=True)
class Answer:
    """What a request brought: code 0 where no answer came, with the reason as its text."""

    request: str
    code: int
    text: str

    @property
    def pod(self) -> str:
        """The pod that answered: the stand-in says so where an engine names its build."""
        try:
            return str(self.json().get("system_fingerprint", ""))
        except ValueError:
            return ""

    def json(self) -> Any:
        """What was answered. Raises ValueError for what is no JSON."""
        return json.loads(self.text)

    def __str__(self) -> str:
        return f"{self.request}: {self.code} {self.pod or self.text.strip()[:120]}"


def ask(
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: Mapping[str, Any] | None = None,
    at: str = f"http://{network.GATEWAY}",
) -> Answer:
    """Send one request: with a body a POST, else a GET."""
    method = "GET" if body is None else "POST"
    shown = " ".join(f"{name}: {value}" for name, value in (headers or {}).items())
    said = f"{method} {at}{path} {shown}".strip()
    try:
        answer = _HTTP.request(
            method,
            f"{at}{path}",
            headers={
                **(headers or {}),
                **({} if body is None else {"Content-Type": "application/json"}),
            },
            body=None if body is None else json.dumps(body).encode(),
            retries=False,
            timeout=_TIMEOUT,
        )
    except (urllib3.exceptions.HTTPError, OSError) as error:
        return Answer(said, 0, f"{type(error).__name__}: {error}")
    return Answer(said, answer.status, answer.data.decode(errors="replace"))


def chat(
    model: str,
    *,
    headers: Mapping[str, str] | None = None,
    prefix: str = "",
    at: str = f"http://{network.GATEWAY}",
) -> Answer:
    """Ask a model something."""
    body = {"model": model, "messages": [{"role": "user", "content": "Who are you?"}]}
    return ask(f"{prefix}/v1/chat/completions", headers=headers, body=body, at=at)


def until(code: int, request: Any, within: float = ROUTED_WITHIN) -> Answer:
    """Repeat a request until it is answered with this code. TimeoutError shows the last answer."""

    def look() -> tuple[bool, Any]:
        answer = request()
        return answer.code == code, answer

    answer: Answer = wait_until(look, f"an answer with {code}", within)
    return answer
