# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses about probes and what is done when a container begins or ends. Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..manifest import Json
from ..problem import Problem
from ..text import few

#: How a container can be probed; a probe has one of them.
HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_OF_LIFECYCLE = ("exec", "httpGet", "tcpSocket", "sleep")
#: How long a pod has to end, in seconds, where it does not say.
_GRACE = 30
_SIGNALS = frozenset(
    {
        *("SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP"),
        *("SIGILL", "SIGINT", "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF"),
        *("SIGPWR", "SIGQUIT", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP"),
        *("SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM"),
        *("SIGWINCH", "SIGXCPU", "SIGXFSZ", "SIGRTMIN", "SIGRTMAX"),
        *(f"SIGRTMIN+{number}" for number in range(1, 16)),
        *(f"SIGRTMAX-{number}" for number in range(1, 15)),
    }
)
_FEW = 5


def probe_problems(container: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong with the probes of a container."""
    for name in PROBES:
        probe, where = container.get(name), f"{path}.{name}"
        if probe is None:
            continue
        yield from _handler(probe, where, HANDLERS, "no preset has this probe")
        if name == "readinessProbe" and "terminationGracePeriodSeconds" in probe:
            message = "a readiness probe ends nothing; leave it out"
            yield Problem(f"{where}.terminationGracePeriodSeconds", message, rule="probe")
        if name != "readinessProbe" and probe.get("successThreshold", 1) > 1:
            message = (
                f"{probe['successThreshold']} is more than 1, which only a readiness probe takes"
            )
            yield Problem(f"{where}.successThreshold", message, rule="probe")


def lifecycle_problems(container: Json, path: str, pod: Json) -> Iterator[Problem]:
    """Yield what is wrong with what is done when a container begins or ends."""
    lifecycle = container.get("lifecycle") or {}
    grace = pod.get("terminationGracePeriodSeconds", _GRACE)
    for name in ("postStart", "preStop"):
        action, where = lifecycle.get(name), f"{path}.lifecycle.{name}"
        if action is None:
            continue
        yield from _handler(action, where, _OF_LIFECYCLE, "")
        seconds = (action.get("sleep") or {}).get("seconds", 0)
        if not 0 <= seconds <= grace:
            message = f"{seconds} is not from 0 to {grace}, the seconds that the pod has to end"
            yield Problem(f"{where}.sleep.seconds", message, rule="probe")
    yield from _signal(lifecycle.get("stopSignal"), f"{path}.lifecycle.stopSignal", pod)


def _handler(probe: Json, path: str, known: tuple[str, ...], nobody: str) -> Iterator[Problem]:
    handlers = [handler for handler in known if handler in probe]
    if len(handlers) > 1:
        message = (
            f"{' and '.join(handlers)} are both given: a merge keeps both; use the preset's way"
        )
        yield Problem(path, message, rule="probe")
    if not handlers:
        message = f"one of {', '.join(known)} is needed" + (f": {nobody}" if nobody else "")
        yield Problem(path, message, rule="probe")


def _signal(signal: Any, path: str, pod: Json) -> Iterator[Problem]:
    system = (pod.get("os") or {}).get("name")
    if signal is None:
        return
    if system is None:
        yield Problem(path, "needs the pod's os.name beside it", rule="probe")
    elif system == "linux" and signal not in _SIGNALS:
        message = f"{signal} is not a signal: {few(sorted(_SIGNALS), _FEW)}"
        yield Problem(path, message, rule="probe")
