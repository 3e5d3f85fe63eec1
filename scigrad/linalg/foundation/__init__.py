"""Foundation of all families of this room: storage, LAPACK, factorizations kept for rules, and
their failures.
"""
