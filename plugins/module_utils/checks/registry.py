# SPDX-License-Identifier: GPL-3.0-or-later
"""Every check, by theme. A check of a theme is found by itself; a new theme is named here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import ModuleType

from ..kinds.check import BoundCheck
from . import (
    backends,
    credentials,
    devices,
    disaggregation,
    engine_flags,
    engine_names,
    engine_words,
    fleet,
    picker,
    ports,
    routing,
    scaling,
    tpus,
)

#: Themes with a check that runs for settled services, too.
THEMES: Sequence[ModuleType] = (
    engine_flags,
    engine_names,
    engine_words,
    devices,
    tpus,
    disaggregation,
    picker,
    ports,
    routing,
    backends,
    scaling,
    credentials,
    fleet,
)


@cache
def settled_checks() -> Sequence[BoundCheck]:
    """Return every check that runs for settled services, in the order of themes and of their files."""
    return tuple(
        check for theme in THEMES for check in of_theme(theme) if check.in_every_run or check.fleet
    )


@cache
def checks() -> Sequence[BoundCheck]:
    """Return every check, in the order of themes and of their files."""
    return tuple(check for theme in (*THEMES, *further_themes()) for check in of_theme(theme))


def further_themes() -> Sequence[ModuleType]:
    """Return the themes of which nothing runs for settled services: a run that changes nothing does not pay for loading them."""
    from . import (
        amounts,
        cache_memory,
        commands,
        device_claims,
        device_names,
        engine_documents,
        engine_values,
        files,
        gated_fields,
        groups,
        kserve_server,
        kubelet,
        lifecycle,
        listening,
        local_addresses,
        misplaced_names,
        model_names,
        models,
        names,
        no_effect,
        node_choice,
        node_contradictions,
        node_labels,
        object_names,
        other_engines,
        parsers,
        picker_flags,
        picker_probes,
        plain_secrets,
        pod_annotations,
        pod_security,
        pools,
        predictive_servers,
        probes,
        prometheus_queries,
        queues,
        quota,
        references,
        repeated,
        replaced_commands,
        secret_contents,
        shadowed_routes,
        spread,
        templates,
        triggers,
        variable_values,
        variables,
        volume_claims,
        volumes,
    )

    of_engines = (
        *(other_engines, kserve_server, predictive_servers),
        *(engine_values, parsers, engine_documents, groups, listening, local_addresses, files),
        *(variables, variable_values, references, cache_memory),
        *(commands, replaced_commands, model_names),
    )
    of_pods = (
        *(kubelet, amounts, device_names, node_labels, volumes, spread, picker_flags),
        *(probes, lifecycle, pools, plain_secrets, templates, triggers),
        *(picker_probes, pod_annotations, repeated, node_choice),
        *(node_contradictions, prometheus_queries, secret_contents, shadowed_routes),
        *(misplaced_names,),
    )
    return (
        *of_engines,
        *of_pods,
        gated_fields,
        quota,
        pod_security,
        queues,
        models,
        names,
        object_names,
        device_claims,
        volume_claims,
        no_effect,
    )


def of_theme(theme: ModuleType) -> Sequence[BoundCheck]:
    """Return the checks of one theme."""
    return tuple(each for each in vars(theme).values() if isinstance(each, BoundCheck))
