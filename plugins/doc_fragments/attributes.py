# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every module says about check mode, diff mode and the like, in the same words."""

from __future__ import annotations


class ModuleDocFragment:
    """Standard attributes. A module adds `support`, and `details` where it needs them."""

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description:
      - Reports what a run would change, and changes nothing.
  diff_mode:
    description:
      - Reports in diff mode the fields that changed, or in check mode those that would change.
  idempotent:
    description:
      - If you run it again with the same options, and nothing else has changed, it changes nothing and reports no change.
  platform:
    description:
      - Where the module can run.
    support: full
    platforms: posix
"""

    # The module can be configured for a whole play by `module_defaults`.
    ACTION_GROUP = r"""
options: {}
attributes:
  action_group:
    description:
      - Set C(group/modelops.inference.all) in C(module_defaults) to give its options to every task of a play at once.
    support: full
    membership:
      - modelops.inference.all
"""

    # For modules that only look.
    INFO_MODULE = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - The module only reads.
  diff_mode:
    support: N/A
    details:
      - The module only reads.
  idempotent:
    support: full
    details:
      - The module only reads.
"""
