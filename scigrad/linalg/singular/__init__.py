"""Singular values, and what rests on them: least squares of any rank, norms, subspaces, the polar factors."""
