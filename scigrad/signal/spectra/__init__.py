"""Spectra of signals and of their segments, and what is computed from them."""
