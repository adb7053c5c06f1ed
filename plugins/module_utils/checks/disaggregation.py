# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefill and decode in separate pods: whether the work gets there and the cache comes back."""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import DECODE, PREFILL, SERVING, ServiceView, Workload
from ..kube.problem import Problem
from .devices import size_of

_TRANSFER = "--kv-transfer-config"
#: Flags of engines that hand the cache over in another way, and files in which more flags stand.
_OTHER_WAYS = ("--disaggregation-", "--config", "--enable-disaggregation")

KV_TRANSFER = Check(
    "kv-transfer",
    WARNING,
    finds=f"no {_TRANSFER} is given, so prefill pods hand nothing over and decode pods compute it again",
    fix=f"give the engine {_TRANSFER}",
)
PREFILL_TENSOR = Check(
    "prefill-tensor",
    WARNING,
    finds="{prefill} is larger than that of decode, {decode} ({field}); most models cannot hand their KV cache over that way",
    fix="use at most the decode size",
)
NO_SENDER = Check(
    "prefill-without-proxy",
    WARNING,
    finds="prefill pods get no work without {field}, since nobody follows the picker's hints",
    fix="give it, or leave prefill out",
)


@check(NO_SENDER)
def without_sender(view: ServiceView) -> Iterator[Problem]:
    """Yield prefill pods that get no work."""
    if view.splits and not view.sender.value:
        (prefill, *dummy) = view.of(PREFILL)
        yield NO_SENDER.at(prefill.origin, field=view.sender.field)


@check(PREFILL_TENSOR)
def prefill_tensor(view: ServiceView) -> Iterator[Problem]:
    """Yield prefill spread wider than decode, which the NIXL connector supports for few models only."""
    if not view.splits:
        return
    decode, prefill = next(view.of(DECODE), None), next(view.of(PREFILL), None)
    if decode is None or prefill is None:
        return
    wide, narrow = size_of(prefill, "tensor"), size_of(decode, "tensor")
    if wide > narrow:
        field = _tensor_field(decode)
        yield PREFILL_TENSOR.at(_tensor_field(prefill), prefill=wide, decode=narrow, field=field)


@check(KV_TRANSFER)
def kv_transfer(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that are not told to hand the KV cache over."""
    if not (view.splits and view.sender.value):
        return
    for workload in view.of(*SERVING):
        if workload.engine_container and not _hands_over(workload):
            yield KV_TRANSFER.at(workload.in_engine("args"))


def _tensor_field(workload: Workload) -> str:
    said = workload.said.get("tensor")
    return said.field if said else workload.in_engine("args").field


def _hands_over(workload: Workload) -> bool:
    names = [flag.name for flag in workload.flags]
    given = [str(each.get("value") or "") for each in workload.engine_container.get("env") or ()]
    return any(name == _TRANSFER or name.startswith(_OTHER_WAYS) for name in names) or any(
        _TRANSFER in value for value in given
    )
