# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between releases is read, differs, and decides by the table alone; what is said to be proved was recorded."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils import kinds
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph import (
    releases as inference_graph,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service import (
    releases as inference_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service import (
    releases as llm_inference_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.local_model_cache import (
    releases as local_model_cache,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.model_service import (
    releases as model_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.release import Since
from tests.tools.tree import CHECKOUT

ROOT = CHECKOUT / "plugins" / "module_utils" / "kinds"
FILES = sorted(ROOT.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
#: What the two lists of releases are called in code.
LISTS = {"KServe", "ModelOperator"}
RECORDINGS = CHECKOUT / "tests" / "parity" / "recordings"
BACKING: dict[str, Mapping[Any, str]] = {
    "LLMInferenceService": llm_inference_service.BACKING,
    "InferenceService": inference_service.BACKING,
    "InferenceGraph": inference_graph.BACKING,
    "LocalModelCache": local_model_cache.BACKING,
    "LocalModelNamespaceCache": local_model_cache.NAMESPACE_BACKING,
    "ModelService": model_service.BACKING,
}
FOLDERS = {
    "LLMInferenceService": "llm_inference_service",
    "InferenceService": "inference_service",
    "InferenceGraph": "inference_graph",
    "LocalModelCache": "local_model_cache",
    "LocalModelNamespaceCache": "local_model_cache",
    "ModelService": "model_service",
}


def _module(path: Path) -> Any:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return importlib.import_module(".".join((kinds.__name__, *parts)).removesuffix(".__init__"))


def tables() -> Iterator[tuple[Path, str, Since[Any]]]:
    """Yield each table of facts with the file and the name that it is defined under."""
    for path, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.AnnAssign) and "Since[" in ast.unparse(node.annotation):
                name = ast.unparse(node.target)
                yield path, name, getattr(_module(path), name)


TABLES = {f"{path.relative_to(ROOT)}:{name}": (path, name, table) for path, name, table in tables()}


def facts(table: Since[Any]) -> dict[str, set[str]]:
    """Return each fact of a table with the values that it has; one that is no record is called by an empty text."""
    found: dict[str, set[str]] = {}
    for release in type(next(iter(table.table))):
        value = table.at(release)
        fields = (
            {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            if dataclasses.is_dataclass(value)
            else {"": value}
        )
        for name, one in fields.items():
            found.setdefault(name, set()).add(repr(one))
    return found


def read_in(path: Path, name: str) -> Iterator[ast.Module]:
    """Yield the files that may read a table: its own, those that import it, and those beside that get its value."""
    for other, tree in TREES.items():
        imported = any(
            isinstance(node, ast.ImportFrom) and any(each.name == name for each in node.names)
            for node in ast.walk(tree)
        )
        if imported or other == path or other.parent == path.parent:
            yield tree


def test_there_are_tables() -> None:
    assert len(TABLES) > 20


@pytest.mark.parametrize("name", TABLES)
def test_each_fact_is_read(name: str) -> None:
    path, variable, table = TABLES[name]
    trees = list(read_in(path, variable))
    asked = any(f"{variable}.at(" in ast.unparse(tree) for tree in trees)
    attributes = {
        node.attr
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    assert asked
    assert sorted(facts(table).keys() - attributes - {""}) == []


@pytest.mark.parametrize("name", TABLES)
def test_each_fact_differs(name: str) -> None:
    """`server` of the presets is an image, which every release could change. What all releases share is no fact otherwise."""
    same = {fact for fact, values in facts(TABLES[name][2]).items() if len(values) == 1}
    assert same <= {"server"}


def _is_release(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in LISTS
    )


def _called_by_text(node: ast.AST) -> bool:
    called = {str(release) for backing in BACKING.values() for release in backing}
    return isinstance(node, ast.Constant) and node.value in called


def test_nothing_is_decided_by_the_name_of_a_release() -> None:
    compared = [
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and any(_is_release(each) or _called_by_text(each) for each in ast.walk(node))
    ]
    assert compared == []


def test_no_function_has_a_release_of_its_own_choice() -> None:
    """Who forgets to say which release is meant would get the oldest one, in silence."""
    chosen = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for default in (*node.args.defaults, *node.args.kw_defaults)
        if default is not None and _is_release(default)
    ]
    assert chosen == []


def backing_tables(page: str) -> dict[str, dict[str, str]]:
    """Return what the tables of a page say: kind → release → how far it is reproduced."""
    told = {}
    for table in re.findall(r"^\| kind \|.*(?:\n\|.*)*", page, re.MULTILINE):
        head, dummy, *lines = (
            [cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()
        )
        told |= {line[0]: dict(zip(head[1:], line[1:], strict=True)) for line in lines}
    return told


def test_the_page_of_kserve_says_how_far_each_release_is_reproduced() -> None:
    """The README's table is made from the code: tests/unit/test_readme.py."""
    page = (CHECKOUT / "docs" / "kserve_releases.md").read_text(encoding="utf-8")
    assert backing_tables(page) == {
        kind: {str(release): how for release, how in BACKING[kind].items()}
        for kind in {*BACKING} - {"ModelService"}
    }


@pytest.mark.parametrize("kind", BACKING)
def test_every_release_is_backed_or_refused(kind: str) -> None:
    backing = BACKING[kind]
    assert set(backing) == set(type(next(iter(backing))))
    assert set(backing.values()) <= {"proved", "unjudged", "refused"}


@pytest.mark.parametrize("kind", FOLDERS)
def test_what_is_proved_was_recorded(kind: str) -> None:
    """The page of the recordings says which release of the controller ran."""
    page = (RECORDINGS / FOLDERS[kind] / "README.md").read_text(encoding="utf-8")
    recorded = set(re.findall(r"v(\d+\.\d+(?:\.\d+)?(?:-[a-z0-9.]+)?)\b", page))
    proved = {str(release) for release, how in BACKING[kind].items() if how == "proved"}
    assert proved
    assert all(any(f"{each}.".startswith(f"{one}.") for each in recorded) for one in proved)


def test_the_newest_release_of_a_kind_is_reproduced() -> None:
    assert llm_inference_service.NEWEST is KServe.V0_21
    assert model_service.BACKING[model_service.NEWEST] != "refused"
