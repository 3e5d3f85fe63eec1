"""Functions of matrices: exponential, logarithm, powers, sign, trigonometry, and any function given
by its values at numbers.
"""
