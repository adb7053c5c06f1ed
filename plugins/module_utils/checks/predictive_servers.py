# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of KServe's own servers for predictive models: they pass over what they do not know, and end with a value that they cannot read.

Source: KServe python/kserve/kserve/model_server.py and the __main__.py of the servers below python/, v0.17.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import words
from ..kube.did_you_mean import nearest
from ..kube.problem import Problem
from .engine_flags import spelt

_NUMBERS = (
    *("--http_port", "--grpc_port", "--workers", "--max_threads", "--max_asyncio_workers"),
    *("--predictor_request_timeout_seconds", "--predictor_request_retries", "--nthread"),
    *("--grpc_max_send_message_length", "--grpc_max_receive_message_length"),
    "--timeout-keep-alive",
)
_ANSWERS = (
    *("--enable_grpc", "--enable_docs_url", "--enable_latency_logging", "--configure_logging"),
    *("--predictor_use_ssl", "--enable_predictor_health_check"),
)
_PROTOCOLS = ("v1", "v2", "grpc-v2")
_WORDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        _ANSWERS, ("true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", "1", "0")
    ),
    "--protocol": _PROTOCOLS,
    "--predictor_protocol": _PROTOCOLS,
    "--framework": ("sklearn", "xgboost", "lightgbm"),
}
#: What every server has.
_COMMON = frozenset(
    {
        *_NUMBERS,
        *_ANSWERS,
        *("--protocol", "--predictor_protocol", "--predictor_host", "--model_name", "--model_dir"),
        *("--log_config_file", "--access_log_format", "--event-loop"),
    }
) - {"--nthread"}


#: The flags that a server has beside these, by the name of its module, which is that of its image.
_SERVERS: Mapping[str, frozenset[str]] = {
    "sklearnserver": frozenset(),
    "xgbserver": frozenset({"--nthread"}),
    "lgbserver": frozenset({"--nthread"}),
    "pmmlserver": frozenset(),
    "paddleserver": frozenset(),
    "predictiveserver": frozenset({"--framework", "--nthread"}),
}
_WHOLE = re.compile(r"[+-]?[0-9]+")

UNREAD = Check(
    "no-effect",
    WARNING,
    finds="{flag} has no effect: KServe's {server} does not know this flag and ignores it",
    fix="{way}",
)
VALUE = Check(
    "engine-value",
    WARNING,
    finds='{flag} is "{value}", and KServe\'s {server} takes {wanted} there: it does not start',
    fix="write {way}",
)


@check(UNREAD, costly=True)
def unread(view: ServiceView) -> Iterator[Problem]:
    """Yield flags that one of KServe's own servers ignores."""
    for workload, server, flag, dummy, path in _flags(view):
        known = _COMMON | _SERVERS[server]
        # A flag may be cut short, as long as one alone begins so.
        if any(each.startswith(flag) for each in known):
            continue
        place = workload.in_engine(path)
        if not place.is_authors:
            continue
        other = {each.replace("_", "-"): each for each in known}.get(flag.replace("_", "-"))
        near = other or nearest(flag, known)
        way = f"write {near}" if other else f"did you mean {near}?" if near else "leave it out"
        yield UNREAD.at(place, flag=flag, server=server, way=way)


@check(VALUE, costly=True)
def value(view: ServiceView) -> Iterator[Problem]:
    """Yield values of flags that KServe's own servers cannot read."""
    for workload, server, flag, text, path in _flags(view):
        options = _WORDS.get(flag)
        number = flag in _NUMBERS
        if "$" in text or not (options or number):
            continue
        if _WHOLE.fullmatch(text) if number else text.lower() in (options or ()):
            continue
        place = workload.in_engine(path)
        if place.is_authors:
            shown = ("true", "false") if flag in _ANSWERS else options or ()
            wanted = "a whole number" if number else f"one of {', '.join(shown)}"
            way = nearest(text.lower(), shown) or ("one" if number else "one of these")
            yield VALUE.at(place, flag=flag, value=text, server=server, wanted=wanted, way=way)


def _flags(view: ServiceView) -> Iterator[tuple[Workload, str, str, str, str]]:
    """Yield the flags of KServe's own servers as they are written: workload, server, flag, value and place."""
    for workload in view.serving:
        server = _server(workload)
        for flag in workload.flags if server else ():
            if flag.name.startswith("--"):
                yield workload, server, spelt(workload, flag), flag.value, flag.place


def _server(workload: Workload) -> str:
    """Return which of KServe's own servers the engine's container runs, empty for none."""
    container = workload.engine_container
    image = str(container.get("image") or "").partition("@")[0].rpartition("/")[2]
    started = {"command": container.get("command") or (), "args": container.get("args") or ()}
    given = words(started)
    module = next((each for each in given if each in _SERVERS), "")
    if module or container.get("command"):
        return module
    name = image.partition(":")[0]
    return next((each for each in _SERVERS if name == each or name.startswith(f"{each}-")), "")
