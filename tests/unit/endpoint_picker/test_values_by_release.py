# SPDX-License-Identifier: GPL-3.0-or-later
"""A value of a parameter is refused by those releases that look at it, and by no other."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.endpoint_picker.catalogue import plugins
from module_utils.endpoint_picker.check import check_document
from module_utils.endpoint_picker.plugin_parameters import Declared
from module_utils.endpoint_picker.releases import release_of, releases
from module_utils.endpoint_picker.rules.parameters import parameters_of, read_parameters

PRECISE = "precise-prefix-cache-scorer"
POOL = {"modelName": "acme/chat-8b", "uds": {"socketFile": "/run/tokenizer.sock"}}
EVERY = [
    target for target, release in releases().items() if release.judged and target.startswith("llmd")
]
LENIENT = [target for target, release in releases().items() if not release.strict_parameters]
FROM_0_5, FROM_0_7, OWN = EVERY[2:], EVERY[4:], EVERY[6:]


def precise(index: dict[str, Any] | None = None, **parameters: Any) -> dict[str, Any]:
    """Return parameters of the precise scorer with which each release starts but for what is given."""
    indexer = {"tokenizersPoolConfig": POOL}
    if index is not None:
        indexer["kvBlockIndexConfig"] = index
    return {"indexerConfig": indexer, **parameters}


def tokens(**pool: Any) -> dict[str, Any]:
    return {"indexerConfig": {"tokenizersPoolConfig": pool}}


MODEL = {"modelName": "acme/chat-8b"}
#: What is given to the precise scorer, and the releases that do not start with it.
CASES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("nothing else", precise(), []),
    ("no block size", precise(tokenProcessorConfig={}), ["llmd:0.7", "llmd:0.8"]),
    (
        "a seed alone",
        precise(tokenProcessorConfig={"hashSeed": "42"}),
        ["llmd:0.7", "llmd:0.8"],
    ),
    (
        "blocks of no size",
        precise(tokenProcessorConfig={"blockSize": None}),
        ["llmd:0.7", "llmd:0.8"],
    ),
    ("blocks below zero", precise(tokenProcessorConfig={"blockSize": -1}), FROM_0_7),
    (
        "the key of a later release",
        precise(tokenProcessorConfig={"blockSizeTokens": 16}),
        ["llmd:0.7", "llmd:0.8"],
    ),
    ("no token processor", precise(tokenProcessorConfig=None), []),
    ("no place", precise({"inMemoryConfig": None}), EVERY),
    (
        "another place",
        precise({"inMemoryConfig": None, "costAwareMemoryConfig": {"size": "1GiB"}}),
        [],
    ),
    (
        "no index section",
        {"indexerConfig": {"kvBlockIndexConfig": None, "tokenizersPoolConfig": POOL}},
        [],
    ),
    ("an empty memory", precise({"inMemoryConfig": {"size": 0}}), EVERY),
    ("costs without size", precise({"costAwareMemoryConfig": {}}), FROM_0_5),
    ("costs of nothing", precise({"costAwareMemoryConfig": {"size": "0"}}), FROM_0_5),
    ("costs below one byte", precise({"costAwareMemoryConfig": {"size": "0.9B"}}), FROM_0_5),
    ("costs beyond counting", precise({"costAwareMemoryConfig": {"size": "8EiB"}}), FROM_0_5),
    ("the most that counts", precise({"costAwareMemoryConfig": {"size": "7EiB"}}), []),
    (
        "a backend of nothing",
        {
            **precise(),
            "indexerConfig": {"tokenizersPoolConfig": POOL, "kvCacheBackendConfigs": [None]},
        },
        EVERY[1:],
    ),
    ("no events", precise(kvEventsConfig=None), FROM_0_5),
    ("fewer than no workers", precise(kvEventsConfig={"concurrency": -1}), EVERY),
    ("no index", {"indexerConfig": None}, EVERY),
    (
        "no time",
        precise(speculativeIndexing=True, speculativeTTL="soon"),
        FROM_0_7,
    ),
    ("no time where nobody asks", precise(speculativeTTL="soon"), []),
    ("no model", tokens(uds=POOL["uds"]), FROM_0_5),
    ("no backend", tokens(**MODEL, uds=None), EVERY[3:]),
    ("a backend without a socket", tokens(**MODEL, uds={"socketFile": ""}), EVERY[3:]),
    ("the backend by default", tokens(**MODEL), OWN),
    ("another model", tokens(**MODEL, uds={**POOL["uds"], "modelTokenizerMap": {}}), EVERY[3:]),
    (
        "every tokenizer off",
        tokens(**MODEL, hf={"enabled": False}),
        ["llmd:0.5", *OWN],
    ),
]


def refusing(kind: str, parameters: dict[str, Any]) -> list[str]:
    """Return the releases of llm-d that refuse the values of a plugin; a key that a release does not know is left out."""
    found = []
    for target in EVERY:
        release = release_of(target)
        document = {
            "plugins": [{"type": kind, "parameters": read_parameters(parameters, kind, release)}]
        }
        rules = {finding.rule for finding in check_document(document, release).errors}
        if "parameter-value" in rules:
            found.append(target)
    return found


@pytest.mark.parametrize(
    ("parameters", "targets"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_precise_prefixes_are_refused_where_the_release_refuses_them(
    parameters: dict[str, Any], targets: list[str]
) -> None:
    assert refusing(PRECISE, parameters) == targets


@pytest.mark.parametrize(
    ("tokenizers", "refused"), [(None, False), ({"acme/chat-8b": "/models"}, False), ({}, True)]
)
def test_a_map_of_tokenizers_has_the_model(tokenizers: Any, refused: bool) -> None:
    parameters = {**MODEL, "udsTokenizerConfig": {"modelTokenizerMap": tokenizers}}
    assert refusing("tokenizer", parameters) == (["llmd:0.7", "llmd:0.8"] if refused else [])


def session(**config: Any) -> dict[str, Any]:
    return {"strategy": "session_id", "sessionIdConfig": config}


@pytest.mark.parametrize(
    ("kind", "parameters", "refused"),
    [
        ("metrics-data-source", {"scheme": "https", "clientCertPath": "/tls/tls.crt"}, True),
        ("metrics-data-source", {"scheme": "http", "clientCertPath": "/tls/tls.crt"}, False),
        (
            "models-data-source",
            {"scheme": "https", "clientCertPath": "/tls.crt", "clientKeyPath": "/tls.key"},
            False,
        ),
        ("dcgm-data-source", {"useNodeAddress": True, "port": 0}, True),
        ("dcgm-data-source", {"useNodeAddress": True}, False),
        ("dcgm-data-source", {"port": 0}, False),
        ("session-affinity-scorer", session(evictionSweepSeconds=1e30), True),
        ("session-affinity-scorer", session(evictionSweepSeconds=1e-10), True),
        ("session-affinity-scorer", session(evictionSweepSeconds=0.001), False),
        ("session-affinity-scorer", session(evictionTtlSeconds=1e30), False),
        ("program-aware-fairness", {"evictionSweepSeconds": 1e30}, True),
        ("program-aware-fairness", {"evictionSweepSeconds": 1e30, "evictionTtlSeconds": 0}, False),
        (
            "disagg-profile-handler",
            {"stageOrder": "decode-first", "prefillProfile": "p"},
            False,
        ),
        ("disagg-profile-handler", {"stageOrder": None, "prefillProfile": "p"}, False),
        (
            "disagg-profile-handler",
            {"stageOrder": "prefill-first", "deciderPluginName": "always-disagg-pd-decider"},
            True,
        ),
        ("pd-profile-handler", {"prefixPluginName": "gone"}, True),
        ("pd-profile-handler", {"prefixPluginType": "gone"}, True),
        ("pd-profile-handler", {"prefixPluginName": "always-disagg-pd-decider"}, False),
    ],
)
def test_values_are_what_the_loader_of_0_10_takes(
    kind: str, parameters: dict[str, Any], refused: bool
) -> None:
    """Each was given to the loader itself, where the files are there."""
    if kind == "pd-profile-handler":
        parameters = {"deciderPluginName": "always-disagg-pd-decider", **parameters}
    plugins_ = [{"type": "always-disagg-pd-decider"}, {"type": kind, "parameters": parameters}]
    report = check_document({"plugins": plugins_}, release_of("llmd:0.10"), experimental=True)
    assert (report.verdict == "reject") == refused, report.errors


#: What a release adds by itself, which a profile may refer to without declaring it.
ADDED = {
    "fcfs-ordering-policy": ["gaie:1.4", "gaie:1.5", "llmd:0.6", *FROM_0_7],
    "static-usage-limit-policy": ["gaie:1.5", *FROM_0_7[1:]],
    "utilization-detector": ["gaie:1.5", *FROM_0_7[1:]],
    "openai-parser": ["gaie:1.5", *FROM_0_7[1:]],
    "vllmhttp-parser": OWN,
    "metrics-data-source": ["gaie:1.5", *FROM_0_7[1:]],
    "token-producer": [],
}


@pytest.mark.parametrize("kind", sorted(ADDED))
def test_a_profile_may_refer_to_what_the_release_adds(kind: str) -> None:
    references = [{"pluginRef": "queue-scorer"}, {"pluginRef": kind}]
    document = {
        "plugins": [{"type": "queue-scorer"}],
        "schedulingProfiles": [{"name": "default", "plugins": references}],
    }
    taking = [
        target
        for target, release in releases().items()
        if release.judged and check_document(document, release).verdict == "accept"
    ]
    assert taking == ADDED[kind]


@pytest.mark.parametrize("target", ["gaie:1.5", "llmd:0.9", "llmd:0.10"])
def test_a_fraction_below_zero_is_below_zero(target: str) -> None:
    document = {"featureGates": ["flowControl"], "flowControl": {"maxBytes": "-0.5"}}
    rules = {finding.rule for finding in check_document(document, release_of(target)).errors}
    assert rules == {"size-negative"}


def test_files_that_are_read_at_the_start_are_told() -> None:
    parameters = {"scheme": "https", "caCertPath": "/tls/ca.crt", "insecureSkipVerify": False}
    document = {"plugins": [{"type": "metrics-data-source", "parameters": parameters}]}
    findings = check_document(document, release_of("llmd:0.10")).findings
    (finding,) = [each for each in findings if each.rule == "service-needed"]
    assert (finding.value, finding.path) == (
        "/tls/ca.crt",
        "plugins[0].parameters.caCertPath",
    )


@pytest.mark.parametrize("target", ["llmd:0.7", "llmd:0.8"])
def test_an_order_of_stages_that_no_release_reads_yet_changes_nothing(target: str) -> None:
    """The key came with 0.10; before, it is ignored, together with what it means for deciders."""
    document = {
        "plugins": [
            {"type": "always-disagg-pd-decider"},
            {
                "type": "disagg-profile-handler",
                "parameters": {
                    "deciders": {"prefill": "always-disagg-pd-decider"},
                    "stageOrder": "prefill-first",
                },
            },
        ]
    }
    report = check_document(document, release_of(target))
    assert report.verdict == "accept"
    assert "parameter-unknown" in {finding.rule for finding in report.findings}
    assert check_document(document, release_of("llmd:0.10")).verdict == "reject"


@pytest.mark.parametrize("target", LENIENT)
def test_no_rule_looks_at_a_key_that_the_release_does_not_read(target: str) -> None:
    """Whatever a later release reads is given to an earlier one that ignores it: nothing but a warning follows."""
    release = release_of(target)
    newest = release_of("llmd:0.10").generation
    for kind, plugin in plugins().items():
        if not plugin.is_registered_in(release):
            continue
        own = parameters_of(kind, release.generation)
        for key, field in parameters_of(kind, newest).items():
            if key in own or not isinstance(field, str):
                continue
            wrong = {"int": -1, "number": -1.0, "string": "?"}.get(field)
            given = {"type": kind, "parameters": {key: wrong}}
            bare = {"type": kind, "parameters": {}}
            assert refusals(given, target) == refusals(bare, target), (kind, key)


def refusals(plugin: dict[str, Any], target: str) -> list[str]:
    findings = check_document({"plugins": [plugin]}, release_of(target)).errors
    return [f"{finding.path} {finding.message}" for finding in findings]


def test_letters_of_a_key_do_not_matter_for_what_is_read() -> None:
    plugin = Declared("", "max-score-picker", "", {"MaxNumOfEndpoints": 2, "other": 1}, given=True)
    read = read_parameters(plugin.parameters, plugin.type, release_of("llmd:0.10"))
    assert read == {"MaxNumOfEndpoints": 2}
