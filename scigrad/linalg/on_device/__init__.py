"""Decompositions that no device library has, from array functions, for a batch where it lies. They know no derivatives."""
