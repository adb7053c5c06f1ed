# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths, texts and numbers that are none end with a message that names the option, whatever the module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from module_utils.module_runner import outcome
from module_utils.modules import (
    applyset,
    epp_config,
    gpu_resources,
    llmisvc_controller,
    llmisvc_info,
    llmisvc_reconcile,
)
from tests.unit.kinds.llm_inference_service.build import document

from .task import checked

Json = dict[str, Any]
NOWHERE = {"host": "https://127.0.0.1:1", "api_key": "x", "request_timeout": 0.2, "deadline": 0.5}
#: What can be no path of a file, with a part of what is said.
PATHS = {
    "home of nobody": ("~nobody-at-all/x", "no home folder"),
    "too long": ("x" * 5000, "too long"),
    "zero byte": ("a\u0000b", "zero byte"),
    "half a character": ("\ud800", "characters that no path has"),
}
#: YAML that is read and cannot become values.
TEXTS = {
    "date that does not exist": "a: 2024-13-45",
    "number of no digits": "a: !!int x",
    "switch of no kind": "a: !!bool x",
    "time of no kind": "a: !!timestamp x",
    "code": "a: !!python/object:os.system x",
    "deep": "[" * 3000,
    "open": "{" * 300,
    "list": "- 1\n- 2\n",
    "text": "chat",
    "merge of a number": "<<: 3",
}
KUBECONFIGS: dict[str, Any] = {
    "number": 7,
    "list": [1],
    "empty map": {},
    "clusters of no kind": {"clusters": 7, "current-context": "a"},
    "entries of no kind": {"clusters": [3], "current-context": "a"},
    "context of null": {"contexts": [{"name": "a", "context": None}], "current-context": "a"},
    "server of no kind": {
        "clusters": [{"name": "c", "cluster": {"server": 5}}],
        "contexts": [{"name": "a", "context": {"cluster": "c"}}],
        "current-context": "a",
    },
}


def ends(module: Any, **options: Any) -> str:
    """Run a task that has to fail, and return its message."""
    result = outcome(
        module.run,
        checked(module.ARGUMENT_SPEC, options),
        module.EMPTY,
        check_mode=False,
        diff=False,
        environment={},
        progress=lambda dummy: None,
    )
    assert result["failed"]
    return str(result["msg"])


@pytest.mark.parametrize(("path", "says"), PATHS.values(), ids=PATHS.keys())
def test_what_is_no_path_is_named(path: str, says: str) -> None:
    rendered: Json = {"state": "rendered"}
    service = document()
    for option, told in {
        "src": ends(llmisvc_reconcile, **rendered, src=[path]),
        "src ": ends(applyset, **rendered, name="x", src=[path]),
        "cluster_objects": ends(
            llmisvc_reconcile, **rendered, services=[service], cluster_objects=[path]
        ),
        "kubeconfig": ends(llmisvc_controller, kubeconfig=path),
        "ca_cert": ends(llmisvc_controller, **NOWHERE, ca_cert=path),
        "client_key": ends(llmisvc_controller, **NOWHERE, client_cert=path, client_key=path),
        "model": ends(
            gpu_resources, **rendered, accelerator={"type": "nvidia"}, model={"config": path}
        ),
    }.items():
        assert says in told.lower(), (option, told)
        assert option.strip() in told, (option, told)


@pytest.mark.parametrize("given", ["~nobody-at-all/x", "a\u0000b", "\ud800"])
def test_folder_that_is_none_is_named(given: str) -> None:
    told = ends(llmisvc_reconcile, state="rendered", services=[document()], dest=given)
    assert told.startswith("dest")


def test_kubeconfig_that_may_not_be_looked_at_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(dummy: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", refuse)
    told = ends(llmisvc_controller, kubeconfig=str(tmp_path / "config"))
    assert "kubeconfig" in told
    assert str(tmp_path / "config") in told


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_text_that_becomes_no_value_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "given.yaml"
    file.write_text(text)
    assert str(file) in ends(llmisvc_reconcile, state="rendered", src=[str(file)])
    assert str(file) in ends(llmisvc_controller, kubeconfig=str(file))
    assert "definition" in ends(applyset, name="x", state="rendered", definition=text)
    assert ends(epp_config, config=text)


@pytest.mark.parametrize("given", KUBECONFIGS.values(), ids=KUBECONFIGS.keys())
def test_kubeconfig_of_another_shape_is_named(given: Any) -> None:
    modules: dict[Any, Json] = {
        llmisvc_controller: {},
        llmisvc_info: {},
        llmisvc_reconcile: {"services": [document()]},
    }
    for module, more in modules.items():
        assert "kubeconfig" in ends(module, kubeconfig=given, **more)
