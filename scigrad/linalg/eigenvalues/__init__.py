"""Eigenvalues and eigenvectors, standard and generalised, and the treatment of equal ones."""
