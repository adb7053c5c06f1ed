# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from tests.live import host

BEFORE = {"link": ["eth0", "lo"], "mount": ["/proc of /"]}


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        pytest.param({}, [], id="as it was"),
        pytest.param({"link": ["cni0", "eth0", "lo"]}, ["new link: cni0"], id="came"),
        pytest.param({"mount": []}, ["lost mount: /proc of /"], id="went"),
    ],
)
def test_what_a_live_lab_leaves_or_takes_is_told(
    after: dict[str, list[str]], wanted: list[str]
) -> None:
    assert host.changes(BEFORE, {**BEFORE, **after}) == wanted
