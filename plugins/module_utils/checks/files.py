# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that engines are told to read: whether anything is mounted where they are to be.

Source: vLLM vllm/engine/arg_utils.py and vllm/entrypoints/openai/cli_args.py; documentation of the clients of Google, AWS and OpenSSL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView, Workload
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.schema_faults import show
from .local_addresses import gets_more

_FLAGS = (
    *("--chat-template", "--config", "--hf-config-path", "--ssl-ca-certs", "--ssl-certfile"),
    *("--ssl-keyfile", "--tool-parser-plugin"),
)
_VARIABLES = (
    *("AWS_CA_BUNDLE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "CURL_CA_BUNDLE"),
    *("GOOGLE_APPLICATION_CREDENTIALS", "HF_TOKEN_PATH", "LMCACHE_CONFIG_FILE"),
    *("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "VLLM_CONFIG_FILE"),
)
#: Folders in which images have nothing: they are there for what is mounted.
_FOR_MOUNTS = re.compile(
    r"/(mnt|config|configs|certs|secrets|credentials|templates|chat-templates|etc/(vllm|config|certs|secrets)|var/secrets|run/secrets)/.+"
)
#: Where a model is brought, by whoever brings it; an account's own token.
_BROUGHT = ("/mnt/models/", "/var/run/secrets/kubernetes.io/")

MISSING = Check(
    "file-unmounted",
    WARNING,
    finds="{name} is {path}, but the container mounts nothing there: the file is missing unless the image contains it",
    fix="mount a ConfigMap or a Secret at its folder",
)


@check(MISSING, costly=True)
def missing(view: ServiceView) -> Iterator[Problem]:
    """Yield files of the author that no volume brings, in folders that images leave to volumes."""
    for workload in view.serving:
        mounts = [
            str(each.get("mountPath") or "").rstrip("/")
            for each in workload.engine_container.get("volumeMounts") or ()
        ]
        for name, path, place in () if gets_more(view, workload) else _files(workload):
            mounted = any(f"{path}/".startswith(f"{mount}/") for mount in mounts)
            if mounted or not _FOR_MOUNTS.fullmatch(path) or path.startswith(_BROUGHT):
                continue
            if place.is_authors:
                yield MISSING.at(place, name=name, path=show(path))


def _files(workload: Workload) -> Iterator[tuple[str, str, Place]]:
    for flag in workload.flags:
        if flag.name in _FLAGS:
            yield flag.name, flag.value, workload.in_engine(flag.place)
    env: list[Json] = workload.engine_container.get("env") or []
    for number, variable in enumerate(env):
        name = str(variable.get("name"))
        if name in _VARIABLES:
            yield name, str(variable.get("value") or ""), workload.in_engine(f"env[{number}]")
