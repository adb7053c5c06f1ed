# SPDX-License-Identifier: GPL-3.0-or-later
"""Filling in the templates of a merged spec: its JSON text is one template, as the controller has it.

So a value is put in without escaping, and a template in a label or in the service's own spec is filled in, too.
Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.17.0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ....kube.fields import filled
from ....kube.go_json import go_json
from ....kube.go_json_error import go_json_error
from ....kube.go_template.errors import TemplateError
from ....kube.go_template.execute import render
from ....kube.go_template.printing import printed
from ....kube.go_template.values import Struct, pointed
from ....kube.manifest import Json
from ....kube.names import child_name
from ....kube.quantity import parse_quantity
from ....kube.release import Since
from ...kserve.releases import KServe
from ..artifacts.kv_cache import mount_path
from ..errors import Unbuildable

_NIL = "nil pointer evaluating"
#: Seconds that a pod has to end where its spec says nothing, and those that are kept for the very end.
_GRACE, _LAST_SECONDS = 60, 5

#: A preset and its spec: `LLMInferenceServiceConfig kserve/x`, or the service itself.
Layer = tuple[str, Json]


def filled_in(
    spec: Json,
    metadata: Mapping[str, Any],
    data: Struct,
    layers: Sequence[Layer],
    release: KServe,
) -> Json:
    """Return a merged spec with its templates filled in.

    metadata: the service's name, namespace, labels and annotations. layers: what was merged, the weakest first; errors name
    the one that a template comes from. release: says what templates may call. Raises Unbuildable.
    """
    document = {"metadata": {**metadata}, "spec": spec}
    text = go_json(document)
    if "{{" not in text:
        return spec
    try:
        result = render(text, data, _FUNCTIONS.at(release))
    except TemplateError as error:
        raise _failed(
            error, text, [("the service's metadata", {"metadata": metadata}), *layers]
        ) from None
    try:
        filled: Json = json.loads(result)["spec"]
    except json.JSONDecodeError as error:
        raise Unbuildable(
            f"failed to unmarshal config from template: {go_json_error(error)}",
            advice="values are put into the JSON text as they are: one of them holds a quotation mark, a backslash or a line break",
            rule="template",
        ) from None
    return filled


def _child_name(parent: Any, suffix: Any) -> str:
    names = []
    for value in (parent, suffix):
        name = pointed(value)
        if name is None:
            raise ValueError("dereference of nil pointer of type *string")
        if not isinstance(name, str):
            raise ValueError(f"wrong type for value; expected string; got {printed(value)}")
        names.append(name)
    return child_name(*names)


def _shutdown_timeout(pod: Any, stopping: Any) -> int:
    """Return how many seconds a server has to end its requests. stopping: seconds that go by before it is told to."""
    given, before = pointed(pod), pointed(stopping)
    if not isinstance(before, int):
        raise ValueError(f"wrong type for value; expected int64; got {printed(before)}")
    seconds = given.data.get("terminationGracePeriodSeconds") if isinstance(given, Struct) else None
    grace = _GRACE if seconds is None else int(seconds)
    return max(0, grace - before - min(_LAST_SECONDS, grace))


def _kv_transfer_config(given: Any) -> str:
    """Return the flag by which an engine keeps its KV cache beside the GPU, empty where nobody asks for it.

    The quotes are for the JSON text that the template is in, and for the shell behind it.
    """
    spec = pointed(given)
    spec = spec.data if isinstance(spec, Struct) else spec
    if not spec:
        return ""
    tiers = [
        {"root_dir": mount_path(number), "type": "fs"}
        for number, tier in enumerate(spec.get("secondary") or ())
        if tier.get("fileSystem") is not None
    ]
    extra = {
        "cpu_bytes_to_use": int(parse_quantity(str(spec.get("cpu") or "0"))),
        "eviction_policy": spec.get("evictionPolicy"),
        "secondary_tiers": tiers,
        "spec_name": "TieringOffloadingSpec",
    }
    config = {
        "kv_connector": "OffloadingConnector",
        "kv_connector_extra_config": filled(extra),
        "kv_role": "kv_both",
    }
    quoted = go_json(config).replace('"', '\\\\\\"')
    return f"--kv-transfer-config '{quoted}'"


#: What templates may call.
_FUNCTIONS: Since[Mapping[str, Callable[..., Any]]] = Since(
    {
        KServe.V0_17: {"ChildName": _child_name},
        KServe.V0_19: {"ChildName": _child_name, "shutdownTimeout": _shutdown_timeout},
        KServe.V0_20: {
            "ChildName": _child_name,
            "shutdownTimeout": _shutdown_timeout,
            "kvTransferConfig": _kv_transfer_config,
        },
    }
)


def _failed(error: TemplateError, text: str, layers: Sequence[Layer]) -> Unbuildable:
    step = "failed to merge config" if error.expression else "failed to parse template config"
    # What was read as one action may reach beyond the text in which it began.
    begin = error.action.split('"')[0].split("\\")[0].strip()
    place = next(_places(begin, layers), None)
    variable = f"{{{{ {error.expression or begin} }}}}"
    where = f"{variable} is in {place}" if place else f"the template is {variable}"
    if error.reason.startswith(_NIL):
        return _not_seen(error, f"{step}: {error.as_go('config', text)}", where, layers)
    hint = _hint(error)
    return Unbuildable(
        f"{step}: {error.as_go('config', text)}",
        path="",
        advice=f"{where}; {hint}" if hint else where,
        rule="template",
    )


def _not_seen(
    error: TemplateError, message: str, where: str, layers: Sequence[Layer]
) -> Unbuildable:
    """Return the error of a template that asks for what the service itself does not say."""
    steps = error.expression.split(".")[1:-1]
    path = ".".join(step[:1].lower() + step[1:] for step in steps)
    sources = [name for name, part in layers if _at(part, steps[1:]) is not None]
    elsewhere = f"{' and '.join(sources)} says it, but " if sources else ""
    return Unbuildable(
        message,
        path=path,
        told=f"the service itself does not say {path}: {elsewhere}templates only see the service's own spec",
        advice=f"{where}; set {path} on the service itself",
        rule="template",
    )


def _at(part: Any, steps: Sequence[str]) -> Any:
    """Return a field by the names of Go, None where it is not there."""
    for step in steps:
        fields = part if isinstance(part, Mapping) else {}
        part = next((value for key, value in fields.items() if key.lower() == step.lower()), None)
    return part


def _places(action: str, layers: Sequence[Layer]) -> Iterator[str]:
    """Yield where an action is: preset, field and line, what was merged last first."""
    for name, part in reversed(layers):
        for path, text in _texts(part, ""):
            for line, words in enumerate(text.splitlines(), start=1):
                if "{{" in words and action in words:
                    yield f"{name}, {path}, line {line}"


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{number}]")


def _hint(error: TemplateError) -> str:
    if "in operand" in error.reason or error.reason.startswith("bad character"):
        return "write texts in back-quotes: the template is filled in as JSON, where quotation marks are escaped"
    if error.reason.startswith("can't evaluate field"):
        return (
            "known are .Name, .Namespace, .Labels, .Annotations, .Spec, .Status and .GlobalConfig"
        )
    if error.reason.startswith("function "):
        return (
            "fields of the service begin with a dot, as in {{ .Name }}; variables of Ansible are not filled in "
            "here, so put their values in before"
        )
    return ""
