# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether engines tell a picker what they have in their caches, in the words in which it listens.

A picker that follows the engines' own reports finds nothing where no report comes, where its blocks are hashed otherwise, or where it
listens for another topic: no error says so, and every request goes to any pod.
Source: KServe's sample precise-prefix-kv-cache-routing; vLLM, KVEventsConfig.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..kube.command_line import flags, written_object
from ..kube.manifest import Json, value_at
from ..kube.url_form import local_port
from .check import Report
from .findings import Finding, warning
from .workloads import EVENTS, as_map, engines_of

_HASHING, _NO_CACHE = (
    "--prefix-caching-hash-algo",
    "--no-enable-prefix-caching",
)
_SEED = "PYTHONHASHSEED"
_PRECISE = ("precise-prefix-cache-scorer", "precise-prefix-cache-producer")
#: Scorers that look for cached beginnings of prompts in either way.
_OF_PREFIXES = (*_PRECISE, "prefix-cache-scorer", "approx-prefix-cache-producer")
#: What a picker hashes blocks with.
_HASHED_ALIKE = ("sha256_cbor", "sha256_cbor_64bit")
_TOPIC = "kv@"


def cache_event_findings(workloads: Iterable[Json], report: Report) -> Iterator[Finding]:
    """Yield what keeps a picker from knowing the caches of the engines. workloads: pods, or what has a pod template."""
    plugins = [
        (number, plugin)
        for number, plugin in enumerate(report.config.get("plugins", ()))
        if plugin.get("type") in _OF_PREFIXES
    ]
    engines = [engine for workload in workloads for engine in engines_of(workload)]
    if not plugins or not engines:
        return
    yield from _without_cache(plugins, engines)
    for number, plugin in plugins:
        if plugin["type"] not in _PRECISE:
            continue
        path = f"plugins[{number}].parameters"
        parameters = as_map(plugin.get("parameters"))
        for name, engine in engines:
            yield from _events(name, engine, parameters, path)
            yield from _hashes(name, engine, parameters, path)
            yield from _models(name, engine, parameters, path)


def _without_cache(
    plugins: list[tuple[int, Json]], engines: list[tuple[str, Json]]
) -> Iterator[Finding]:
    for name, engine in engines:
        if _NO_CACHE in dict(flags(engine)):
            number, plugin = plugins[0]
            yield warning(
                "prefix-cache-off",
                f"plugins[{number}]",
                plugin.get("type"),
                f"{name} runs with {_NO_CACHE}, so that no beginning of a prompt is ever cached",
                f"leave {_NO_CACHE} out, or delete the plugin",
            )


def _events(name: str, engine: Json, parameters: Json, path: str) -> Iterator[Finding]:
    """Yield what keeps an engine's reports from a picker."""
    place = f"{path}.kvEventsConfig"
    said = written_object(engine, EVENTS)
    if said is None:
        if not _mentions(engine, EVENTS):
            yield warning(
                "kv-events-missing",
                place,
                None,
                f"{name} does not tell what it has in its cache, since it runs without {EVENTS}: no cached prefix is ever found",
                f"give the engine {EVENTS} with enable_kv_cache_events: true",
            )
        return
    if said.get("enable_kv_cache_events") is not True:
        yield warning(
            "kv-events-off",
            place,
            None,
            f"{EVENTS} of {name} does not say enable_kv_cache_events: true, so nothing is sent",
            "set it",
        )
    if said.get("publisher", "zmq") != "zmq":
        yield warning(
            "kv-events-off",
            place,
            said["publisher"],
            f'{EVENTS} of {name} sends with publisher "{said["publisher"]}", and the picker listens with ZMQ',
            "set publisher: zmq",
        )
    listens = value_at(parameters, ("kvEventsConfig", "topicFilter")) or _TOPIC
    topic = said.get("topic") or ""
    if not _resolved(str(topic), engine).startswith(str(listens)):
        yield warning(
            "kv-events-topic",
            f"{place}.topicFilter",
            listens,
            f'{name} reports under the topic "{topic}", and the picker listens for what begins with "{listens}"',
            f'begin the topic in {EVENTS} with it, for example "{listens}$(POD_IP)@model"',
        )
    yield from _addresses(name, said, parameters, place)
    yield from _ports(name, said, parameters, place)


def _addresses(name: str, said: Json, parameters: Json, place: str) -> Iterator[Finding]:
    """Yield addresses of the own pod, where engine and picker never meet."""
    sends = str(said.get("endpoint") or "")
    if local_port(sends):
        yield warning(
            "kv-events-address",
            place,
            None,
            f"{name} sends its reports to {sends}, which is its own pod, and the picker is in another one",
            f'send them to the picker\'s Service, or write endpoint: "tcp://*:{local_port(sends)}" where the picker asks each pod',
        )
    central = str(value_at(parameters, ("kvEventsConfig", "zmqEndpoint")) or "")
    if local_port(central):
        yield warning(
            "kv-events-address",
            f"{place}.zmqEndpoint",
            central,
            f"the picker takes reports at {central}, which is its own pod, and {name} is in another one",
            f"write tcp://*:{local_port(central)}",
        )


