# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the tables of every field of the custom resources from their schemas: `python -m tests.tools.fields`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from .tree import CHECKOUT, TREE_ROOT, sync

PAGE = CHECKOUT / "docs" / "model_service_fields.md"
LLM_PAGE = CHECKOUT / "docs" / "llm_inference_service_fields.md"
ISVC_PAGE = CHECKOUT / "docs" / "inference_service_fields.md"
GRAPH_PAGE = CHECKOUT / "docs" / "inference_graph_fields.md"
CACHE_PAGE = CHECKOUT / "docs" / "local_models_fields.md"

_HEAD = """# Fields of a ModelService

`python -m tests.tools.fields` writes this page from `plugins/module_utils/kinds/model_service/schema.py`.
The fields are those of release 1.0.1; fields that 0.9.0-alpha.2 lacks are marked. A **bold** field is required if you
set the field above it. A field without a default has no value unless you set it.

| field | type | default | values | meaning |
|---|---|---|---|---|
"""

_LLM_HEAD = """# Fields of an LLMInferenceService

`python -m tests.tools.fields` writes this page from `plugins/module_utils/kinds/llm_inference_service/schema.py`.
The fields are those of `serving.kserve.io/v1alpha2`; fields added after KServe 0.17 are marked with their
[release](kserve_releases.md). v1alpha1 differs in two places ([filter to_v1alpha2](../plugins/filter/to_v1alpha2.yml)).
`template` and `worker` hold a pod spec of Kubernetes, `router.route.http.spec` holds that of an HTTPRoute; this page
does not repeat their fields. A **bold** field is required if you set the field above it. A field without a default has
no value unless you set it.

| field | type | default | values | meaning |
|---|---|---|---|---|
"""


_ISVC_HEAD = """# Fields of an InferenceService

`python -m tests.tools.fields` writes this page from `plugins/module_utils/kinds/inference_service/schema.py`.
The fields are those of `serving.kserve.io/v1beta1`; fields added after KServe 0.17 are marked with their
[release](kserve_releases.md). Predictor, transformer, explainer and `workerSpec` also hold the fields of a pod spec of
Kubernetes, and `model`, the frameworks' fields and `art` those of a container; this page does not repeat them.
Transformer and explainer also have the fields listed after `spec.predictor.workerSpec` (scaling, logging, batching,
metadata, strategy) and `storageUris`. A **bold** field is required if you set the field above it. A field without a
default has no value unless you set it.

| field | type | default | values | meaning |
|---|---|---|---|---|
"""

_GRAPH_HEAD = """# Fields of an InferenceGraph

`python -m tests.tools.fields` writes this page from `plugins/module_utils/kinds/inference_graph/schema.py`.
The fields are those of `serving.kserve.io/v1alpha1` in KServe 0.17 to 0.21. `affinity`, `tolerations` and `resources`
hold fields of a pod of Kubernetes; this page does not repeat them. A **bold** field is required if you set the field
above it. A field without a default has no value unless you set it.

| field | type | default | values | meaning |
|---|---|---|---|---|
"""

_CACHE_HEAD = """# Fields of caches of models

`python -m tests.tools.fields` writes this page from `plugins/module_utils/kinds/local_model_cache/schema.py`.
The fields of LocalModelCache and LocalModelNamespaceCache are the same, those of `serving.kserve.io/v1alpha1`; fields
added after KServe 0.17 are marked with their [release](kserve_releases.md). A **bold** field is required. A field
without a default has no value unless you set it.

| field | type | default | values | meaning |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the page about ModelService as it should be in docs/."""
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.model_service.releases import (
        NEWEST,
    )
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.model_service.schema import (
        documentation,
    )

    return _HEAD + "".join(_row(row) for row in documentation(NEWEST))


def llm_page() -> str:
    """Return the page about LLMInferenceService; what has no words of ours belongs to an API of others."""
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.schema import (
        documentation,
    )

    return _LLM_HEAD + "".join(_row(row) for row in documentation() if row.schema.description)


def isvc_page() -> str:
    """Return the page about InferenceService."""
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.schema import (
        documentation,
    )

    return _ISVC_HEAD + "".join(_row(row) for row in documentation())


def graph_page() -> str:
    """Return the page about InferenceGraph."""
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.schema import (
        documentation,
    )

    return _GRAPH_HEAD + "".join(_row(row) for row in documentation())


def cache_page() -> str:
    """Return the page about caches of models."""
    from ansible_collections.modelops.inference.plugins.module_utils.kinds.local_model_cache.schema import (
        documentation,
    )

    return _CACHE_HEAD + "".join(_row(row) for row in documentation())


def _row(row: Any) -> str:
    from ansible_collections.modelops.inference.plugins.module_utils.kube.schema import (
        default_of,
        type_name,
    )

    name = f"**`{row.path}`**" if row.required else f"`{row.path}`"
    default = default_of(row.schema)
    shown = (
        f"`{str(default).lower() if isinstance(default, bool) else default}`"
        if default not in (None, "")
        else ""
    )
    later = f" From {row.schema.since} on." if row.schema.since is not None else ""
    cells = [name, type_name(row.schema), shown, _values(row.schema)]
    return _line([*cells, row.schema.description + later])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _values(schema: Any) -> str:
    enum = getattr(schema, "enum", ())
    if enum:
        return ", ".join(f"`{value}`" for value in enum)
    low, high = getattr(schema, "minimum", None), getattr(schema, "maximum", None)
    if low is not None:
        return f"{low} to {high}" if high is not None else f"at least {low}"
    length = getattr(schema, "max_length", None)
    return f"1 to {length} characters" if length else ""


def main() -> None:
    """Write the pages and say so."""
    sync()
    sys.path.insert(0, str(TREE_ROOT))
    pages = {
        PAGE: page,
        LLM_PAGE: llm_page,
        ISVC_PAGE: isvc_page,
        GRAPH_PAGE: graph_page,
        CACHE_PAGE: cache_page,
    }
    for path, made in pages.items():
        path.write_text(made(), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
