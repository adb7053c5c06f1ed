# SPDX-License-Identifier: GPL-3.0-or-later
"""Where receptor comes from on a machine that has none."""

from __future__ import annotations

import pytest

from tests.tools import debian

ARCHIVE = "Types: deb\nURIs: http://mirror.example/debian\nSuites: stable stable-updates\nComponents: main contrib\nSigned-By: /key.gpg\n"
SECURITY = ARCHIVE.replace("stable stable-updates", "stable-security")
WANTED = "Types: deb\nURIs: http://mirror.example/debian\nSuites: sid\nComponents: main contrib\nSigned-By: /key.gpg\n"


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        pytest.param(ARCHIVE, WANTED, id="the archive"),
        pytest.param(f"{SECURITY}\n{ARCHIVE}", WANTED, id="behind that of security updates"),
        pytest.param(f"# a note: of somebody\n\n{ARCHIVE}", WANTED, id="behind a comment"),
        pytest.param(ARCHIVE.replace("Types: deb", "Types: deb-src"), "", id="sources alone"),
        pytest.param("", "", id="empty"),
    ],
)
def test_another_suite_is_taken_from_the_archive_of_the_system(file: str, wanted: str) -> None:
    assert debian.source(file.splitlines(), "sid") == wanted
