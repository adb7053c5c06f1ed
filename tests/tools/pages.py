# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The code blocks of our pages, so that tests can run what a reader would copy."""

from __future__ import annotations

import re
from pathlib import Path

from .tree import CHECKOUT

PAGES = (
    "README.md",
    "examples/README.md",
    "roles/model_services/README.md",
    "roles/report/README.md",
)
#: What else a reader runs, in a folder of his own: `fleet.yml` and `services/` are there (tests/cluster/test_guides.py).
GUIDES = tuple(
    f"docs/{name}.md"
    for name in (
        "first_ten_minutes",
        "model_service",
        "llm_inference_service",
        "recipes",
        "many_clusters",
        "gitops",
        "air_gapped",
        "upgrading",
        "security",
    )
)

#: What Galaxy and automation hubs show apart from the rest: its links are those of the repository, as galaxy.yml names it.
SHOWN = (
    "README.md",
    "SECURITY.md",
    *(str(path.relative_to(CHECKOUT)) for path in sorted(CHECKOUT.glob("roles/*/README.md"))),
    *(
        str(path.relative_to(CHECKOUT))
        for path in sorted(CHECKOUT.glob("extensions/*/*/README.md"))
    ),
)
#: What people write, and read in a diff.
WRITTEN = tuple(
    str(path.relative_to(CHECKOUT))
    for pattern in ("*.md", "docs/*.md", "examples/*.md", "roles/*/*.md", "tests/*/*.md")
    for path in sorted(CHECKOUT.glob(pattern))
    # Made by antsibull-changelog.
    if path.name != "CHANGELOG.md"
)
#: Where the repository shows its files.
REPOSITORY = "https://github.com/modelops/inference/blob/main/"
#: What follows the address of a picture, so that another site gets the picture and not a page about it.
RAW = "?raw=true"

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
#: A block of code, of any language and within a list, too.
_CODE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
#: What begins a line that is not prose: a table, markup.
_NOT_PROSE = re.compile(r"\s*[|<]")
#: What is not broken into two lines: code, a link.
_WHOLE = re.compile(r"`[^`]*`|\[[^\]]*\]\([^)]*\)")
#: Characters of a line of prose, so that a change shows in a small diff.
LONGEST_LINE = 120


def blocks(page: str, language: str) -> list[str]:
    """Return the code blocks of a page in one language."""
    text = (CHECKOUT / page).read_text()
    return [body for found, body in _BLOCK.findall(text) if found == language]


def commands(page: str) -> list[str]:
    """Return the commands of a page's `console` blocks, without comments."""
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    return [line.partition("  #")[0].strip() for line in lines if line.strip()]


def links(page: str) -> list[Path]:
    """Return the files that a page points to, those included that it points to in the repository."""
    folder = (CHECKOUT / page).parent
    return [
        CHECKOUT / target.removeprefix(REPOSITORY).removesuffix(RAW)
        if target.startswith(REPOSITORY)
        else folder / target
        for target in _LINK.findall((CHECKOUT / page).read_text())
        if target.startswith(REPOSITORY) or "://" not in target
    ]


def relative_links(page: str) -> list[str]:
    """Return the links of a page that work only where the files around it are."""
    return [
        target for target in _LINK.findall((CHECKOUT / page).read_text()) if "://" not in target
    ]


def long_lines(page: str) -> list[str]:
    """Return the lines of prose that are too long, and that have a place to break them."""
    text = _CODE.sub("", (CHECKOUT / page).read_text(encoding="utf-8"))
    return [
        line
        for line in text.splitlines()
        if len(line) > LONGEST_LINE
        and not _NOT_PROSE.match(line)
        and " " in _WHOLE.sub("x", line.strip())
    ]
