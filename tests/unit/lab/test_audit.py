# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading the audit log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.lab.audit import events, parse


def _line(**changes: Any) -> str:
    event = {
        "stage": "ResponseComplete",
        "verb": "patch",
        "requestURI": "/apis/apps/v1/namespaces/a/deployments/web?fieldManager=x",
        "user": {"username": "ann"},
        "userAgent": "test",
        "objectRef": {
            "apiGroup": "apps",
            "resource": "deployments",
            "namespace": "a",
            "name": "web",
        },
        "responseStatus": {"code": 200},
        "requestObject": {"kind": "Deployment"},
    }
    return json.dumps({**event, **changes})


def test_event_says_who_did_what() -> None:
    event = parse(_line())
    assert event is not None
    assert (event.user, event.verb, event.resource, event.name, event.code) == (
        ("ann", "patch", "deployments", "web", 200)
    )
    assert event.request == {"kind": "Deployment"}
    assert event.is_write


def test_dry_run_and_read_are_no_writes() -> None:
    dry = parse(_line(requestURI="/apis/apps/v1/namespaces/a/deployments/web?dryRun=All"))
    read = parse(_line(verb="get"))
    assert dry is not None
    assert not dry.is_write
    assert read is not None
    assert not read.is_write


def test_begun_watch_is_no_event() -> None:
    assert parse(_line(stage="ResponseStarted")) is None


def test_events_start_at_an_offset_and_leave_out_half_a_line(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    log.write_text(_line(verb="create") + "\n")
    start = log.stat().st_size
    with log.open("a") as stream:
        stream.write(_line(verb="delete") + "\n" + _line(verb="get")[:40])
    assert [event.verb for event in events(log)] == ["create", "delete"]
    assert [event.verb for event in events(log, start)] == ["delete"]
