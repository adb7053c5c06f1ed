# SPDX-License-Identifier: GPL-3.0-or-later
"""How Knative's objects are called."""

from __future__ import annotations

KNATIVE_API = "serving.knative.dev/v1"
#: Where Knative keeps its configuration.
KNATIVE_NAMESPACE = "knative-serving"
