# SPDX-License-Identifier: GPL-3.0-or-later
"""The service's name, labels and annotations in the containers of its runtime.

The JSON text of a container is one template of a page, as the controller has it: so signs that matter in a page come out
escaped, and a template with quotation marks is none any more. Source: KServe pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.17.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from ....kube.go_json import go_json
from ....kube.go_template.errors import TemplateError
from ....kube.go_template.execute import render
from ....kube.go_template.values import STRING, STRINGS, Struct, StructOf
from ....kube.manifest import Json
from ....kube.pod_merge_keys import as_go_writes
from ..errors import ModelFailure, Unbuildable
from .merge import INVALID_SPEC

_META = StructOf(
    "v1.ObjectMeta",
    {
        "Name": ("name", STRING),
        "Namespace": ("namespace", STRING),
        "Labels": ("labels", STRINGS),
        "Annotations": ("annotations", STRINGS),
        "GenerateName": ("generateName", STRING),
        "ResourceVersion": ("resourceVersion", STRING),
        "UID": ("uid", STRING),
    },
)
_TEMPLATE = "container-tmpl"


def filled_in(container: Json, metadata: Mapping[str, object], runtime: str) -> Json:
    """Return a container with its placeholders filled in. metadata: the service's. runtime: as messages name it. Raises Unbuildable."""
    text = go_json(container)
    if "{{" not in text:
        return container
    try:
        filled: Json = json.loads(
            render(text, Struct(_META, metadata), {}, lenient=True, html=True)
        )
    except TemplateError as error:
        quoted = error.reason.startswith("unexpected") or error.reason.startswith("bad character")
        hint = (
            "write texts in it in back-quotes"
            if quoted
            else "known are .Name, .Namespace, .Labels and .Annotations"
        )
        raise _failed(container, runtime, error.as_go(_TEMPLATE, text), hint) from None
    except ValueError as error:
        hint = "what is filled in makes no JSON any more"
        raise _failed(container, runtime, str(error), hint) from None
    # What comes out empty is left out, as everywhere else.
    written: Json = as_go_writes(filled)
    return written


def _failed(container: Json, runtime: str, detail: str, hint: str) -> Unbuildable:
    what = f"failed to replace placeholders in serving runtime {runtime} Container {container.get('name')}"
    return Unbuildable(
        f"{what}: {detail}",
        model=ModelFailure(INVALID_SPEC, what),
        path="spec.predictor.model.runtime",
        advice=f"correct the template in the runtime or in the service: {hint}",
        rule="placeholder",
    )
