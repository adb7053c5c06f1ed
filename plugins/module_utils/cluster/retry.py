# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether and when a request is sent again: pure decisions, without a clock of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from .call import UNTYPED_PATCH, Answer, Call, TransportFault

#: A server that answered before is given up once a request was sent so often, the first time included, ...
ATTEMPTS = 8
#: ... and so many seconds have passed: an API server that restarts is away for a while.
OUTAGE = 60.0
#: A 500 may be a passing trouble of etcd or of a webhook, or an object that breaks the server each time.
INTERNAL_ERROR_ATTEMPTS = 5
#: While a server has never answered, a name or an address that does not work is probably a mistake: give up sooner.
FIRST_CONTACT_ATTEMPTS = 3
#: A server that stalls costs a whole request timeout each time.
STALL_ATTEMPTS = 2
BASE_DELAY = 0.1
LONGEST_DELAY = 5.0


@dataclass(frozen=True, slots=True)
class Again:
    """Send it again after `delay` seconds. ordered: the server asked for this delay, for all that we send."""

    delay: float
    ordered: bool = False


def decide(
    call: Call,
    outcome: Answer | TransportFault,
    attempt: int,
    *,
    failing: float,
    met: bool,
    random: Callable[[], float],
) -> Again | None:
    """Return when to send a request again, or None where that would be useless or unsafe.

    attempt: how often it was sent. failing: seconds since it failed first. met: the server has answered something before.
    random: uniform in [0, 1).
    """
    if _spent(outcome, attempt, failing, met=met) or not _repeatable(call, outcome):
        return None
    if isinstance(outcome, Answer) and outcome.status in (429, 503):
        ordered = retry_after(outcome)
        if ordered is not None:
            return Again(ordered, ordered=True)
    return Again(backoff(attempt, random))


def backoff(attempt: int, random: Callable[[], float]) -> float:
    """Return the seconds before another attempt. attempt: how many there were."""
    longest: float = min(LONGEST_DELAY, BASE_DELAY * 2**attempt)
    return random() * longest


def retry_after(answer: Answer) -> float | None:
    """Return the seconds that the server asks us to wait, None where it does not say.

    A date is taken relative to the same server's `Date`, never to the local clock.
    """
    text = answer.headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(text)
        now = parsedate_to_datetime(answer.headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _spent(outcome: Answer | TransportFault, attempt: int, failing: float, *, met: bool) -> bool:
    """Return whether it was tried often and long enough."""
    if isinstance(outcome, Answer) and outcome.status == 500:
        return attempt >= INTERNAL_ERROR_ATTEMPTS
    if isinstance(outcome, TransportFault) and outcome.kind == "stalled":
        return attempt >= STALL_ATTEMPTS
    if not met:
        silent = isinstance(outcome, TransportFault) and outcome.kind == "connect-timeout"
        return silent or attempt >= FIRST_CONTACT_ATTEMPTS
    return attempt >= ATTEMPTS and failing >= OUTAGE


def _repeatable(call: Call, outcome: Answer | TransportFault) -> bool:
    if isinstance(outcome, TransportFault):
        if outcome.kind == "tls":
            return False
        return call.idempotent or not outcome.sent
    if outcome.status == 429:
        return True
    if outcome.status == 409:
        return call.races and _lost_race(outcome)
    if outcome.status == 500:
        return call.idempotent and UNTYPED_PATCH.encode() not in outcome.body
    return call.idempotent and outcome.status in (502, 503, 504)


def _lost_race(answer: Answer) -> bool:
    """Whether a 409 only means that somebody wrote at the same moment: no field manager is named as the other side."""
    return answer.status_object().get("reason") == "Conflict" and not any(
        cause.get("reason") == "FieldManagerConflict" for cause in answer.causes()
    )
