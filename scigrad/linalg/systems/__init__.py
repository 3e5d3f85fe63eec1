"""Linear systems, and the factorisations, inverses and determinants that come with solving them."""
