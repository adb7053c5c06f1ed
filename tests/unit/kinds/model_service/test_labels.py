# SPDX-License-Identifier: GPL-3.0-or-later
"""Each child carries the operator's labels, and finds its pods by those that never change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kinds.model_service import labels, names

VERSION = "v0.9.0-alpha.2"
COLUMNS = (
    ("decode_deployment", "object"),
    ("decode_deployment", "selector"),
    ("decode_deployment", "pod"),
    ("inference_pool", "selector"),
    ("picker_config", "object"),
    ("picker_deployment", "selector"),
    ("picker_deployment", "pod"),
    ("decode_pod_monitor", "object"),
    ("picker_service", "selector"),
    ("http_route", "object"),
)
RAW, PICKER, NONE = "qwen3-0.6b", "qwen3-0-6b-epp", None
DECODE, TRUE = "model-decode", "true"

#: Label → its value in each of COLUMNS, for a service called qwen3-0.6b.
TABLE = {
    "name": (RAW, RAW, RAW, RAW, PICKER, PICKER, PICKER, RAW, PICKER, RAW),
    "component": (DECODE, DECODE, DECODE, NONE, "epp", "epp", "epp", DECODE, "epp", "epp"),
    "part-of": ("otterscale-system",) * 10,
    "managed-by": ("model-operator",) * 10,
    "version": (VERSION, NONE, VERSION, NONE, VERSION, NONE, VERSION, VERSION, NONE, VERSION),
    "llm-d.ai/inferenceServing": (NONE, TRUE, TRUE, TRUE, *(NONE,) * 6),
    "llm-d.ai/inference-serving": (*(NONE,) * 7, TRUE, NONE, NONE),
    "llm-d.ai/model": (NONE, RAW, RAW, RAW, *(NONE,) * 6),
    "llm-d.ai/role": (NONE, "decode", "decode", *(NONE,) * 7),
    "inferencepool": (*(NONE,) * 5, PICKER, PICKER, *(NONE,) * 3),
}


def _full(key: str) -> str:
    return key if "/" in key or key == "inferencepool" else f"app.kubernetes.io/{key}"


@pytest.mark.parametrize(("child", "which"), COLUMNS)
def test_labels_are_the_operators(child: str, which: str) -> None:
    column = COLUMNS.index((child, which))
    wanted = {_full(key): row[column] for key, row in TABLE.items() if row[column] is not None}
    assert labels.all_labels(RAW, VERSION, serving_label=True)[child][which] == wanted


def test_every_child_has_labels() -> None:
    sets = labels.all_labels("chat", VERSION, serving_label=True)
    assert sets.keys() == names.child_names("chat", "demo").keys()


def test_prefill_differs_from_decode_in_role_and_component_only() -> None:
    sets = labels.all_labels("chat", VERSION, serving_label=False)
    decode, prefill = sets["decode_deployment"]["pod"], sets["prefill_deployment"]["pod"]
    assert dict(prefill.items() - decode.items()) == {
        "app.kubernetes.io/component": "model-prefill",
        "llm-d.ai/role": "prefill",
    }


def test_later_releases_leave_the_hyphenated_key_out() -> None:
    sets = labels.all_labels("chat", VERSION, serving_label=False)
    assert "llm-d.ai/inference-serving" not in sets["decode_pod_monitor"]["object"]


@given(
    st.from_regex(r"[a-z][a-z0-9.]{0,20}[a-z0-9]", fullmatch=True), st.sampled_from(["", VERSION])
)
def test_selectors_find_the_right_pods_and_no_others(service: str, version: str) -> None:
    sets = labels.all_labels(service, version, serving_label=True)
    pods = {
        child: sets[child]["pod"].items()
        for child in ("decode_deployment", "prefill_deployment", "picker_deployment")
    }

    def found(child: str) -> set[str]:
        return {name for name, pod in pods.items() if sets[child]["selector"].items() <= pod}

    for child in pods:
        assert found(child) == {child}
    assert found("decode_pod_monitor") == {"decode_deployment"}
    assert found("prefill_pod_monitor") == {"prefill_deployment"}
    assert found("picker_service") == {"picker_deployment"}
    assert found("inference_pool") == {"decode_deployment", "prefill_deployment"}
    assert all(
        "app.kubernetes.io/version" not in each.get("selector", {}) for each in sets.values()
    )
    assert sets["service_monitor"]["selector"].items() <= sets["picker_service"]["object"].items()
