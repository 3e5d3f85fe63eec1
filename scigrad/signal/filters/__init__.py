"""Recursive and finite filters, forward and in both directions, and filters of neighborhoods."""
