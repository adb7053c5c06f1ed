# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that never look as they were sent: the server drops an empty list, a webhook has its own mind about a field.

An apply that leaves a doubt is sent once more, with a mark: the hash of all that is ours in its answer. While the object looks
like that, an apply is known to change nothing. The mark is written together with an apply only, so a run that finds nothing to do
writes nothing for it.
"""

from __future__ import annotations

from ..kube import managed_fields
from ..kube.canonical import canonical_json, digest
from ..kube.manifest import Json
from . import METADATA_ONLY
from .desired import NOTES, SETTLED, TAKEN_BACK, Desired


def unstable_mark(desired: Desired, live: Json, owner_uid: str) -> str:
    """Return the hash of what we own of an object: the fields, their values, their order, and the intent behind them.

    What nobody claims is left out, since it may change at any time.
    """
    entry = managed_fields.apply_entry(live, desired.manager) or {}
    fields = managed_fields.without(
        entry.get("fieldsV1") or {}, [SETTLED, TAKEN_BACK, *NOTES, *desired.unclaimed]
    )
    if (live["apiVersion"], live["kind"]) in METADATA_ONLY:
        seen = {name: below for name, below in fields.items() if name == "f:metadata"}
    else:
        seen = fields
    return digest(
        canonical_json(
            {
                "apiVersion": entry.get("apiVersion"),
                "fields": fields,
                "intent": desired.digest,
                "owner": owner_uid if desired.parent else "",
                "values": managed_fields.project(live, seen),
            }
        )
    )
