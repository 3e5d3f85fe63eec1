"""Schur forms a = z t z^H and generalized Schur forms of pairs, and their derivatives."""
