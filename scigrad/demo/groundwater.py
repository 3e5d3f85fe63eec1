"""Groundwater under real terrain: the permeability of the rock from water levels in 400 wells.

Steady flow through an aquifer of constant thickness b, fed by rain, is

    -div(b K grad h) = q

with the head h (the water level) [m], the hydraulic conductivity K [m/s] and the recharge q [m/s]
on the cells of an elevation grid (finite volumes). At the rim of the map the head follows the
smoothed terrain. The unknown is log K in every cell, the data are noisy heads at the wells. Value
and gradient take one sparse factorization: the factors of the flow are kept for the adjoint, the
ordering of its equations for all steps.

Terrain: elevations of the U.S. Geological Survey around the Jacksboro fault in Tennessee
(84.41-84.08 W, 36.45-36.73 N, one sample in 3 arc seconds), the grid `jacksboro_fault_dem.npz` that
matplotlib ships. The true K is invented, after that terrain: resistant rock under the ridges,
permeable ground in the valleys, and clay along the fault as a barrier.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from scipy.ndimage import gaussian_filter
from scipy.sparse import csr_array

from scigrad.demo import picture
from scigrad.demo.descent import Outcome, descend, gradient_check
from scigrad.sparse import coo_array
from scigrad.sparse.linalg import Analysis, analyze

TITLE = "Groundwater: rock permeability from 400 wells on real terrain"

THICKNESS = 100.0  # depth of the aquifer [m]
RECHARGE = 0.3 / 3.156e7  # 300 mm of rain a year reach the aquifer [m/s]
NOISE = 0.5  # standard deviation of a measured head [m]
MEAN_LOG_K, SPREAD = np.log(2e-5), 1.5  # mean and standard deviation of the prior (K in m/s)
SMOOTHNESS = 1.2  # correlation length of the prior [km]
# its trace on the map: fractions from west, from north
FAULT = np.array([[0.27, 0.0], [0.54, 0.48], [0.80, 1.0]])


@dataclass(frozen=True)
class Site:
    """The map, its finite volumes (cells numbered row by row), and where the wells are."""

    elevation: np.ndarray  # [m], of shape (rows, columns)
    cell: np.ndarray  # height and width of a cell [m]
    first: np.ndarray  # the two cells that share a face, for each inner face
    second: np.ndarray
    face_shape: np.ndarray  # face length over distance of the centers, for each inner face
    rim: np.ndarray  # the cell at each outer face
    rim_shape: np.ndarray
    rim_head: np.ndarray  # [m]
    wells: np.ndarray  # cells with a well

    @cached_property
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the conductances in the equations of the cells."""
        a, b, rim = self.first, self.second, self.rim
        return np.concatenate([a, b, a, b, rim]), np.concatenate([a, b, b, a, rim])

    @cached_property
    def pattern(self) -> Analysis:
        """The pattern of the equations, whose ordering is found once for all conductivities."""
        ones = np.ones(len(self.places[0]))
        return analyze(coo_array((ones, self.places), shape=(self.elevation.size,) * 2).tocsc())

    @property
    def rim_to_cells(self) -> csr_array:
        """Adds up what crosses the outer faces of each cell."""
        columns = np.arange(self.rim.size)
        return csr_array(
            (np.ones(self.rim.size), (self.rim, columns)),
            shape=(self.elevation.size, self.rim.size),
        )


