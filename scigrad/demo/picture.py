"""One picture a problem: what was there, what was measured, what came out, and how the misfit fell."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LightSource
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from scipy.signal import freqz_sos

BEFORE, AFTER, TRUTH = "#c44e52", "#1f6fb4", "#222222"  # one colour for each role in all three pictures


def sheet(panels: str, title: str, size: tuple[float, float]) -> tuple[Figure, dict[str, Axes]]:
    """An empty picture with lettered panels, drawn without a window."""
    figure = Figure(figsize=size, dpi=110)
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.12)
    figure.suptitle(title, fontsize=16, fontweight="bold")
    return figure, figure.subplot_mosaic(panels)


def show_image(axes: Axes, image: np.ndarray, title: str, unit: str | None = None, **style) -> None:
    """An image without ticks; with a unit, also its colour bar."""
    shown = axes.imshow(image, **style)
    axes.set(title=title, xticks=[], yticks=[])
    if unit is not None:
        axes.figure.colorbar(shown, ax=axes, label=unit, shrink=0.85)


def show_misfit(axes: Axes, misfit: list[float], noise_level: float, unit: str) -> None:
    """How the misfit fell, on a logarithmic axis, down to where only noise is left."""
    axes.semilogy(misfit, color=AFTER, lw=2.5)
    axes.axhline(noise_level, color=TRUTH, ls="--", lw=1)
    axes.annotate("noise level", (0.02, 1.1 * noise_level), xycoords=("axes fraction", "data"))
    axes.set(title=f"Misfit: {misfit[0]:.3g} → {misfit[-1]:.3g} {unit}", xlabel="step of L-BFGS")
    axes.set_ylim(bottom=0.5 * min(noise_level, misfit[-1]))
    axes.grid(alpha=0.3)


def groundwater(site, truth, found, first_head, head, measured, descent, noise_level: float, path: Path) -> None:
    """Terrain and wells, the water level, the rock as it is and as found, well by well, and the misfit."""
    title = f"Rock permeability on {' x '.join(map(str, truth.shape))} cells from water levels in {measured.size} wells"
    figure, panel = sheet("ABC\nDEF", title, (16, 9.6))
    rows, columns = truth.shape
    kilometres = (0.0, columns * site.cell[1] / 1e3, rows * site.cell[0] / 1e3, 0.0)
    well_row, well_column = np.divmod(site.wells, columns)
    east, south = (well_column + 0.5) * site.cell[1] / 1e3, (well_row + 0.5) * site.cell[0] / 1e3

    shade = LightSource(azdeg=315, altdeg=40).hillshade(site.elevation, dx=site.cell[1], dy=site.cell[0], vert_exag=4)
    panel["A"].imshow(shade, cmap="gray", extent=kilometres)
    shown = panel["A"].imshow(site.elevation, cmap="terrain", alpha=0.55, extent=kilometres)
    figure.colorbar(shown, ax=panel["A"], label="m above the sea", shrink=0.85)
    panel["A"].plot(east, south, ".", color="black", ms=3)
    panel["A"].set_title(f"The terrain and {measured.size} wells (dots)")

    style = {"cmap": "viridis", "vmin": truth.min() / np.log(10), "vmax": truth.max() / np.log(10), "extent": kilometres}
    show_image(panel["B"], truth / np.log(10), "The rock that we invented: log K", "log10 K, K in m/s", **style)
    show_image(panel["C"], found / np.log(10), "The rock found from the wells: log K", "log10 K, K in m/s", **style)

    water = head.reshape(truth.shape)
    show_image(panel["D"], water, "Water level for the rock found", "m above the sea", cmap="Blues", extent=kilometres)
    panel["D"].contour(water, 18, colors=TRUTH, linewidths=0.7, extent=kilometres, origin="upper")

    residual = head[site.wells] - measured
    panel["E"].plot(measured, first_head[site.wells], ".", color=BEFORE, label="uniform rock (the start)")
    panel["E"].plot(measured, head[site.wells], ".", color=AFTER, label="rock found")
    panel["E"].axline((measured.mean(),) * 2, slope=1, color=TRUTH, lw=1)
    panel["E"].set(title=f"Water level in the wells: {np.std(residual):.2f} m rms off", box_aspect=1)
    panel["E"].set(xlabel="measured [m]", ylabel="computed [m]")
    panel["E"].legend(loc="upper left")
    panel["E"].grid(alpha=0.3)
    show_misfit(panel["F"], descent.misfit, noise_level, "m rms")
    panel["F"].set_box_aspect(1)
    for name in "ABCD":
        panel[name].set(xlabel="km", xticks=np.arange(0, kilometres[1], 10), yticks=np.arange(0, kilometres[2], 10))
    figure.savefig(path)


def phase_retrieval(photograph, truth, masks, measured, start, found, descent, noise_level: float, path: Path) -> None:
    """Object, masks and patterns above; first guess, recovered amplitude and phase, what is wrong, and misfit below."""
    error = np.linalg.norm(found - truth) / np.linalg.norm(truth)
    figure, panel = sheet("ABCDE\nFGHIJ", "A complex field from four diffraction patterns without phase", (19, 8.4))
    gray = {"cmap": "gray", "vmin": 0, "vmax": np.abs(truth).max()}
    turn = {"cmap": "coolwarm", "vmin": -1.5, "vmax": 1.5}

    def two_by_two(images: np.ndarray) -> np.ndarray:
        return np.block([[images[0], images[1]], [images[2], images[3]]])

    show_image(panel["A"], photograph, "The photograph")
    show_image(panel["B"], np.abs(truth), "True amplitude: its brightness", **gray)
    show_image(panel["C"], np.angle(truth), "True phase: its warmth", "radians", **turn)
    show_image(panel["D"], two_by_two(masks), "Four masks in the beam", cmap="gray")
    patterns = two_by_two(np.log10(1 + np.fft.fftshift(measured, axes=(1, 2)) ** 2))
    show_image(panel["E"], patterns, "All that is measured: photons", "log10 of the count", cmap="inferno")
    show_image(panel["F"], np.abs(start), "First guess: noise", **gray)
    show_image(panel["G"], np.abs(found), "Recovered amplitude", **gray)
    show_image(panel["H"], np.angle(found), "Recovered phase", "radians", **turn)
    wrong, faint = 100 * np.abs(found - truth) / np.abs(truth).max(), {"cmap": "magma", "vmin": 0, "vmax": 10}
    show_image(panel["I"], wrong, f"Error of the field: {100 * error:.1f} %", "% of the brightest pixel", **faint)
    show_misfit(panel["J"], descent.misfit, noise_level, "")
    panel["J"].set_box_aspect(1)
    figure.savefig(path)


def ecg_filter(clean, heard, filtered, cascades, rate: float, windows, descent, noise_level: float, path: Path) -> None:
    """The heartbeat with hum and after the filter, the filter's response, its poles and zeros, and the misfit.

    `cascades` are the second-order sections before and after learning, `windows` those for learning and for judging.
    """
    figure, panel = sheet("AAA\nBBB\nCDE", "A recursive filter learns to take the mains hum out of a heartbeat", (16, 11))
    seconds = np.arange(clean.size) / rate
    wrong = [np.sqrt(np.mean((signal - clean)[windows[1]] ** 2)) for signal in (heard, filtered)]
    panel["A"].plot(seconds, heard, color=BEFORE, lw=1, label="with hum added: what the filter hears")
    panel["B"].plot(seconds, filtered, color=AFTER, lw=2.2, label="after the learned filter")
    for name, text, error in zip("AB", ("With mains hum", "After the learned filter"), wrong, strict=True):
        panel[name].plot(seconds, clean, color=TRUTH, lw=0.9, label="the recording")
        for window, color, use in zip(windows, ("#f2e6c2", "#d9ead3"), ("learning", "judging"), strict=True):
            panel[name].axvspan(seconds[window][0], seconds[window][-1], color=color, alpha=0.6, lw=0, label=use)
        panel[name].set_title(f"{text}: {error:.3g} recorder units rms off, in the heartbeat kept for judging")
        panel[name].set(xlim=(0, seconds[-1]), ylim=(clean.min() - 90, clean.max() + 90), xlabel="seconds")
        panel[name].legend(loc="upper right", ncols=4, framealpha=0.9)

    frequency = np.linspace(0, rate / 2, 4096, endpoint=False)
    for cascade, color, text in zip(cascades, (BEFORE, AFTER), ("start: a plain wire", "learned"), strict=True):
        response = freqz_sos(cascade, frequency.size, fs=rate)[1]
        panel["C"].plot(frequency, 20 * np.log10(np.abs(response)), color=color, lw=1.8, label=text)
    panel["C"].set(title="What the filter lets through", xlabel="frequency [Hz]", ylabel="gain [dB]")
    panel["C"].set(ylim=(-45, 5), xticks=[0, 50, 100, 150])
    panel["C"].legend(loc="lower center")
    panel["C"].grid(alpha=0.3)
    show_poles(panel["D"], cascades, rate)
    show_misfit(panel["E"], descent.misfit, noise_level, "units rms")
    figure.savefig(path)


def show_poles(axes: Axes, cascades, rate: float) -> None:
    """Zeros and poles in the unit circle before and after learning."""
    axes.add_patch(Circle((0, 0), 1, fill=False, color=TRUTH, lw=0.8))
    for cascade, color in zip(cascades, (BEFORE, AFTER), strict=True):
        zeros = np.concatenate([np.roots(numerator) for numerator in cascade[:, :3]])
        poles = np.concatenate([np.roots(denominator) for denominator in cascade[:, 3:]])
        axes.plot(np.real(zeros), np.imag(zeros), "o", mfc="none", color=color, ms=9)
        axes.plot(np.real(poles), np.imag(poles), "x", color=color, ms=8)
    for hertz in (50, 150):
        angle = 2 * np.pi * hertz / rate
        axes.annotate(f"{hertz} Hz", (1.06 * np.cos(angle), 1.06 * np.sin(angle)), ha="left" if hertz < 90 else "right")
    axes.set(title="Zeros (o) and poles (x): start red, learned blue", aspect="equal", xlim=(-1.55, 1.55), ylim=(-1.25, 1.25))
