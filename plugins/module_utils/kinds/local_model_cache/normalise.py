# SPDX-License-Identifier: GPL-3.0-or-later
"""From a custom resource to a typed cache: checked, with the defaults of its schema.

Source: KServe pkg/apis/serving/v1alpha1/local_model_cache_types.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.envelope import as_applied, read_envelope
from ...kube.manifest import Json
from ...kube.names import LABEL_LENGTH, check_dns_subdomain, quoted
from ...kube.problem import Problem
from ...kube.schema_check import check
from ..kind import Loaded
from ..kserve.load import loaded, outside
from ..kserve.local_models import API_VERSION, CACHE
from .schema import spec_at
from .settings import Settings
from .spec import LocalModelCache


def load(kind: str, document: Json, settings: Settings) -> Loaded[LocalModelCache]:
    """Return the cache that a custom resource describes, and every problem of it. No cache where there is an error."""
    envelope = read_envelope(document, API_VERSION, kind, namespaced=kind != CACHE)
    spec = check(spec_at(settings.release), document.get("spec") or {}, "spec", keep_empty=True)
    found = [*envelope.problems, *spec.problems]

    def make() -> LocalModelCache:
        return LocalModelCache(**outside(as_applied(document, envelope), envelope), spec=spec.value)

    judged = [*_name_problems(envelope.name)]
    if not spec.value.get("sourceModelUri"):
        message = "missing: name the address of the model"
        judged.append(Problem("spec.sourceModelUri", message, rule="missing"))
    return loaded(found, judged, make)


def _name_problems(name: str) -> Iterator[Problem]:
    """Yield why no cache can have a name: its Jobs carry it as a label, too."""
    fault = check_dns_subdomain(name) if name else None
    over = len(name) - LABEL_LENGTH
    if fault:
        yield Problem("metadata.name", fault, rule="name")
    elif over > 0:
        yield Problem(
            "metadata.name",
            f"{quoted(name)} is too long: it is the value of the label model of the Jobs, which has at most {LABEL_LENGTH} characters; make "
            f"it {over} shorter",
            rule="name-length",
        )
