# SPDX-License-Identifier: GPL-3.0-or-later
"""A model's `config.json`, read as what an engine holds in memory: tensors, and what each layer keeps of a request.

`fields` reads values, `families` says what the layers of a model class are made of (`attention`, `recurrent`, `feed_forward`, `towers`),
`architecture` puts them together, `quantization` says how many bytes a tensor has, `read` is the door.
"""
