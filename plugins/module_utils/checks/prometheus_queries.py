# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries by which autoscalers measure: what Prometheus refuses, and metrics of vLLM that are misspelt.

Source: Prometheus documentation, Querying basics and Functions; vLLM documentation, Production Metrics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView
from ..kube.brackets import unbalanced
from ..kube.did_you_mean import nearest
from ..kube.problem import Problem
from .triggers import triggers_of

#: Texts and comments, in which anything may stand.
_QUIET = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|#[^\n]*")
#: These look at a time behind the present, which a metric alone does not have.
_OF_RANGES = re.compile(
    r"\b(?P<function>rate|irate|increase|delta|idelta|deriv|changes|resets|(?:avg|min|max|sum|count|last|present)_over_time)"
    r"\s*\(\s*(?P<metric>[A-Za-z_:][\w:]*)\s*(?:\{[^{}]*\})?\s*\)",
    re.ASCII,
)
_MATCHERS = re.compile(r"\{(?P<inner>[^{}]*)\}")
_MATCHER = re.compile(r"\s*[A-Za-z_]\w*\s*(=~|!~|!=|=)\s*T\s*", re.ASCII)
_OF_VLLM = re.compile(r"\bvllm:[A-Za-z0-9_]+")
_METRICS = tuple(
    f"vllm:{name}"
    for name in (
        *("num_requests_running", "num_requests_waiting", "num_requests_swapped"),
        *("gpu_cache_usage_perc", "kv_cache_usage_perc", "cpu_cache_usage_perc"),
        *("prompt_tokens_total", "generation_tokens_total", "num_preemptions_total"),
        *("request_success_total", "iteration_tokens_total", "request_params_n"),
        *("time_to_first_token_seconds", "time_per_output_token_seconds"),
        *("inter_token_latency_seconds", "e2e_request_latency_seconds"),
        *("request_queue_time_seconds", "request_prefill_time_seconds"),
        *("request_decode_time_seconds", "request_inference_time_seconds"),
        *("request_prompt_tokens", "request_generation_tokens", "request_params_max_tokens"),
        *("request_max_num_generation_tokens", "prefix_cache_queries_total"),
        *("prefix_cache_hits_total", "gpu_prefix_cache_queries_total"),
        *("gpu_prefix_cache_hits_total", "lora_requests_info", "cache_config_info"),
    )
)
_ENDS = ("_bucket", "_sum", "_count", "_total", "_created")
#: Two letters may differ.
_LIKENESS = 0.92

REFUSED = Check(
    "trigger-query",
    WARNING,
    finds="Prometheus refuses the query, since {fault}: nothing is measured, and KEDA does not scale",
    fix="{way}",
)
METRIC = Check(
    "trigger-query",
    WARNING,
    finds="vLLM serves no metric {metric}: nothing is measured, and KEDA does not scale",
    fix="write {near}",
)


@check(REFUSED, costly=True)
def refused(view: ServiceView) -> Iterator[Problem]:
    """Yield queries that Prometheus cannot read."""
    for place, query in _queries(view):
        found = query_fault(query)
        if found:
            fault, way = found
            yield REFUSED.at(place, fault=fault, way=way)


@check(METRIC, costly=True)
def unknown_metric(view: ServiceView) -> Iterator[Problem]:
    """Yield metrics of a query that are nearly those that vLLM serves."""
    for place, query in _queries(view):
        for metric in dict.fromkeys(_OF_VLLM.findall(query)):
            end = next((each for each in _ENDS if metric.endswith(each)), "")
            bare = metric.removesuffix(end)
            near = nearest(bare, _METRICS, _LIKENESS) or nearest(metric, _METRICS, _LIKENESS)
            if near and not {bare, metric, f"{bare}_total"} & {*_METRICS}:
                yield METRIC.at(place, metric=metric, near=near)


def query_fault(query: str) -> tuple[str, str] | None:
    """Return why Prometheus cannot read a query and what to do, None where it may be able to."""
    if "{{" in query or "$" in query:
        # Somebody fills it in.
        return None
    text = _QUIET.sub("T", query)
    for mark in "\"'":
        if mark in text:
            return f"a text that begins with {mark} has no end", "close it"
    found = unbalanced(text)
    if found:
        bracket, opens = found
        if opens:
            return f"{bracket} is never closed", "close it"
        return f"{bracket} closes nothing", "take it out, or open it"
    bare = _OF_RANGES.search(text)
    if bare:
        function, metric = bare["function"], bare["metric"]
        return f"{function} wants a range, and {metric} has none", "write one behind it, as in [5m]"
    for braces in _MATCHERS.finditer(text):
        for each in filter(str.strip, braces["inner"].split(",")):
            if not (_MATCHER.fullmatch(each) or each.strip() == "T"):
                shown = each.strip().replace("T", '"…"')
                return f"{shown} compares no label with a text", 'write it as in name="value"'
    return None


def _queries(view: ServiceView) -> Iterator[tuple[Place, str]]:
    for each in triggers_of(view):
        query = each.metadata.get("query")
        if each.type == "prometheus" and isinstance(query, str) and query.strip():
            yield each.at("metadata.query"), query
