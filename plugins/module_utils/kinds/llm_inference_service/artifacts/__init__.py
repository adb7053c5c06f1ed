# SPDX-License-Identifier: GPL-3.0-or-later
"""How a model gets into the pods that serve it: from a volume, an image, or by an init container that fetches it."""
