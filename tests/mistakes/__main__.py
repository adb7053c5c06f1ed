# SPDX-License-Identifier: GPL-3.0-or-later
"""`make mistakes`: spoil thousands of services, and show by kind of mistake what is told at its field, elsewhere, and not at all."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from .sources import Source, sources
from .tally import Tally, tally

#: The part that has to be told at its field.
WANTED = 0.97


def main() -> int:
    """Print the table, and examples of what is not told at its field with --show."""
    parser = argparse.ArgumentParser(prog="python -m tests.mistakes", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=6000, help="spoilt services, 0 for all")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--show", default="", help="a kind of mistake, or `all`")
    parser.add_argument("--only", default="", help="sources whose names begin with this")
    options = parser.parse_args()
    right = [each for each in sources() if each.name.startswith(options.only)]
    parts = [right[number :: options.workers] for number in range(options.workers)]
    share = options.sample // options.workers
    with ProcessPoolExecutor(options.workers) as pool:
        found = merged(pool.map(partial(tally, seed=options.seed, sample=share), parts))
    for line in found.rows():
        print(line)
    show(found, options.show)
    unspoilt(right)
    good = found.share >= WANTED
    print(f"{found.total} spoilt services of {len(right)}, {found.share:.1%} told at the field")
    print(f"mistakes: {int(good)} passed, {int(not good)} failed")
    return int(not good)


def merged(parts: object) -> Tally:
    """Return several counts as one."""
    found = Tally()
    for part in parts:  # type: ignore[attr-defined]
        for name, count in part.counts.items():
            found.counts.setdefault(name, type(count)()).update(count)
        found.missed += part.missed
    return found


def show(found: Tally, kind: str) -> None:
    """Print up to five of each kind that was not told at its field."""
    seen: dict[str, int] = {}
    for name, verdict, source, spoilt, new in found.missed:
        seen[name] = seen.get(name, 0) + 1
        if kind in (name, "all") and seen[name] <= 5:
            said = "; ".join(f"{each['path']}: {each['message']}"[:150] for each in new[:3])
            print(f"  {name}: {verdict}, {source}, {spoilt.fields[0]} -> {said}")


def unspoilt(right: list[Source]) -> None:
    """Print how often each rule warns about services that are right."""
    rules: dict[str, int] = {}
    for source in right:
        for each in source.told(source.document):
            if each["severity"] == "warning":
                rules[each["rule"]] = rules.get(each["rule"], 0) + 1
    print(
        "warnings about unspoilt services:", ", ".join(f"{k} {v}" for k, v in sorted(rules.items()))
    )


if __name__ == "__main__":
    sys.exit(main())
