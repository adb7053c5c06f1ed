# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a service has a tokenizer of its own, a server that counts tokens for the endpoint picker, and where that answers.

Source: KServe pkg/controller/v1alpha2/llmisvc/tokenizer.go at aaac4e294dae.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ...endpoint_picker.text.decode import decode
from ...endpoint_picker.text.errors import DecodeError
from ...kube.manifest import Json, value_at
from ...kube.release import Since
from ..kserve.pod import container_of
from ..kserve.releases import KServe
from . import names
from .pod import MAIN
from .resolved import Resolved

#: Where the tokenizer listens.
PORT = 8000
#: Flags of a configuration that is among the arguments, and of one in a file.
_TEXT_FLAGS, _FILE_FLAGS = (
    frozenset(dashes + name for dashes in ("-", "--") for name in both)
    for both in (("config-text", "configText"), ("config-file", "configFile"))
)
#: Plugins of a picker that ask for tokens.
_ASKING = frozenset({"token-producer", "precise-prefix-cache-scorer"})
#: Whether services may have one.
KNOWS_TOKENIZERS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})


def has_own_tokenizer(spec: Json, release: KServe) -> bool:
    """Tell whether a service has one: it says so itself, or a plugin of its picker needs it."""
    scheduler = value_at(spec, ("router", "scheduler"))
    if scheduler is None or not KNOWS_TOKENIZERS.at(release):
        return False
    return scheduler.get("tokenizer") is not None or not _ASKING.isdisjoint(plugin_types(scheduler))


def makes_own_tokenizer(resolved: Resolved) -> bool:
    """Tell whether the tokenizer is to be there: beside a picker of somebody else it is not."""
    has = has_own_tokenizer(resolved.spec, resolved.settings.release)
    return has and not resolved.stopped and not resolved.pool_ref


def tokenizer_url(resolved: Resolved) -> str:
    """Return where the tokenizer answers."""
    scheme = "https" if resolved.config.ingress.tls else "http"
    domain = f"{resolved.namespace}.svc.{resolved.settings.cluster_domain}"
    return f"{scheme}://{names.tokenizer(resolved.name)}.{domain}:{PORT}"


def plugin_types(scheduler: Json) -> frozenset[str]:
    """Return the types of the plugins in a picker's configuration, as far as that is in the spec: by itself or among arguments."""
    document = value_at(scheduler, ("config", "inline"))
    if document is None:
        document = _among_arguments(scheduler.get("template"))
    if isinstance(document, str):
        document = _read(document)
    plugins = document.get("plugins") if isinstance(document, dict) else None
    found = (
        [each for each in plugins if isinstance(each, dict)] if isinstance(plugins, list) else []
    )
    return frozenset(str(each.get("type")) for each in found)


def _among_arguments(template: Json | None) -> str | None:
    """Return the text of the first configuration that the picker's container is given; None for a file, whose content nobody knows."""
    arguments = (container_of(template, MAIN) or {}).get("args") or ()
    for word, text in pairwise(map(str, arguments)):
        if word in _TEXT_FLAGS | _FILE_FLAGS:
            return text if word in _TEXT_FLAGS else None
    return None


def _read(text: str) -> Any:
    try:
        return decode(text).value
    except DecodeError:
        return None
