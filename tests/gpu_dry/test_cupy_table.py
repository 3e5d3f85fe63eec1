"""The table that the stand-in device is bound to is that of the CuPy at hand."""

import cupy_table


def test_the_committed_table_is_that_of_this_cupy():
    assert cupy_table.TABLE.read_text() == cupy_table.written(cupy_table.introspected()) + "\n"
