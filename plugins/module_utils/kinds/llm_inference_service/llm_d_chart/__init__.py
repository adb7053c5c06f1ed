# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of llm-d's Helm chart llm-d-modelservice, written as an LLMInferenceService."""
