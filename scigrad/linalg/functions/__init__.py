"""Functions of matrices: exponential, logarithm, powers, sign, trigonometry, any function given for numbers."""
