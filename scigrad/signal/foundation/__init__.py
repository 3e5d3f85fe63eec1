"""Composition of functions, and the shapes of windows, for the whole room."""
