# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid services at random are not warned about without a reason; `make fuzz-warnings` tries thousands."""

from __future__ import annotations

from tests.fuzz.warnings.__main__ import Tally
from tests.fuzz.warnings.services import edited_service, generated_sources
from tests.long import often
from tests.mistakes.sources import example_sources

#: Services that are tried, of which at least a third is valid.
TRIED = often(120, long=3000)


def test_line_that_is_said_to_have_no_effect_has_none() -> None:
    examples = [*example_sources(), *generated_sources(0, 2)]
    found = Tally()
    for seed in range(TRIED):
        found.add(edited_service(examples[seed % len(examples)], str(seed)), str(seed))
    assert found.wrong == []
    assert found.valid.total() >= TRIED // 3
    assert len({each.partition(" ")[0] for each in found.valid}) == 3, found.valid
