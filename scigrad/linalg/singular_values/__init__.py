"""Singular values and functions based on them: least squares of any rank, norms, subspaces, polar
factors.
"""
