# SPDX-License-Identifier: GPL-3.0-or-later
"""What a release of the picker does with a configuration when it starts: each step of its loader, without starting anything."""

from __future__ import annotations

from copy import deepcopy

from ..findings import Finding, Value, refusal, verdict_of, warning
from ..releases import Generation, PickerRelease
from ..strict_decoding import cleaned, decoding_faults
from .advice import advise
from .builtin import builtin_default
from .data_flow import data_flow
from .data_layer import add_default_source, check_data_layer
from .flow_control import add_defaults, load_detector, load_flow_control, load_parsers
from .gates import load_gates
from .loading import Loading
from .plugins import load_plugins
from .profiles import check_references, load_profiles

_G = Generation


def load(document: Value, release: PickerRelease, *, experimental: bool, empty: bool) -> Loading:
    """Load a decoded document as a release does. empty: the text had no bytes at all.

    experimental: the picker runs with --allow-experimental-plugins.
    """
    faults = list(decoding_faults(document, release))
    if not release.judged:
        faults.insert(0, _unjudged(release))
    if verdict_of(faults) == "reject":
        return Loading(release, {}, document if isinstance(document, dict) else {}, findings=faults)
    given = document if isinstance(document, dict) else {}
    config = deepcopy(cleaned(given, release.generation))
    if empty and release.generation >= _G.V1_4:
        config = builtin_default(release)
    loading = Loading(release, config, given, findings=faults)
    _move_deprecated(loading)
    load_gates(loading)
    load_plugins(loading)
    if _any_unknown_type(loading):
        check_references(loading)
        return loading
    load_profiles(loading)
    add_defaults(loading)
    load_parsers(loading)
    load_detector(loading)
    add_default_source(loading)
    # A profile may refer to whatever the release adds by itself.
    check_references(loading)
    load_flow_control(loading)
    _load_data_flow(loading)
    check_data_layer(loading)
    if release.generation >= _G.V0_10 and not experimental:
        _refuse_alpha(loading)
    advise(loading)
    return loading


def _unjudged(release: PickerRelease) -> Finding:
    return warning(
        "release-unjudged",
        "",
        release.target,
        f"{release.target} was not run on configurations: what is found is what its project announced, and there may be more",
        "try the configuration on a picker of this release before you rely on it",
    )


def _any_unknown_type(loading: Loading) -> bool:
    """Whether the release stops at a type; of one that was not run, an unknown type may be a new one."""
    rules = {finding.rule for finding in loading.findings if finding.verdict == "reject"}
    return not rules.isdisjoint({"plugin-type-unknown", "plugin-without-type"})


def _move_deprecated(loading: Loading) -> None:
    """Take the old places of the saturation detector and the parser for the new ones, which win where both are set."""
    config = loading.config
    if not loading.release.has_own_picker:
        return
    if "saturationDetector" in config:
        flow_control = config.setdefault("flowControl", {})
        # One object: a default that is filled in below shows in both places.
        flow_control.setdefault("saturationDetector", config["saturationDetector"])
    if "parser" in config:
        handler = config.setdefault("requestHandler", {})
        if not handler.get("parsers"):
            handler["parsers"] = [dict(config["parser"])]


def _load_data_flow(loading: Loading) -> None:
    release, instances = loading.release, loading.instances
    if release.generation == _G.V1_5:
        both = {"token-load-scorer", "inflight-load-producer"} <= set(instances.values())
        if both:
            scorer = next(name for name, kind in instances.items() if kind == "token-load-scorer")
            loading.report([_mismatch(release, scorer)])
        return
    if not release.has_own_picker:
        return
    flow = data_flow(loading.objects(), release)
    loading.report([*flow.faults, *flow.unmet])
    for name in flow.created:
        instances[name] = name


def _mismatch(release: PickerRelease, scorer: str) -> Finding:
    return refusal(
        "data-mismatch",
        "plugins",
        scorer,
        f"{release.target} does not start with token-load-scorer beside inflight-load-producer: "
        "they disagree about the type of the data between them",
        "delete inflight-load-producer; the scorer alone starts",
    )


def _refuse_alpha(loading: Loading) -> None:
    for plugin in loading.objects():
        known = loading.registry.get(plugin.type)
        if known is not None and known.alpha:
            loading.report(
                [
                    refusal(
                        "plugin-alpha",
                        plugin.path or "plugins",
                        plugin.name,
                        f"{plugin.type} is an alpha plugin in {loading.release.target}",
                        "start the picker with --allow-experimental-plugins (option `experimental`), or do without it",
                    )
                ]
            )
