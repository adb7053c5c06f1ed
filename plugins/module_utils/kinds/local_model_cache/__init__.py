# SPDX-License-Identifier: GPL-3.0-or-later
"""LocalModelCache and LocalModelNamespaceCache of KServe: models that stand on the nodes before services ask for them."""
