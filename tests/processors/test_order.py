"""Tests draw the same numbers in any order: the generators of a module are set anew for each."""

import zlib

import numpy as np

RANDOM = np.random.default_rng(0)
BEFORE = RANDOM.normal()


def test_numbers_hang_on_the_name_of_a_test_alone(request):
    assert RANDOM.normal() == np.random.default_rng(zlib.crc32(request.node.name.encode())).normal()
