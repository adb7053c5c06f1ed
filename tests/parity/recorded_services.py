# SPDX-License-Identifier: GPL-3.0-or-later
"""What the real model-operator was given and answered: the folders below recordings/model_service.

A single case is a folder, a sequence holds `step-N` folders. `settings.yaml` holds the flags of the operator.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.modelops.inference.plugins.module_utils.kinds.model_service.settings import (
    Settings,
    make_settings,
)

RECORDINGS = Path(__file__).parent / "recordings" / "model_service"
Json = dict[str, Any]


@cache
def read(path: Path) -> Any:
    """Return the content of a recorded file. Not to be changed."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def folders(file: str) -> list[Path]:
    """Return the folders of cases and steps that hold a file, in order."""
    return sorted(path.parent for path in RECORDINGS.rglob(file))


def name_of(folder: Path) -> str:
    """Return the name of a case or step, for example `SEQ-scale-down/step-2`."""
    return folder.relative_to(RECORDINGS).as_posix()


def recorded_settings(folder: Path) -> Settings:
    """Return the operator's flags as settings. Raises InputError where we refuse them."""
    return settings_of(read(folder / "settings.yaml"))


def settings_of(recorded: Json) -> Settings:
    """Return the content of a `settings.yaml` as settings."""
    return make_settings(*options_of(recorded))


def options_of(recorded: Json) -> tuple[Json, dict[str, str]]:
    """Return the content of a `settings.yaml` as the options `settings` and `releases` of a task."""
    flags = recorded["effective"]
    options = {
        "images": {
            "engine": flags["default_engine_image"],
            "endpoint_picker": flags["default_epp_image"],
            "routing_proxy": flags["default_routing_proxy_image"],
            "model_kit": flags["kit_image"],
        },
        "gateway_name": flags["default_gateway_name"],
        "provider": flags["provider"],
        "metrics_endpoint_auth": flags["metrics_endpoint_auth"],
        "tracing": {
            key.removeprefix("tracing_"): value
            for key, value in flags.items()
            if key.startswith("tracing_")
        },
        "operator_version": recorded["versionString"],
    }
    return options, {"model_operator": recorded["operatorRelease"].removeprefix("v")}