def read_terrain(coarsening: int) -> tuple[np.ndarray, np.ndarray]:
    """Return elevations [m] averaged over blocks of `coarsening` x `coarsening` samples, and the
    size of a block [m].
    """
    with np.load(str(get_sample_data("jacksboro_fault_dem.npz", asfileobj=False))) as data:
        elevation, degrees = data["elevation"].astype(float), np.array([data["dy"], data["dx"]])
        latitude = np.radians((data["ymin"] + data["ymax"]) / 2)
    rows, columns = (n // coarsening for n in elevation.shape)
    blocks = elevation[: rows * coarsening, : columns * coarsening].reshape(
        rows, coarsening, columns, coarsening
    )
    return blocks.mean(axis=(1, 3)), coarsening * degrees * 111.2e3 * np.array(
        [1.0, np.cos(latitude)]
    )


def smooth(field: np.ndarray, kilometres: float, cell: np.ndarray) -> np.ndarray:
    return gaussian_filter(field, 1e3 * kilometres / cell)


def survey(coarsening: int = 2, wells_a_side: int = 20) -> Site:
    """Return the site on the real terrain, with one well at a random place in each square of a
    regular grid.
    """
    elevation, cell = read_terrain(coarsening)
    number = np.arange(elevation.size).reshape(elevation.shape)
    # face length over distance, for flow in that direction
    east, south = cell[0] / cell[1], cell[1] / cell[0]
    inner = [(number[:, :-1], number[:, 1:], east), (number[:-1], number[1:], south)]
    rim = np.concatenate([number[:, 0], number[:, -1], number[0], number[-1]])
    # The rim's head sits on the face itself: half a cell from the center, hence twice the
    # conductance.
    rim_shape = 2 * np.repeat([east, east, south, south], [len(number)] * 2 + [len(number.T)] * 2)

    random = np.random.default_rng(0)
    square = np.indices((wells_a_side, wells_a_side)).reshape(2, -1).T
    place = (square + random.uniform(0.15, 0.85, square.shape)) / wells_a_side * elevation.shape
    return Site(
        elevation,
        cell,
        first=np.concatenate([a.ravel() for a, _, _ in inner]),
        second=np.concatenate([b.ravel() for _, b, _ in inner]),
        face_shape=np.concatenate([np.full(a.size, shape) for a, _, shape in inner]),
        rim=rim,
        rim_shape=rim_shape,
        rim_head=smooth(elevation, 1.3, cell).ravel()[rim] - 20.0,
        wells=number[tuple(place.astype(int).T)],
    )


def plausible_log_k(site: Site) -> np.ndarray:
    """Return the true log K: low under ridges, high in valleys, very low along the fault."""
    relief = smooth(site.elevation, 1.2, site.cell) - smooth(site.elevation, 5.0, site.cell)
    # extent of the map, east and south [km]
    size = np.array(site.elevation.shape[::-1]) * site.cell[::-1] / 1e3
    rows, columns = np.indices(site.elevation.shape)
    here = np.stack([columns * site.cell[1], rows * site.cell[0]], axis=-1) / 1e3
    distances = []
    for start, end in zip(FAULT[:-1] * size, FAULT[1:] * size, strict=True):
        along = np.clip((here - start) @ (end - start) / np.sum((end - start) ** 2), 0, 1)
        distances.append(np.linalg.norm(here - start - along[..., None] * (end - start), axis=-1))
    return (
        np.log(3e-5)
        - 1.1 * np.tanh(relief / 60.0)
        - 2.5 * np.exp(-((np.min(distances, axis=0) / 0.8) ** 2))
    )


def heads(log_k: np.ndarray, site: Site) -> np.ndarray:
    """Return the head [m] in every cell for the log conductivity in every cell."""
    k = np.exp(np.ravel(log_k))
    a, b, rim = site.first, site.second, site.rim
    # Two half cells in series: the harmonic mean.
    through = THICKNESS * site.face_shape * 2 * k[a] * k[b] / (k[a] + k[b])
    outward = THICKNESS * site.rim_shape * k[rim]
    conductances = np.concatenate([through, through, -through, -through, outward])
    matrix = coo_array((conductances, site.places), shape=(site.elevation.size,) * 2).tocsc()
    inflow = RECHARGE * np.prod(site.cell) + site.rim_to_cells @ (outward * site.rim_head)
    return site.pattern.refactor(matrix.data).solve(inflow)


def bumps(site: Site) -> tuple[np.ndarray, np.ndarray]:
    """Return columns of Gaussian bumps down and across the map: log K is their sum with independent
    standard-normal weights.
    """

    def along(cells: int, size: float) -> np.ndarray:
        width = 1e3 * SMOOTHNESS / size
        centers = np.arange(0, cells, width / 2)
        columns = np.exp(-(((np.arange(cells)[:, None] - centers) / width) ** 2))
        # the sum has unit variance everywhere
        return columns / np.linalg.norm(columns, axis=1, keepdims=True)

    return along(site.elevation.shape[0], site.cell[0]), along(
        site.elevation.shape[1], site.cell[1]
    )


def log_k_from(weights: np.ndarray, site: Site) -> np.ndarray:
    down, across = bumps(site)
    return MEAN_LOG_K + SPREAD * down @ weights @ across.T


def objective(weights: np.ndarray, site: Site, measured: np.ndarray) -> float:
    """Return minus the log of the posterior density: misfit of the wells in units of the noise, and
    the prior of a smooth K.
    """
    residual = (heads(log_k_from(weights, site), site)[site.wells] - measured) / NOISE
    return 0.5 * np.sum(residual**2) + 0.5 * np.sum(weights**2)


def demonstrate(
    folder: Path, coarsening: int = 2, wells_a_side: int = 20, steps: int = 200
) -> Outcome:
    """Invent the rock, measure heads with noise, recover the rock, and draw `groundwater.png`."""
    site = survey(coarsening, wells_a_side)
    truth = plausible_log_k(site)
    noise = NOISE * np.random.default_rng(1).standard_normal(site.wells.size)
    measured = heads(truth, site)[site.wells] + noise
    loss = partial(objective, site=site, measured=measured)
    start = np.zeros([columns.shape[1] for columns in bumps(site)])

    def misfit(weights: np.ndarray, value: float) -> float:
        """Return the root mean square of the heads' residuals [m]."""
        return NOISE * np.sqrt((2 * value - np.sum(weights**2)) / measured.size)

    error = gradient_check(loss, start)
    # A closer fit would fit the noise: stop at its level (Morozov's discrepancy principle).
    descent = descend(loss, start, steps=steps, misfit=misfit, enough=NOISE)
    found = log_k_from(descent.x, site)
    first_head, head = heads(log_k_from(start, site), site), heads(found, site)
    path = folder / "groundwater.png"
    picture.groundwater(site, truth, found, first_head, head, measured, descent, NOISE, path)
    return Outcome(error, descent, NOISE, "m rms", str(path))
