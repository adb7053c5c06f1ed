# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading presets and picker configurations: in the service's namespace first, then in KServe's.

Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.17.0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.release import Since
from ....kube.schema_check import check
from ....kube.text import few
from ...kserve.releases import KServe
from ...kserve.service import GROUP
from ..conversion import OLD_API_VERSION, to_v1alpha2
from ..errors import Unbuildable
from ..resolved import Preset
from ..schema import config_schema
from ..settings import Settings
from ..spec import API_VERSION, CONFIG_KIND
from .admission import refusal_of
from .builtin import OWN, PREFIX, builtin_presets
from .engine_arguments import NOTHING_ASKED, Asked
from .merge import written

#: ConfigMaps of this name in KServe's namespace serve all namespaces.
_SHARED_PICKER_CONFIG = "config-scheduler-"
_DEFAULT_PICKER_KEY = "epp"
_SHOWN = 5
#: Reason under which a preset that is not there is reported; empty: like everything else.
_MISSING: Since[str] = Since({KServe.V0_17: "", KServe.V0_19: "ConfigNotFound"})


def fetch(
    name: str,
    namespace: str,
    settings: Settings,
    reader: Reader,
    path: str,
    asks: Asked = NOTHING_ASKED,
) -> Preset:
    """Return a preset by name. path: the field that asks for it. asks: what the service asks of engines. Raises Unbuildable."""
    for place in (namespace, settings.kserve_namespace):
        for api_version in (API_VERSION, OLD_API_VERSION):
            found = reader.get(Reference(api_version, CONFIG_KIND, place, name))
            if found is not None:
                text = json.dumps(found.get("spec") or {})
                if not reader.complete:
                    _check_given(
                        f"{CONFIG_KIND} {place}/{name}",
                        path,
                        refusal_of(name, api_version, text, settings),
                    )
                return Preset(
                    f"{CONFIG_KIND} {place}/{name}",
                    _stored(api_version, text, settings.release),
                    Reference(api_version, CONFIG_KIND, place, name),
                )
    own = _own(name, settings, reader, asks)
    if own is not None:
        return own
    raise _missing(name, namespace, settings, path, _how_to_get(name, settings, reader))


def _missing(name: str, namespace: str, settings: Settings, path: str, advice: str) -> Unbuildable:
    """Return the error in the words of the release."""
    reason = _MISSING.at(settings.release)
    if reason:
        places = f"[{namespace} {settings.kserve_namespace}]"
        message = f'{CONFIG_KIND} "{name}" not found in namespaces {places}'
        return Unbuildable(message, reason=reason, path=path, advice=advice)
    places = f'["{namespace}", "{settings.kserve_namespace}"]'
    missing = f'{CONFIG_KIND}.{GROUP} "{name}" not found'
    message = f'failed to get {CONFIG_KIND} "{name}" from namespaces {places}: {missing}'
    return Unbuildable(message, path=path, advice=advice)


def _check_given(subject: str, path: str, told: str) -> None:
    """Raise Unbuildable for a config that no API server has taken and that would be refused. told: why, empty where it would not."""
    if told:
        advice = f"correct {subject} in cluster_objects"
        raise Unbuildable(told, condition="", reason="", path=path, advice=advice)


def _own(name: str, settings: Settings, reader: Reader, asks: Asked) -> Preset | None:
    """Return one of the collection's presets, where they are asked for or the cluster has none at all.

    They are asked for by their name, which a service keeps from its first run whatever the settings of whoever looks at it. Objects that
    are given in place of a cluster need not be all that it has.
    """
    asked_for = name.startswith(PREFIX)
    suffix = name.removeprefix(PREFIX if asked_for else settings.config_prefix)
    spec = None if suffix == name else _stored_own(suffix, settings.release, asks)
    if spec is None:
        return None
    there = reader.complete and reader.list(API_VERSION, CONFIG_KIND, settings.kserve_namespace, {})
    if there and not asked_for:
        return None
    return Preset(f"{OWN} {suffix}", spec)


@lru_cache(maxsize=256)
def _stored_own(suffix: str, release: KServe, asks: Asked) -> Json | None:
    """Return the spec of one of the collection's presets as `_stored` does, None where there is none of this name."""
    own = builtin_presets(release, asks).get(suffix)
    return None if own is None else _stored(API_VERSION, json.dumps(own), release)


@lru_cache(maxsize=256)
def _stored(api_version: str, text: str, release: KServe) -> Json:
    """Return a preset's spec, given as JSON, in the stored version and with the defaults of the API server. Not to be changed.

    Remembered, because the services of a fleet share few presets.
    """
    document = {"apiVersion": api_version, "kind": CONFIG_KIND, "spec": json.loads(text)}
    spec = to_v1alpha2(document)["spec"]
    schema = config_schema(release)
    return written(check(schema, spec, "spec", keep_empty=True).value)


def _how_to_get(name: str, settings: Settings, reader: Reader) -> str:
    if name.endswith("-pipeline-parallel"):
        return "KServe ships no preset for pipeline parallelism: create this one, or use data parallelism"
    given = "" if reader.complete else ", or give it in cluster_objects"
    if name.startswith(settings.config_prefix):
        return f"create it{given}, or set settings.config_prefix to the prefix of other presets ({PREFIX} for the collection's own)"
    homes = {
        str(found["metadata"].get("namespace"))
        for version in (API_VERSION, OLD_API_VERSION)
        for found in (() if reader.complete else reader.list(version, CONFIG_KIND, "", {}))
        if found["metadata"]["name"] == name
    }
    there = f"; that of {few(sorted(homes), _SHOWN)} is for its own namespace" if homes else ""
    return f"create it{given}{there}"


def picker_config(reference: Json, namespace: str, settings: Settings, reader: Reader) -> str:
    """Return the text that `router.scheduler.config.ref` names. Raises Unbuildable."""
    name = reference.get("name") or ""
    key = reference.get("key") or _DEFAULT_PICKER_KEY
    found = reader.get(Reference("v1", "ConfigMap", namespace, name))
    if found is None and name.startswith(_SHARED_PICKER_CONFIG):
        found = reader.get(Reference("v1", "ConfigMap", settings.kserve_namespace, name))
        if found is None:
            places = f'["{namespace}", "{settings.kserve_namespace}"]'
            raise _no_config(
                f'failed to get scheduler config "{name}" from namespaces {places}: ConfigMap "{name}" not found',
                name,
            )
    text = ((found or {}).get("data") or {}).get(key)
    if text is None:
        place = Reference.of(found) if found else Reference("", "", "", "")
        raise _no_config(
            f'ConfigMap {place.namespace}/{place.name} doesn\'t have key "{key}" in data',
            name,
            sorted((found or {}).get("data") or {}),
        )
    return str(text)


def _no_config(message: str, name: str, keys: Sequence[str] = ()) -> Unbuildable:
    has = f"; it has {few(keys, _SHOWN)}" if keys else ""
    return Unbuildable(
        message,
        path="spec.router.scheduler.config.ref",
        advice=f"create the ConfigMap {name} with this key before the service{has}",
        rule="picker-config",
    )
