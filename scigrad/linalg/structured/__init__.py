"""Structured matrices: construction and predicates."""
