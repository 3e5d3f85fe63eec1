"""Graphs: constants of traced graphs, conversions, large graphs, and what is refused."""

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph as scipys

from scigrad import MissingRule, TracedValueError, grad, jvp, sparse, value_and_grad, vjp, vmap
from scigrad.sparse import csgraph
from scigrad.testing import assert_close

DRAW = np.random.default_rng(3)
DENSE = np.where(DRAW.uniform(size=(6, 6)) < 0.5, DRAW.uniform(1, 2, size=(6, 6)), 0) + np.diag(
    np.ones(5), 1
)
GRAPH = scipy.sparse.csr_array(DENSE)

CONSTANTS = {
    "breadth_first_order": (1,),
    "depth_first_order": (1,),
    "connected_components": (),
    "reverse_cuthill_mckee": (),
    "structural_rank": (),
    "maximum_bipartite_matching": (),
    "min_weight_full_bipartite_matching": (),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_integers_of_traced_graphs_are_those_of_plain_ones(name):
    expected, seen = getattr(scipys, name)(GRAPH, *CONSTANTS[name]), []

    def loss(graph):
        seen.append(getattr(csgraph, name)(graph, *CONSTANTS[name]))
        return graph.sum()

    np.testing.assert_equal(getattr(csgraph, name)(GRAPH, *CONSTANTS[name]), expected)
    assert_close(grad(loss)(GRAPH).toarray(), (DENSE != 0) * 1.0)
    np.testing.assert_equal(seen[0], expected)


def test_the_pattern_alone_decides_for_a_batch():
    batch = np.stack([GRAPH.data, 2 * GRAPH.data])

    def count(data):
        graph = sparse.csr_array((data, GRAPH.indices, GRAPH.indptr))
        return data * csgraph.connected_components(graph, return_labels=False)

    assert_close(
        vmap(count)(batch), batch * scipys.connected_components(GRAPH, return_labels=False)
    )
    with pytest.raises(TracedValueError, match="may differ between the elements"):
        vmap(
            lambda data: csgraph.min_weight_full_bipartite_matching(
                sparse.csr_array((data, GRAPH.indices, GRAPH.indptr))
            )
        )(batch)


def test_the_weight_of_a_matching_has_a_subgradient():
    def weight(graph):
        return graph[csgraph.min_weight_full_bipartite_matching(graph)].sum()

    rows, cols = scipys.min_weight_full_bipartite_matching(GRAPH)
    value, found = value_and_grad(weight)(GRAPH)
    assert_close(value, GRAPH[rows, cols].sum())
    expected = np.zeros((6, 6))
    expected[rows, cols] = 1
    assert_close(found.toarray(), expected)


def test_flows_are_of_integers():
    capacities = scipy.sparse.csr_array(np.ceil(DENSE).astype(np.int32))
    assert (
        csgraph.maximum_flow(capacities, 0, 5).flow_value
        == scipys.maximum_flow(capacities, 0, 5).flow_value
    )
    with pytest.raises(ValueError, match="integer"):
        grad(lambda graph: graph.sum() * csgraph.maximum_flow(graph, 0, 5).flow_value)(GRAPH)


def test_dense_graphs_and_back():
    dense = np.array([[0.0, 3.0, np.inf], [np.nan, 1.0, 2.0], [0.0, 0.0, 5.0]])
    for given in (dense, dense.astype(np.float32)):
        plain = scipys.csgraph_from_dense(given)
        out, pull = vjp(csgraph.csgraph_from_dense, given)
        assert_close(out.toarray(), plain.toarray().astype(given.dtype))
        assert_close(pull(out)[0], np.where(np.isfinite(dense), dense, 0).astype(given.dtype))
        back, pull = vjp(lambda a: csgraph.csgraph_to_dense(a, np.inf), out)
        assert back.dtype == given.dtype
        assert_close(back, scipys.csgraph_to_dense(plain, np.inf).astype(given.dtype))
        assert_close(
            pull(np.ones_like(back))[0].toarray(), (plain.toarray() != 0).astype(given.dtype)
        )


def test_masked_graphs_hold_plain_values():
    assert csgraph.csgraph_masked_from_dense(DENSE).count() == GRAPH.nnz
    assert csgraph.csgraph_to_masked(GRAPH).count() == GRAPH.nnz
    assert csgraph.csgraph_from_masked(csgraph.csgraph_to_masked(GRAPH)).nnz == GRAPH.nnz
    for function, graph in (
        (csgraph.csgraph_masked_from_dense, DENSE),
        (csgraph.csgraph_to_masked, GRAPH),
    ):
        with pytest.raises(MissingRule, match="masked arrays hold plain values"):
            grad(lambda g, f=function: f(g).sum())(graph)


@pytest.mark.parametrize("form", ["function", "lo"])
@pytest.mark.parametrize("graph", [GRAPH, DENSE])
def test_laplacians_as_operators(form, graph):
    v = DRAW.normal(size=6)
    for options in ({}, {"normed": True}, {"symmetrized": True}):
        plain = scipys.laplacian(graph, **options)
        if form == "lo":
            assert_close(csgraph.laplacian(graph, form=form, **options) @ v, plain @ v, rtol=1e-14)
        found, pull = vjp(
            lambda g, o=options: (
                (lap @ v if form == "lo" else lap(v))
                if (lap := csgraph.laplacian(g, form=form, **o))
                else 0
            ),
            graph,
        )
        assert_close(found, plain @ v)
        exact = vjp(lambda g, o=options: csgraph.laplacian(g, **o) @ v, graph)[1](v)[0]
        assert_close(*(x.toarray() if hasattr(x, "toarray") else x for x in (pull(v)[0], exact)))


def test_a_long_path_of_many_nodes_is_never_densified():
    n = 200_000
    line = scipy.sparse.diags_array(np.ones(n - 1), offsets=1, format="csr")
    length, found = value_and_grad(lambda graph: csgraph.dijkstra(graph, indices=0)[n - 1])(line)
    assert length == n - 1
    assert_close(found.data, np.ones(n - 1))


def test_refusals():
    with pytest.raises(ValueError, match="graph of n nodes"):
        grad(lambda a: csgraph.shortest_path(a)[0, 1])(np.ones((2, 3)))
    with pytest.raises(ValueError, match="have to be real"):
        grad(lambda a: csgraph.shortest_path(a)[0, 1])(np.ones((2, 2), complex))
    with pytest.raises(csgraph.NegativeCycleError):
        grad(lambda a: csgraph.bellman_ford(a)[0, 1])(-np.ones((2, 2)))
    with pytest.raises(ValueError, match="Invalid form"):
        grad(lambda a: csgraph.laplacian(a, form="matrix").sum())(DENSE)


DUPLICATES = scipy.sparse.csr_array(
    (
        np.array([1.0, 2, 3, 0.5]),
        np.array([1, 1, 2, 0], np.int32),
        np.array([0, 2, 3, 4, 4], np.int32),
    ),
    shape=(4, 4),
)
OF_DUPLICATES = {
    "dijkstra": csgraph.dijkstra,
    "bellman_ford": csgraph.bellman_ford,
    "floyd_warshall": csgraph.floyd_warshall,
    "johnson": csgraph.johnson,
    "yen": lambda graph: csgraph.yen(graph, 0, 2, 1),
    "minimum_spanning_tree": lambda graph: csgraph.minimum_spanning_tree(graph).toarray(),
    "csgraph_to_dense": csgraph.csgraph_to_dense,
    "breadth_first_tree": lambda graph: csgraph.breadth_first_tree(graph, 0).toarray(),
    "laplacian": lambda graph: csgraph.laplacian(graph).toarray(),
}


@pytest.mark.parametrize("name", OF_DUPLICATES)
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_an_edge_that_is_stored_twice_weighs_as_in_scipy(name, form):
    if form == "coo" and name in ("floyd_warshall", "csgraph_to_dense"):
        pytest.skip("SciPy refuses the format")
    rows = np.repeat(np.arange(4, dtype=np.int32), np.diff(DUPLICATES.indptr))
    graph = {
        "csr": DUPLICATES.copy(),
        "csc": DUPLICATES.tocsc(),
        "coo": scipy.sparse.coo_array(
            (DUPLICATES.data.copy(), (rows, DUPLICATES.indices)), shape=(4, 4)
        ),
    }[form]
    twice = (graph.data == 1) | (graph.data == 2)
    assert graph.nnz == 4
    for weights in ([1.0, 2.0], [2.0, 1.0]):
        graph.data[twice] = weights
        expected = OF_DUPLICATES[name](graph.copy())  # homogeneous: its own tangent
        for found in jvp(OF_DUPLICATES[name], (graph,), (graph,)):
            assert_close(np.nan_to_num(found, posinf=0), np.nan_to_num(expected, posinf=0))


def test_the_smallest_of_an_edge_is_chosen_for_each_element_of_a_batch():
    batch = np.array([[1.0, 2, 3, 0.5], [5.0, 2, 3, 0.5]])

    def length(data):
        return csgraph.dijkstra(
            sparse.csr_array((data, DUPLICATES.indices, DUPLICATES.indptr), shape=(4, 4)), indices=0
        )[2]

    assert_close(vmap(length)(batch), np.array([4.0, 5.0]))
    assert_close(vmap(grad(length))(batch), np.array([[1.0, 0, 1, 0], [0, 1, 1, 0]]))


@pytest.mark.parametrize("of", [np.asarray, scipy.sparse.csr_array])
def test_trees_of_plain_graphs_in_single_precision_are_scipys(of):
    graph = of(DENSE.astype(np.float32))
    for name, args in (
        ("minimum_spanning_tree", ()),
        ("breadth_first_tree", (0,)),
        ("depth_first_tree", (0,)),
    ):
        found = getattr(csgraph, name)(graph, *args)
        assert isinstance(found, scipy.sparse.csr_array)
        assert_close(
            found.toarray(), getattr(scipys, name)(graph, *args).toarray().astype(np.float32)
        )


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("of", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize(
    "name", ["dijkstra", "bellman_ford", "shortest_path", "minimum_spanning_tree"]
)
def test_graphs_without_edges(name, of, n):
    graph, function = of(np.zeros((n, n))), getattr(csgraph, name)
    expected = getattr(scipys, name)(graph)
    out, tangent = jvp(function, (graph,), (graph,))
    _, pull = vjp(function, graph)
    for found in (out, tangent, pull(out)[0]):
        assert found.shape == (n, n)
        assert_close(*(x.toarray() if scipy.sparse.issparse(x) else x for x in (found, expected)))


def test_the_laplacian_of_an_older_matrix():
    graph = scipy.sparse.csr_matrix(DENSE)
    for options in ({}, {"normed": True}, {"use_out_degree": True}):
        (found, degrees), _ = jvp(
            lambda g, o=options: csgraph.laplacian(g, return_diag=True, **o), (graph,), (graph,)
        )
        expected = scipys.laplacian(graph, return_diag=True, **options)
        assert_close(found.toarray(), expected[0].toarray())
        assert_close(degrees, expected[1])


def test_a_stored_nan_is_no_edge_of_a_dense_graph():
    graph = scipy.sparse.csr_array(np.array([[0.0, np.nan], [1.0, 0.0]]))
    for null in (0, np.inf):
        found = jvp(lambda g, null=null: csgraph.csgraph_to_dense(g, null), (graph,), (graph,))[0]
        assert_close(found, scipys.csgraph_to_dense(graph, null))


@pytest.mark.parametrize(
    ("name", "graph"),
    [
        ("csgraph_from_dense", GRAPH),
        ("csgraph_from_dense", np.ones(3)),
        ("csgraph_from_dense", np.ones((2, 3))),
        ("csgraph_to_dense", DENSE),
        ("csgraph_to_dense", GRAPH[:2]),
    ],
)
def test_conversions_refuse_as_scipys(name, graph):
    for function in (getattr(scipys, name), lambda g: jvp(getattr(csgraph, name), (g,), (g,))):
        with pytest.raises(ValueError):
            function(graph)


def test_predecessors_are_held_to_scipys_type():
    graph = np.array([[0.0, 1.0], [1.0, 0.0]])
    for a in (graph, scipy.sparse.csr_array(graph)):
        with pytest.raises(TypeError, match="int32"):
            grad(
                lambda a: csgraph.construct_dist_matrix(a, np.array([[-9999, 0], [1, -9999]])).sum()
            )(a)


@pytest.mark.parametrize("made", [scipy.sparse.csr_array, scipy.sparse.csr_matrix, np.asarray])
@pytest.mark.parametrize(
    "name", ["minimum_spanning_tree", "breadth_first_tree", "depth_first_tree", "reconstruct_path"]
)
def test_trees_of_traced_graphs_are_of_the_class_of_plain_ones(name, made):
    graph, more = (
        made(DENSE),
        {"minimum_spanning_tree": (), "reconstruct_path": (np.array([-9999, 0, 1, 2, 3, 4]),)}.get(
            name, (0,)
        ),
    )
    plain = getattr(scipys, name)(graph, *more)
    traced = vjp(lambda graph: getattr(csgraph, name)(graph, *more), graph)[0]
    assert type(traced) is type(plain)
    assert_close(traced.toarray(), plain.toarray())


@pytest.mark.parametrize("options", [{"method": "FW"}, {"method": "D"}, {}], ids=str)
def test_paths_of_graphs_in_fortran_order(options):
    graph = np.asfortranarray(DENSE)
    assert_close(csgraph.shortest_path(graph, **options), scipys.dijkstra(DENSE))
    assert_close(
        jvp(lambda graph: csgraph.shortest_path(graph, **options), (graph,), (graph,))[0],
        scipys.dijkstra(DENSE),
    )
    assert_close(csgraph.floyd_warshall(graph), scipys.dijkstra(DENSE))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_distances_along_predecessors_are_those_of_the_paths(form, directed):
    # two edges are stored twice
    places = np.array([0, 0, 1, 1, 2, 0]), np.array([1, 1, 2, 2, 0, 2])
    graph = scipy.sparse.coo_array((np.array([1.0, 3.0, 2.0, 0.5, 4.0, 9.0]), places), shape=(3, 3))
    if form != "coo":
        major, minor = places if form == "csr" else places[::-1]
        order, ends = (
            np.argsort(major, kind="stable"),
            np.searchsorted(np.sort(major), np.arange(4)),
        )
        graph = getattr(scipy.sparse, f"{form}_array")(
            (graph.data[order], minor[order], ends), shape=(3, 3)
        )
    lengths, predecessors = sparse.csgraph.dijkstra(
        graph, directed=directed, return_predecessors=True
    )
    along = lambda graph: sparse.csgraph.construct_dist_matrix(graph, predecessors, directed)  # noqa: E731
    for found in (along(graph), *jvp(along, (graph,), (graph,))):  # homogeneous
        assert_close(found, lengths)


@pytest.mark.parametrize("name", ["floyd_warshall", "shortest_path", "dijkstra", "johnson"])
def test_the_order_of_elements_in_memory_does_not_matter(name):
    pandas = pytest.importorskip("pandas", reason="extra test-foreign")
    matrix = np.array([[0.0, 1.0, 9.0], [4.0, 0.0, 2.0], [3.0, 8.0, 0.0]])
    options = {"method": "FW"} if name == "shortest_path" else {}
    expected = getattr(sparse.csgraph, name)(matrix, **options)
    turned = np.asfortranarray(matrix)
    masked = np.ma.masked_equal(turned, 0.0)
    for graph in (turned, pandas.DataFrame(turned), masked, memoryview(turned)):
        assert_close(getattr(sparse.csgraph, name)(graph, **options), expected)
