"""Decompositions that no device library has, by array functions, for whole batches. They have no derivative rules."""
