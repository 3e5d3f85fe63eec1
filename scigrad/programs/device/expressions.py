"""CUDA C++ of the machine's functions of single elements."""

from .. import codes as c

_TRUTH = "({} ? 1.0 : 0.0)"
_SPELLED_OTHERWISE = {
    "absolute": "fabs({0})", "sign": "sign_of({0})", "negative": "(-{0})",
    "square": "({0} * {0})", "reciprocal": "(1.0 / {0})",
    "isnan": _TRUTH.format("{0} != {0}"), "isinf": _TRUTH.format("isinf({0})"),
    "isfinite": _TRUTH.format("is_finite({0})"), "logical_not": _TRUTH.format("{0} == 0"),
    "arcsin": "asin({0})", "arccos": "acos({0})", "arctan": "atan({0})",
    "arcsinh": "asinh({0})", "arccosh": "acosh({0})", "arctanh": "atanh({0})",
    "add": "({0} + {1})", "subtract": "({0} - {1})", "multiply": "({0} * {1})",
    "divide": "({0} / {1})", "power": "pow({0}, {1})", "arctan2": "atan2({0}, {1})",
    "equal": _TRUTH.format("{0} == {1}"), "not_equal": _TRUTH.format("{0} != {1}"),
    "greater": _TRUTH.format("{0} > {1}"), "greater_equal": _TRUTH.format("{0} >= {1}"),
    "less": _TRUTH.format("{0} < {1}"), "less_equal": _TRUTH.format("{0} <= {1}"),
    "logical_and": _TRUTH.format("{0} != 0 && {1} != 0"),
    "logical_or": _TRUTH.format("{0} != 0 || {1} != 0"),
}  # fmt: skip
_OF_COMPLEX = {
    "conjugate": "conjugate({0})", "exp": "exponential({0})", "absolute": "modulus({0})",
    "reciprocal": "(Z{{1.0, 0.0}} / {0})",
}  # fmt: skip


def _texts() -> dict[int, str]:
    found = {}
    for name, code in c.UNARY.items():
        found[code] = _SPELLED_OTHERWISE.get(name, name + "({0})")
    for name, code in c.BINARY.items():
        found[code] = _SPELLED_OTHERWISE.get(name, name + "({0}, {1})")
    for name, code in c.COMPLEX.items():
        found[code] = _OF_COMPLEX.get(name) or _SPELLED_OTHERWISE[name]
    copy = dict.fromkeys((c.GATHER, c.Z_GATHER), "{0}")
    return {
        **found, **copy, c.WIDEN: "Z{{{0}, 0.0}}", c.SELECT: "({0} != 0 ? {1} : {2})",
    }  # fmt: skip


TEXTS = _texts()  # by codes, with places for the operands
_ELEMENTARY = (
    *range(c.EXP, c.ARCTANH + 1), c.POWER, c.ARCTAN2, c.HYPOT, c.Z_EXP,
)  # fmt: skip
APART = {**TEXTS, **{code: "apart_" + TEXTS[code] for code in _ELEMENTARY}}  # by calls
