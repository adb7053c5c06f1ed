# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fetches models as KServe's storage initializer does, with KServe's own package: `URI FOLDER [URI FOLDER …]`."""

from __future__ import annotations

import sys

from kserve_storage import Storage  # type: ignore[import-not-found]  # in the image alone

if __name__ == "__main__":
    words = sys.argv[1:]
    for uri, folder in zip(words[::2], words[1::2], strict=True):
        Storage.download(uri, folder)
