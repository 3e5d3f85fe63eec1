"""The library checked and timed on a GPU: `make gpu`, or `python -m benchmarks.gpu`."""
