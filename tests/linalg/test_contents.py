"""help(scigrad.linalg) begins with a table of contents, which names all that is public, each once."""

from __future__ import annotations

import re

import numpy as np
import scipy.linalg

from scigrad import linalg

TABLE = [line.strip() for line in (linalg.__doc__ or "").splitlines() if line.startswith("    ")]
NAMES = [name for line in TABLE for name in re.split(r",\s*", line.partition(":")[0])]


def test_every_public_name_stands_in_the_table_once():
    assert sorted(name.rstrip("*") for name in NAMES) == sorted(linalg.__all__)


def test_what_is_starred_is_ours_alone():
    for name in NAMES:
        theirs = any(hasattr(home, name.rstrip("*")) for home in (scipy.linalg, np.linalg))
        assert name.endswith("*") is not theirs
