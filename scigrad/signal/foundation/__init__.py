"""Composition of functions, the text of their arguments, and the shapes of windows, for the whole
room.
"""
