# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a component's logger sends what it logs: addresses that KServe's agent cannot reach lose every record, and nobody is told.

Source: KServe pkg/logger and cmd/agent/main.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.problem import Problem
from ...kube.redact import redact_text
from ...kube.url_form import HTTP, is_url
from ..check import WARNING, Check, check
from ..view import ServiceView

#: Of buckets that a logger with a store writes to.
_BUCKETS = ("s3", "gs", "abfs", "abfss")

ADDRESS = Check(
    "logger-url",
    WARNING,
    finds='"{url}" is not a URL that the logger can send to: every record is lost',
    fix="write {wanted}",
)


@check(ADDRESS, costly=True)
def logger_address(view: ServiceView) -> Iterator[Problem]:
    """Yield logger addresses without scheme or host."""
    for role, component in view.document.get("spec", {}).items():
        logger = component.get("logger") if isinstance(component, dict) else None
        if not isinstance(logger, dict):
            continue
        schemes = (*HTTP, *_BUCKETS) if logger.get("storage") is not None else HTTP
        for field, accepted in (("url", schemes), ("marshallerUrl", HTTP)):
            text = logger.get(field)
            if text and not is_url(str(text), accepted):
                bare = str(text).rpartition("://")[2] or "host"
                wanted = (
                    f"http://{bare}" if is_url(f"http://{bare}") else "http://, a host and a path"
                )
                yield ADDRESS.at(
                    f"spec.{role}.logger.{field}", url=redact_text(str(text)), wanted=wanted
                )
