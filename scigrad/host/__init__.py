"""Work on the host: threads, and loops that Numba compiles."""
