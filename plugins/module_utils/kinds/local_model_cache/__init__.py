# SPDX-License-Identifier: GPL-3.0-or-later
"""LocalModelCache and LocalModelNamespaceCache of KServe: models that are on the nodes before services ask for them."""
