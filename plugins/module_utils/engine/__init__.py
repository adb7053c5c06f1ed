# SPDX-License-Identifier: GPL-3.0-or-later
"""What to do and doing it. The names under which this collection is known in a cluster are here, since all of it uses them."""

from __future__ import annotations

#: Prefix of every label and annotation of ours.
PREFIX = "inference.modelops.io/"
#: Label of every object of ours; the selector of each LIST.
FLEET_LABEL = f"{PREFIX}fleet"
#: Annotation: the service that an object belongs to, as `<kind>/<namespace>/<name>`.
OWNER_ANNOTATION = f"{PREFIX}owner"
#: Annotation: SHA-256 of the canonical intent that was applied last.
INTENT_ANNOTATION = f"{PREFIX}intent"
#: Annotation: from whom the last apply took back which fields, as JSON. It is no part of the intent.
TAKEN_BACK_ANNOTATION = f"{PREFIX}taken-back"
#: Annotation: what an object looks like that the server stores in another form than it is sent.
SETTLED_ANNOTATION = f"{PREFIX}settled"
#: Annotation: the release of the controller as which an object was made, for example `0.17`. It is no part of the intent.
RELEASE_ANNOTATION = f"{PREFIX}release"
#: Annotation of a custom resource: of the kinds that only some services have, those of which it has or had children. It is no part of
#: the intent.
KINDS_ANNOTATION = f"{PREFIX}kinds"
#: The manager under which full objects are applied.
FIELD_MANAGER = "modelops.inference"
#: The manager that holds a value which is being handed to somebody else (an autoscaler's replicas).
HANDOVER_MANAGER = "modelops.inference.scale"
#: The manager of devices that are set on workloads of others.
GPU_MANAGER = "modelops.inference.gpu"
#: Kinds (apiVersion, kind) of which only metadata is read: a full LIST of Secrets would fetch every token of the fleet.
METADATA_ONLY = frozenset({("v1", "Secret")})
