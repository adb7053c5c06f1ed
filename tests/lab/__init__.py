"""The lab: a real Kubernetes control plane without containers, for tests, benchmarks and the demo.

`python -m tests.lab up` starts one by hand; in Python it is `with ControlPlane(nodes="gpu") as lab: ...`.
Names are imported from their own files (`tests.lab.control_plane`, `tests.lab.proxy`, ...), so that `build` runs with
nothing but the standard library.
"""
