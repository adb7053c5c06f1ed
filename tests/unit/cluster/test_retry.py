# SPDX-License-Identifier: GPL-3.0-or-later
"""When a request is sent again, and when it is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.cluster import retry
from module_utils.cluster.call import Answer, Call, TransportFault

READ = Call(verb="get", method="GET", path="/x", subject="read x")
APPLY = Call(verb="patch", method="PATCH", path="/x", subject="apply x", races=True)
PATCH = Call(verb="patch", method="PATCH", path="/x", subject="patch x", idempotent=False)
CREATE = Call(verb="create", method="POST", path="/x", subject="create x")


def said(status: int, body: object = None, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, named, json.dumps(body or {}).encode())


def conflict(*reasons: str) -> Answer:
    causes = [{"reason": reason, "message": "x", "field": ".spec"} for reason in reasons]
    return said(409, {"kind": "Status", "reason": "Conflict", "details": {"causes": causes}})


def failed(kind: str, sent: bool = False) -> TransportFault:
    return TransportFault(kind, "broken", sent, 1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "outcome", "repeated"),
    [
        (READ, said(429), True),
        (APPLY, said(429), True),
        (CREATE, said(429), True),
        (CREATE, said(503), True),
        (CREATE, failed("dropped", sent=True), True),
        (PATCH, said(429), True),
        (READ, said(500), True),
        (READ, said(502), True),
        (APPLY, said(503), True),
        (APPLY, said(504), True),
        (PATCH, said(500), False),
        (PATCH, said(503), False),
        (PATCH, said(504), False),
        (READ, said(400), False),
        (READ, said(401), False),
        (READ, said(403), False),
        (READ, said(404), False),
        (APPLY, said(422), False),
        (APPLY, said(500, {"message": "failed to create typed patch object (a/b)"}), False),
        (APPLY, conflict(), True),
        (APPLY, conflict("FieldManagerConflict"), False),
        (READ, conflict(), False),
        (READ, failed("dropped", sent=True), True),
        (APPLY, failed("dropped", sent=True), True),
        (PATCH, failed("dropped", sent=True), False),
        (PATCH, failed("connection"), True),
        (READ, failed("connection"), True),
        (READ, failed("name"), True),
        (READ, failed("tls"), False),
        (READ, failed("stalled", sent=True), True),
        (PATCH, failed("stalled", sent=True), False),
    ],
)
def test_only_what_is_safe_and_may_help_is_repeated(
    call: Call, outcome: Answer | TransportFault, repeated: bool
) -> None:
    again = retry.decide(call, outcome, 1, failing=0.0, met=True, random=lambda: 0.5)
    assert (again is not None) is repeated


@given(
    attempt=st.integers(1, retry.ATTEMPTS - 1),
    dice=st.floats(0, 1, exclude_max=True),
)
def test_backoff_is_full_jitter_below_a_doubling_limit(attempt: int, dice: float) -> None:
    again = retry.decide(READ, said(502), attempt, failing=0.0, met=True, random=lambda: dice)
    assert again is not None
    limit = min(retry.LONGEST_DELAY, retry.BASE_DELAY * 2**attempt)
    assert again.delay == pytest.approx(dice * limit)


@pytest.mark.parametrize(
    ("outcome", "failing", "met", "attempts"),
    [
        (said(503), retry.OUTAGE, True, retry.ATTEMPTS),
        (said(500), 0.0, True, retry.INTERNAL_ERROR_ATTEMPTS),
        (failed("dropped", sent=True), retry.OUTAGE, True, retry.ATTEMPTS),
        (failed("connect-timeout"), retry.OUTAGE, True, retry.ATTEMPTS),
        (failed("connection"), 0.0, False, retry.FIRST_CONTACT_ATTEMPTS),
        (failed("connect-timeout"), 0.0, False, 1),
        (failed("stalled", sent=True), 0.0, True, retry.STALL_ATTEMPTS),
        (failed("stalled", sent=True), 0.0, False, retry.STALL_ATTEMPTS),
    ],
)
def test_attempts_are_bounded(
    outcome: Answer | TransportFault, failing: float, met: bool, attempts: int
) -> None:
    sent = 1
    while (
        retry.decide(READ, outcome, sent, failing=failing, met=met, random=lambda: 0.0) is not None
    ):
        sent += 1
    assert sent == attempts


@pytest.mark.parametrize("outcome", [said(503), failed("connection"), failed("dropped", sent=True)])
def test_a_server_that_is_away_for_less_than_a_minute_is_not_given_up(
    outcome: Answer | TransportFault,
) -> None:
    """An API server that restarts is away for as long as it takes, however often it is asked meanwhile."""
    for attempt in range(1, 100):
        assert retry.decide(READ, outcome, attempt, failing=59.9, met=True, random=lambda: 0.0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "3"}, 3.0),
        ({"retry_after": " 0 "}, 0.0),
        ({"retry_after": "-5"}, 0.0),
        ({}, None),
        ({"retry_after": "soon"}, None),
        (
            {
                "retry_after": "Fri, 27 Nov 2026 10:00:20 GMT",
                "date": "Fri, 27 Nov 2026 10:00:00 GMT",
            },
            20.0,
        ),
        ({"retry_after": "Fri, 27 Nov 2026 10:00:20 GMT"}, None),
    ],
)
def test_retry_after_is_read_without_the_local_clock(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry.retry_after(said(429, None, **headers)) == seconds


def test_retry_after_is_obeyed_exactly_and_for_everything() -> None:
    refused = said(429, None, retry_after="7")
    again = retry.decide(READ, refused, 1, failing=0.0, met=True, random=lambda: 0.0)
    assert again == retry.Again(7.0, ordered=True)
