"""Structured matrices: how they are made, and questions about them."""