def _ports(name: str, said: Json, parameters: Json, place: str) -> Iterator[Finding]:
    central = value_at(parameters, ("kvEventsConfig", "zmqEndpoint"))
    port = value_at(parameters, ("kvEventsConfig", "podDiscoveryConfig", "socketPort"))
    endpoint = str(said.get("endpoint") or "tcp://*:5557")
    theirs = endpoint.rpartition(":")[2]
    binds = "*" in endpoint or "0.0.0.0" in endpoint  # noqa: S104 - an address in somebody's configuration
    ours, where = (
        (str(port), "podDiscoveryConfig.socketPort")
        if binds
        else (
            str(central or "").rpartition(":")[2],
            "zmqEndpoint",
        )
    )
    if ours.isdecimal() and theirs.isdecimal() and ours != theirs:
        yield warning(
            "kv-events-port",
            f"{place}.{where}",
            ours,
            f"{name} sends its reports at port {theirs}, and the picker expects them at {ours}",
            f"make both the same, here or in endpoint of {EVENTS}",
        )


def _hashes(name: str, engine: Json, parameters: Json, path: str) -> Iterator[Finding]:
    """Yield hashes of blocks that are not those of the engine."""
    given = dict(flags(engine))
    algorithm = given.get(_HASHING)
    if algorithm and algorithm not in _HASHED_ALIKE:
        yield warning(
            "hash-algorithm-differs",
            path,
            algorithm,
            f"{name} hashes its blocks with {algorithm}, and the picker with sha256_cbor: no cached prefix is ever found",
            f"give the engine {_HASHING}=sha256_cbor",
        )
    holders = (
        ("tokenProcessorConfig", "hashSeed"),
        ("indexerConfig", "tokenProcessorConfig", "hashSeed"),
    )
    where, seed = next(
        ((".".join(each), found) for each in holders if (found := value_at(parameters, each))),
        ("tokenProcessorConfig.hashSeed", ""),
    )
    variable = next((each for each in engine.get("env") or () if each.get("name") == _SEED), None)
    if variable is not None and "valueFrom" in variable:
        return
    theirs = str((variable or {}).get("value") or "")
    if str(seed) != theirs:
        shown = f"{_SEED} {theirs}" if theirs else f"no {_SEED}"
        yield warning(
            "hash-seed-differs",
            f"{path}.{where}",
            seed,
            f'hashSeed is "{seed}", and {name} has {shown}: no cached prefix is ever found',
            f"make hashSeed and the engine's {_SEED} the same",
        )


def _models(name: str, engine: Json, parameters: Json, path: str) -> Iterator[Finding]:
    """Yield a model whose tokens are not those of the engine. An engine that reads a folder does not say which model it has."""
    where = "indexerConfig.tokenizersPoolConfig.modelName"
    ours = str(value_at(parameters, tuple(where.split("."))) or "")
    theirs = _model_of(engine)
    served = [
        value for flag, value in flags(engine) if flag in ("--served-model-name", "--tokenizer")
    ]
    if ours and theirs and ours not in (theirs, *served):
        yield warning(
            "tokenizer-differs",
            f"{path}.{where}",
            ours,
            f"the picker counts the tokens of {ours}, and {name} serves {theirs}: no cached prefix is ever found",
            "name the model that the engines serve",
        )


def _model_of(engine: Json) -> str:
    """Return the model that an engine fetches by its name on the hub, empty where it reads a folder."""
    words = [str(word) for field in ("command", "args") for word in engine.get(field) or ()]
    after = next((words[at + 1] for at, word in enumerate(words[:-1]) if word == "serve"), "")
    given = dict(flags(engine))
    found = given.get("--model") or given.get("--model-path") or after
    return found if "/" in found and not found.startswith(("/", ".", "-", "$")) else ""


def _mentions(engine: Json, flag: str) -> bool:
    words = [str(word) for field in ("command", "args") for word in engine.get(field) or ()]
    given = [str(each.get("value") or "") for each in engine.get("env") or ()]
    configured = any(word.partition("=")[0] == "--config" for word in words)
    return configured or any(flag in each.replace("_", "-") for each in (*words, *given))


def _resolved(text: str, engine: Json) -> str:
    """Return a text whose first word is a variable with the variable's value, where that is known."""
    for variable in engine.get("env") or ():
        text = text.replace(f"$({variable.get('name')})", str(variable.get("value") or "…"))
    return text
