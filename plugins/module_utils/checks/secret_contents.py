# SPDX-License-Identifier: GPL-3.0-or-later
"""What Secrets hold, as far as whoever reads it cannot use it: a line break behind a token, passwords of registries in another form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ..kinds.check import WARNING, Check, check
from ..kinds.kserve.secrets import secret_texts
from ..kinds.view import ServiceView
from ..kube.containers import containers_of
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import NotAllowed, Reader
from ..kube.reference import Reference
from ..kube.secret_forms import is_secret_name

#: Variables whose reader strips them: the library of the hub.
_STRIPPED = frozenset({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_HUB_TOKEN"})
_PULL_TYPE, _PULL_KEY = "kubernetes.io/dockerconfigjson", ".dockerconfigjson"

BROKEN_LINE = Check(
    "secret-content",
    WARNING,
    finds="{key} of Secret {secret} {ends}, which becomes part of {name}: whoever is asked with it refuses it",
    fix="create the Secret without it, for example from printf '%s' in place of echo",
)
PULL_FORM = Check(
    "secret-content",
    WARNING,
    finds="{key} of Secret {secret} {fault}, so that images are pulled without a password",
    fix="create it with kubectl create secret docker-registry",
)


@check(BROKEN_LINE, reads=("Secrets",))
def broken_line(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield tokens and keys with blanks or line breaks around them."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            for number, variable in enumerate(container.get("env") or ()):
                name = str(variable.get("name"))
                source = value_at(variable, ("valueFrom", "secretKeyRef")) or {}
                if not is_secret_name(name) or name in _STRIPPED or not source.get("name"):
                    continue
                secret = str(source["name"])
                place = Reference("v1", "Secret", workload.reference.namespace, secret)
                key = str(source.get("key"))
                text = secret_texts(_secret(place, reader)).get(key)
                # A text of several lines is no token.
                if isinstance(text, str) and text != text.strip() and len(text.split()) == 1:
                    ends = (
                        "ends with a line break" if text.endswith("\n") else "has blanks around it"
                    )
                    yield BROKEN_LINE.at(
                        workload.fields(f"{path}.env[{number}]"),
                        key=key,
                        secret=secret,
                        ends=ends,
                        name=name,
                    )


@check(PULL_FORM, reads=("Secrets",))
def pull_form(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield pull secrets whose passwords nodes cannot read."""
    for named, place in view.names:
        if named.kind != "Secret" or "imagePullSecrets" not in named.path:
            continue
        found = _secret(Reference("v1", "Secret", named.namespace, named.name), reader)
        text = secret_texts(found).get(_PULL_KEY)
        if found.get("type") == _PULL_TYPE and isinstance(text, str):
            fault = _pull_fault(text)
            if fault:
                yield PULL_FORM.at(place, key=_PULL_KEY, secret=named.name, fault=fault)


def _secret(place: Reference, reader: Reader) -> Json:
    """Return a Secret, empty where it is not there or may not be read: whoever looks whether it is there tells both."""
    try:
        return reader.get(place) or {}
    except NotAllowed:
        return {}


def _pull_fault(text: str) -> str:
    try:
        said = json.loads(text)
    except ValueError:
        return "is no JSON"
    return "" if isinstance(said, Mapping) and "auths" in said else "has no auths"
