"""Eigenvalues and eigenvectors, standard and generalised, and what equal ones leave open."""
