"""The functions of `math` and `cmath`, whose stand-ins are those of `scigrad.math` and
`scigrad.cmath`.
"""

import cmath
import math

import scigrad.cmath
import scigrad.math

from .stand_ins import put_in_place

for _original, _ours in ((math, scigrad.math), (cmath, scigrad.cmath)):
    for _name in _ours.__all__:
        if callable(getattr(_original, _name)):
            put_in_place(getattr(_original, _name), getattr(_ours, _name))
