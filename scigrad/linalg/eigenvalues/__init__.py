"""Eigenvalues and eigenvectors, standard and generalized, and the treatment of equal ones."""
