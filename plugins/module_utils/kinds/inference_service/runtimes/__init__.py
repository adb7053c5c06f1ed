# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ServingRuntime serves a model, and what it adds to the service."""
