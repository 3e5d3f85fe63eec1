"""Declarations that the subjects of special share: ufuncs, numerical partials, kernels."""
