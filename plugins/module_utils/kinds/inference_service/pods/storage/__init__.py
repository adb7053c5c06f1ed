# SPDX-License-Identifier: GPL-3.0-or-later
"""How a model gets into the pods of an InferenceService: by an init container, or from a claim."""
