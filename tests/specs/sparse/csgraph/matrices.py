"""Laplacians of graphs."""

from .paths import spec

specs = [
    spec(
        "laplacian",
        {},
        {"normed": True},
        {"return_diag": True},
        {"use_out_degree": True},
        {"symmetrized": True},
        {"normed": True, "symmetrized": True, "return_diag": True},
        dense=True,
    ),
]
