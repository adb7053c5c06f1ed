# SPDX-License-Identifier: GPL-3.0-or-later
"""LLMInferenceService (serving.kserve.io): what KServe's controller makes of it, without the controller."""
