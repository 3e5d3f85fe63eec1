"""Factorizations by unitary matrices: QR, Hessenberg, Schur, QZ, cosine-sine, and what they are
made of.
"""
