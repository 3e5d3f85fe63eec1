"""What the subjects of special are declared with: ufuncs, numerical partials, CUDA kernels."""
