# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of KServe's huggingfaceserver: which model it loads, and words that it does not know.

Source: KServe python/huggingfaceserver/huggingfaceserver/{__main__,task}.py@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import has_shell
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json
from ..kube.problem import Problem
from .engines import KSERVE, engine_of

_MODEL_ID, _MODEL_DIR = "--model-id", "--model-dir"
#: Where the server looks for a model that no argument names.
_FOLDER = "/mnt/models"
#: Variables from which scripts around the server take its model.
_VARIABLES = frozenset({"MODEL_ID", "MODEL_DIR"})


class _Words(NamedTuple):
    """Words that a flag takes. others: whether there may be more, so that only what is nearly one of these is reported."""

    known: tuple[str, ...]
    others: bool = False


_WORDS: Mapping[str, _Words] = {
    "--backend": _Words(("auto", "huggingface", "vllm")),
    "--dtype": _Words(("auto", "float16", "float32", "bfloat16", "float", "half")),
    "--task": _Words(
        (
            *("fill_mask", "multiple_choice", "question_answering", "sequence_classification"),
            *("table_question_answering", "text2text_generation", "text_embedding"),
            *("text_generation", "time_series_forecast", "token_classification"),
        ),
        others=True,
    ),
}

WORD = Check(
    "server-argument",
    WARNING,
    finds='{flag} is "{value}", and {server} takes one of {words}: it ends with an error',
    fix="write {near}",
)
TWO_MODELS = Check(
    "server-model",
    WARNING,
    finds="the model of {uri} is downloaded but never loaded: with {flag}, {server} downloads and loads {value}",
    fix="leave one of the two out",
)
NO_MODEL = Check(
    "server-model",
    WARNING,
    finds="no model is downloaded to {folder}, where {server} looks for it: it ends with an error",
    fix="give a storageUri, or the argument --model_id",
)


@check(WORD, costly=True)
def word(view: ServiceView) -> Iterator[Problem]:
    """Yield values that KServe's server does not accept for a flag."""
    for workload in _servers(view):
        for flag in workload.flags:
            words = _WORDS.get(flag.name)
            if words is None or not flag.value or "$" in flag.value or flag.value in words.known:
                continue
            near = nearest(flag.value, words.known)
            if near or not words.others:
                yield WORD.at(
                    workload.in_engine(flag.place),
                    flag=flag.name,
                    value=flag.value,
                    server=KSERVE,
                    words=", ".join(words.known),
                    near=near or words.known[0],
                )


@check(TWO_MODELS, costly=True)
def two_models(view: ServiceView) -> Iterator[Problem]:
    """Yield models that are downloaded although the server downloads another one itself."""
    given = [model for model in view.models if model.value]
    for workload in _servers(view) if given else ():
        for flag in workload.flags:
            place = workload.in_engine(flag.place)
            # A path is the model that is fetched.
            if flag.name == _MODEL_ID and flag.value[:1] not in ("", "/", "$") and place.is_authors:
                yield TWO_MODELS.at(
                    place, uri=given[0].value, flag="--model_id", server=KSERVE, value=flag.value
                )


@check(NO_MODEL, costly=True)
def no_model(view: ServiceView) -> Iterator[Problem]:
    """Yield servers without a model to load."""
    for workload in _servers(view):
        container = workload.engine_container
        named = {flag.name: flag.value for flag in workload.flags}
        folder = named.get(_MODEL_DIR, _FOLDER)
        brought = workload.fetcher or any(model.value for model in view.models)
        if brought or _MODEL_ID in named or folder.rstrip("/") != _FOLDER or has_shell(container):
            continue
        variables = {str(each.get("name")) for each in container.get("env") or ()}
        if not variables & _VARIABLES and not _mounted(container):
            yield NO_MODEL.at(workload.origin, folder=_FOLDER, server=KSERVE)


def _servers(view: ServiceView) -> Iterator[Workload]:
    for workload in view.serving:
        engine = engine_of(workload)
        if engine == KSERVE or (not engine and "server" in workload.said):
            yield workload


def _mounted(container: Json) -> bool:
    """Tell whether a container has a volume where the model is expected, or above or below that."""
    mounts = [
        str(each.get("mountPath")).rstrip("/") for each in container.get("volumeMounts") or ()
    ]
    return any(each.startswith(_FOLDER) or _FOLDER.startswith(f"{each}/") for each in mounts)
