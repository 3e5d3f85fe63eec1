"""Foundation of all families of this room: storage, LAPACK, factorisations kept for rules, and
their failures.
"""
