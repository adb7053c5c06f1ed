# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's webhooks refuse, beside the schema. The same rules judge a service that its presets were merged into."""
