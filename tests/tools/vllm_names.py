# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prints the tables of checks/vllm_name_tables.py anew: `python -m tests.tools.vllm_names FOLDER…`.

Each folder is an unpacked source distribution of vLLM from PyPI, named as it unpacks (`vllm-0.11.2`), one for each release in `RELEASES`.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

_WIDTH = 158
_VARIABLE = re.compile(r"VLLM_([A-Z0-9_]+)")


def main() -> int:
    """Print both tables and return the exit code."""
    folders = sorted((Path(name) for name in sys.argv[1:]), key=_number)
    releases = [".".join(map(str, _number(folder))) for folder in folders]
    print(f'RELEASES = "{" ".join(releases)}"')
    for title, names_of in (("FLAGS", _flags), ("VARIABLES", _variables)):
        rows = _rows(releases, [set(names_of(folder)) for folder in folders])
        print("\n".join((f'{title} = """\\', *rows, '"""')))
    return 0


def _number(folder: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in folder.name.partition("-")[2].split(".")[:2])


def _flags(folder: Path) -> Iterator[str]:
    """Yield the long flags: those that a parser is given, and the fields of the front end's arguments."""
    package = folder / "vllm"
    for path in (package / "engine" / "arg_utils.py", *package.glob("entrypoints/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
                words = [str(word.value) for word in node.args if isinstance(word, ast.Constant)]
                yield from (word[2:] for word in words if word.startswith("--"))
            if isinstance(node, ast.ClassDef) and node.name.endswith("FrontendArgs"):
                for field in node.body:
                    if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                        yield field.target.id.replace("_", "-")


def _variables(folder: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((folder / "vllm" / "envs.py").read_text(encoding="utf-8"))):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and (found := _VARIABLE.fullmatch(value)):
            yield found[1]


def _rows(releases: Sequence[str], names: Sequence[set[str]]) -> Iterator[str]:
    """Yield a row for all names that came and went with the same releases."""
    spans: dict[tuple[int, int], list[str]] = {}
    for name in sorted(set().union(*names)):
        places = [place for place, known in enumerate(names) if name in known]
        spans.setdefault((places[0], places[-1]), []).append(name)
    for (first, last), found in sorted(spans.items()):
        since = releases[first] if first else ""
        until = releases[last] if last < len(releases) - 1 else ""
        text = f"{since}..{until}  {' '.join(found)}"
        yield textwrap.fill(
            text,
            _WIDTH,
            subsequent_indent="  ",
            break_on_hyphens=False,
            break_long_words=False,
        )


if __name__ == "__main__":
    sys.exit(main())
