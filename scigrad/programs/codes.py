"""Codes of the machine's instructions (machine.py), by the names of NumPy's functions."""

import numpy as np

WIDTH = 12
_NAMES_OF_ONE = (
    "negative", "square", "reciprocal", "absolute", "sign", "sqrt", "isnan", "isinf", "isfinite",
    "logical_not", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "arcsin", "arccos",
    "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
)  # fmt: skip
(
    NEGATIVE, SQUARE, RECIPROCAL, ABSOLUTE, SIGN, SQRT, ISNAN, ISINF, ISFINITE, LOGICAL_NOT,
    EXP, EXPM1, LOG, LOG1P, SIN, COS, TAN, ARCSIN, ARCCOS, ARCTAN, SINH, COSH, TANH, ARCSINH,
    ARCCOSH, ARCTANH,
) = range(26)  # fmt: skip
UNARY = dict(zip(_NAMES_OF_ONE, range(26), strict=True))
_NAMES_OF_TWO = (
    "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "equal", "not_equal",
    "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or", "arctan2",
    "hypot", "copysign",
)  # fmt: skip
(
    ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MAXIMUM, MINIMUM, EQUAL, NOT_EQUAL, GREATER,
    GREATER_EQUAL, LESS, LESS_EQUAL, LOGICAL_AND, LOGICAL_OR, ARCTAN2, HYPOT, COPYSIGN,
) = range(32, 50)  # fmt: skip
BINARY = dict(zip(_NAMES_OF_TWO, range(32, 50), strict=True))
# arithmetic of complex operands; `absolute` and `isfinite` of complex numbers are real
_NAMES_OF_COMPLEX = (
    "add", "subtract", "multiply", "divide", "negative", "conjugate", "exp", "square",
    "reciprocal", "absolute", "isfinite",
)  # fmt: skip
(
    Z_ADD, Z_SUBTRACT, Z_MULTIPLY, Z_DIVIDE, Z_NEGATIVE, Z_CONJUGATE, Z_EXP, Z_SQUARE,
    Z_RECIPROCAL, Z_ABSOLUTE, Z_ISFINITE,
) = range(64, 75)  # fmt: skip
COMPLEX = dict(zip(_NAMES_OF_COMPLEX, range(64, 75), strict=True))
GATHER, SUM, MATMUL, SELECT, LU, SUBSTITUTE, EXPM, FRECHET, FINITE, Z_FINITE = range(96, 106)
# the same for complex numbers, and complex numbers of real ones
Z_GATHER, Z_SUM, Z_MATMUL, Z_LU, Z_SUBSTITUTE, Z_EXPM, Z_FRECHET, WIDEN = range(106, 114)
REPEAT = 127
NEXT = np.uint64(1)  # places without a sign need no look at whether they count from the end
LARGEST_ORDER = 16  # matrices up to it are factored and exponentiated
FAR = 1e-11  # ratio of pivots below which the function itself says whether to warn or to raise
