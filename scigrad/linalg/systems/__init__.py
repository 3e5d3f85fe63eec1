"""Linear systems, and the factorizations, inverses and determinants that come with solving them."""
