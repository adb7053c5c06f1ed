# SPDX-License-Identifier: GPL-3.0-or-later
"""Judging a config that was given instead of read: no API server has taken it, so what would keep one from it is reported here.

Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_config_validation.go@v0.17.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

from ....kube.schema_check import check
from ..admission.config import create_errors
from ..admission.field_error import refusal
from ..conversion import to_v1alpha2
from ..schema import config_schema
from ..settings import Settings
from ..spec import CONFIG_KIND
from .admission_sample import template_refusal


@lru_cache(maxsize=256)
def refusal_of(name: str, api_version: str, text: str, settings: Settings) -> str:
    """Return why the API server or KServe's webhook would refuse a config, empty where they would take it.

    text: its spec as JSON, in the given version. Remembered, because the services of a fleet share few configs.
    """
    return "; ".join(_refusals(name, api_version, text, settings))


def _refusals(name: str, api_version: str, text: str, settings: Settings) -> Iterator[str]:
    """Yield what is wrong. A field that is not known and a null are dropped, as the API server drops them; templates are tried in what is left."""
    spec = json.loads(text)
    errors = create_errors(spec)
    if errors:
        yield refusal(CONFIG_KIND, name, errors)
    stored = to_v1alpha2({"apiVersion": api_version, "kind": CONFIG_KIND, "spec": spec})["spec"]
    schema = config_schema(settings.release)
    checked = check(schema, stored, "spec", keep_empty=True, unknown=False)
    found = [one for one in checked.problems if one.rule != "null"]
    yield from (f"{one.path}: {one.message}" for one in found)
    failed = template_refusal(name, checked.value, settings)
    if failed is not None:
        yield failed.message
