"""Tests here need CuPy on the CPU: they are collected by `make gpu-dry` only."""

import sys

collect_ignore_glob = ["cupy_on_cpu/*", *([] if "cupy_on_cpu" in sys.modules else ["*"])]
