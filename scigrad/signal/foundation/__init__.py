"""Composition of functions, and the text of their arguments, for the whole room."""
