"""Every public method and attribute of SciPy's classes on a traced array: served, or refused with a
sentence.
"""

import itertools

import numpy as np
import pytest
import scipy.sparse

from scigrad import grad, jvp, sparse, vmap
from scigrad.testing import assert_close, gradcheck

FORMATS = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
CLASSES = [*itertools.product(FORMATS, ("array", "matrix"))]
DENSE = np.array(
    [[1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 0.0, 4.0], [0.0, 0.0, 5.0, 6.0], [0.0, 0.0, 7.0, 8.0]]
)
# What is not served, and a word of the sentence that says what to do.
OF_VALUES = {"eliminate_zeros": "derivative", "tensordot": "reshape"}
BY_ROWS = {
    "bsr": ("indices", "indptr"),
    "dia": ("offsets",),
    "lil": ("rows", "getrowview"),
    "dok": (
        "clear",
        "fromkeys",
        "get",
        "items",
        "keys",
        "pop",
        "popitem",
        "setdefault",
        "update",
        "values",
    ),
    "csr": (),
    "csc": (),
    "coo": (),
}


def made(form, family="array"):
    return getattr(scipy.sparse, f"{form}_{family}")(DENSE)


def during(function, a):
    """Call function(traced a) within a transform."""
    found = []
    jvp(lambda a: found.append(function(a)) or 0.0 * a.sum(), (a,), (a,))
    return found[0]


@pytest.mark.parametrize(("form", "family"), CLASSES)
def test_every_public_name_is_served_or_refused(form, family):
    a = made(form, family)
    refused = {name: word for name, word in OF_VALUES.items() if hasattr(a, name)} | dict.fromkeys(
        BY_ROWS[form], "tocsr"
    )
    names = [name for name in dir(a) if not name.startswith("_")]
    assert [
        name for name in names if not during(lambda a, name=name: hasattr(a, name), a)
    ] == sorted(refused)
    for name, word in refused.items():
        with pytest.raises(AttributeError, match=rf"(?s){name}.*{word}"):
            during(lambda a, name=name: getattr(a, name), a)


@pytest.mark.parametrize(("form", "family"), CLASSES)
def test_what_depends_on_the_pattern_alone_is_scipys(form, family):
    a = made(form, family)
    for ask in (
        lambda a: a.maxprint,
        lambda a: [x.tolist() for x in a.nonzero()],
        lambda a: a.count_nonzero(),
        lambda a: [row.toarray().shape for row in a.tocsr()],
        *(
            [lambda a: a.count_nonzero(axis=1).tolist()]
            if form not in ("bsr", "dia", "dok")
            else []
        ),
        *([lambda a: bool(a.has_canonical_format)] if form in ("csr", "csc", "bsr") else []),
        *(
            [lambda a: bool(a.has_sorted_indices), lambda a: a.check_format()]
            if form in ("csr", "csc", "bsr")
            else []
        ),
        *(
            [lambda a: a.getnnz(axis=1).tolist()]
            if family == "matrix" and form in ("csr", "coo", "lil")
            else []
        ),
        *([lambda a: tuple(a.blocksize)] if form == "bsr" else []),
        *(
            [
                lambda a: a.getnnz(),
                lambda a: a.get_shape(),
                lambda a: a.getformat(),
                lambda a: a.getmaxprint(),
            ]
            if family == "matrix"
            else []
        ),
    ):
        assert during(ask, a) == ask(a)


CHANGES = {
    "setdiag": lambda a, x: a.setdiag(x[:3], 1),
    "setdiag of a number": lambda a, x: a.setdiag(x[0], -1),
    "resize": lambda a, x: a.resize(3, 5),
    "resize by a tuple": lambda a, x: a.resize((5, 2)),
    "item": lambda a, x: a.__setitem__((0, 1), x[2]),
    "item that is not stored": lambda a, x: a.__setitem__((3, 0), x[1]),
    "items": lambda a, x: a.__setitem__(([0, 1, 3], [1, 0, 3]), x[:3]),
    "row": lambda a, x: a.__setitem__((slice(1, 2), slice(None)), x[None]),
    "constant": lambda a, x: a.__setitem__((1, slice(2, None)), 7.0),
    "in turn": lambda a, x: (a.__setitem__((1, 1), a[0, 1] * x[0]), a.setdiag(a.diagonal() ** 2)),
}


# as SciPy, where places are added
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", CHANGES)
def test_changes_in_place(name, form):
    change, a, x = CHANGES[name], made(form), np.array([1.5, -2.0, 3.0, 0.5])
    expected = a.copy()
    try:
        change(expected, x)
    except (TypeError, NotImplementedError, AttributeError) as error:
        with pytest.raises(type(error)):
            grad(lambda a: change(a, x) or a.sum())(a)
        return

    def changed(data, x):
        a = sparse.csr_array((data, CSR.indices, CSR.indptr), shape=DENSE.shape).asformat(form)
        change(a, x)
        return a.toarray()

    CSR = scipy.sparse.csr_array(DENSE)
    assert_close(jvp(changed, (CSR.data, x), (CSR.data, x))[0], expected.toarray())
    gradcheck(changed, CSR.data, x)
    assert_close(a.toarray(), DENSE)  # the user's own array is not touched
    batch = vmap(changed)(np.stack([CSR.data, 2 * CSR.data]), np.stack([x, 3 * x]))
    assert_close(batch[1], changed(2 * CSR.data, 3 * x))


def test_an_update_in_place_is_an_array_of_its_own():
    a = made("csr")

    def loss(a):
        b, c = a.copy(), a
        c *= 3.0
        for one in (b, +a, a + 0, a.T, a.conj()):
            one.setdiag(0.0)
        return b.sum() + a.sum() + c.sum()

    assert_close(grad(loss)(a).toarray(), np.where(DENSE != 0, 5.0 - np.eye(4), 0))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_duplicates_and_order(form):
    index = (
        (np.array([1, 1, 0, 1]), np.array([1, 0, 1, 1]))
        if form == "coo"
        else (np.array([1, 1, 1, 0]), np.array([0, 2, 4]))
    )
    index = (index,) if form == "coo" else index

    def arrays(data, method):
        a = getattr(sparse, f"{form}_array")((data, *index), shape=(2, 2), copy=True)
        found = getattr(a, method)()
        return a if found is None else found

    data, expected = np.arange(1.0, 5.0), {}
    for method in (
        "sum_duplicates",
        *(("sort_indices", "sorted_indices", "prune") if form != "coo" else ()),
    ):
        expected = arrays(data.copy(), method)
        value, tangent = jvp(lambda data, method=method: arrays(data, method), (data,), (2 * data,))
        assert_close(value.data, expected.data)
        assert_close(tangent.data, 2 * expected.data)
        assert value.nnz == expected.nnz


@pytest.mark.parametrize("family", ["array", "matrix"])
def test_the_rest(family):
    a = made("csr", family)
    a.data[1] = np.nan
    for function in (
        lambda a: a.nanmax(axis=0),
        lambda a: a.nanmin(axis=1),
        lambda a: round(a, 1),
        *(
            [lambda a: a.getrow(1), lambda a: a.getcol(3), lambda a: a.asfptype()]
            if family == "matrix"
            else []
        ),
    ):
        value, tangent = jvp(function, (a,), (0 * a,))
        assert_close(value.toarray(), function(a).toarray())
        assert type(value) is type(tangent) is type(function(a))
    assert jvp(lambda a: a.nanmax(), (a,), (a,)) == (8.0, 8.0)
    assert grad(lambda a: a.nanmax())(a).data.tolist() == [0.0] * 7 + [1.0]
