# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields by which values of llm-d's Helm chart are known. Source: docs/from_llm_d_chart.md."""

from __future__ import annotations

CHART_FIELDS = frozenset({"modelArtifacts", "multinode", "routing"})
_OF_CHART = "these are values of llm-d's Helm chart, of which the filter modelops.inference.from_llm_d_chart makes an LLMInferenceService"
#: For the schema of a service's spec.
CHART_HINTS = dict.fromkeys(CHART_FIELDS, _OF_CHART)
