"""One picture for each problem: the truth, the measurements, the result, and the misfit step by
step.
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LightSource, LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from scipy.signal import freqz_sos

# one color for each role in all three pictures
BEFORE, AFTER, TRUTH = "#c44e52", "#1f6fb4", "#222222"
LEFT, RIGHT, TOP, BOTTOM = 0.75, 0.95, 1.3, 0.65  # margins [inches]


def sheet(
    panels: str, title: str, facts: str, size: tuple[float, float], space: tuple[float, float]
) -> Any:
    """Return an empty picture with lettered panels of equal size, `space` between columns and rows
    as a fraction of a panel.

    Everything has a fixed place: a layout engine would give panels with a color bar another size
    than those without.
    """
    width, height = size
    figure = Figure(figsize=size, dpi=110)
    figure.suptitle(title, fontsize=17, fontweight="bold", y=1 - 0.25 / height)
    figure.text(0.5, 1 - 0.8 / height, facts, ha="center", fontsize=12)
    place = {
        "left": LEFT / width,
        "right": 1 - RIGHT / width,
        "top": 1 - TOP / height,
        "bottom": BOTTOM / height,
    }
    return figure, figure.subplot_mosaic(
        panels, gridspec_kw={**place, "wspace": space[0], "hspace": space[1]}
    )


def show_image(
    axes: Axes, image: np.ndarray, title: str, unit: str | None = None, **style: Any
) -> Any:
    """Draw an image without ticks; with a unit, also its color bar, which is returned."""
    shown = axes.imshow(image, **style)
    axes.set(title=title, xticks=[], yticks=[])
    return (
        None
        if unit is None
        else axes.figure.colorbar(shown, cax=axes.inset_axes((1.04, 0, 0.05, 1)), label=unit)
    )


def show_misfit(axes: Axes, misfit: list[float], noise_level: float, name: str) -> None:
    """Draw the misfit on a logarithmic axis, down to where only noise is left."""
    axes.semilogy(misfit, color=AFTER, lw=2.5)
    axes.axhline(noise_level, color=TRUTH, ls="--", lw=1)
    axes.annotate("noise level", (0.02, 1.1 * noise_level), xycoords=("axes fraction", "data"))
    axes.set(title=f"{name}: {misfit[0]:.3g} → {misfit[-1]:.3g}", xlabel="step of L-BFGS")
    axes.set_ylim(bottom=0.5 * min(noise_level, misfit[-1]))
    axes.grid(alpha=0.3)


def cost(descent: Any) -> str:
    """Return a phrase for time and number of the gradients."""
    each = 1e3 * descent.seconds / descent.evaluations
    return f"{each:.3g} ms for value and gradient, evaluated {descent.evaluations} times"


# -- groundwater


def groundwater(
    site, truth, found, first_head, head, measured, descent, noise_level: float, path: Path
) -> None:
    """Draw terrain, true rock, recovered rock and its error above; water levels, wells and misfit
    below.
    """
    rows, columns = truth.shape
    facts = f"{rows} x {columns} cells, one sparse factorization for each gradient: {cost(descent)}"
    title = (
        f"Groundwater: permeability of {truth.size:,} cells of rock, from the water levels "
        f"in {measured.size} wells"
    )
    figure, panel = sheet("ABCD\nEFGH", title, facts, (21, 10.4), (0.5, 0.27))
    height, width = rows * site.cell[0] / 1e3, columns * site.cell[1] / 1e3
    on_map = {"extent": (0.0, width, 0.0, height)}
    show_terrain(panel["A"], site, truth.shape, on_map)
    show_rock(panel, truth, found, on_map)
    show_water(panel, first_head.reshape(truth.shape), head.reshape(truth.shape), on_map)
    show_wells(panel["G"], site, measured, first_head, head)
    show_misfit(panel["H"], descent.misfit, noise_level, "Misfit [m rms]")
    for name, axes in panel.items():
        axes.set_box_aspect(height / width)
        if name in "ABCDEF":
            axes.set(
                xlabel="east [km]",
                ylabel="north [km]",
                xticks=np.arange(0, width, 10),
                yticks=np.arange(0, height, 10),
            )
    figure.savefig(path)


def show_terrain(axes: Axes, site, shape: tuple[int, int], on_map: dict[str, Any]) -> None:
    """Draw the elevation with its shade, and the wells."""
    shade = LightSource(azdeg=315, altdeg=40).hillshade(
        site.elevation, dx=site.cell[1], dy=site.cell[0], vert_exag=4
    )
    axes.imshow(shade, cmap="gray", **on_map)
    text = f"Terrain and {site.wells.size} wells (dots)"
    show_image(axes, site.elevation, text, "elevation [m]", cmap="terrain", alpha=0.55, **on_map)
    (rows, columns), (_, width, _, height) = shape, on_map["extent"]
    well_row, well_column = np.divmod(site.wells, columns)
    east, north = (well_column + 0.5) / columns * width, (1 - (well_row + 0.5) / rows) * height
    axes.plot(east, north, ".", color="black", ms=3)


def show_rock(panel: dict[str, Axes], truth, found, on_map: dict[str, Any]) -> None:
    """Draw the true permeability, the recovered one, and their quotient."""
    k, k_found = np.exp(truth), np.exp(found)
    style = {"cmap": "viridis", "norm": LogNorm(k.min(), k.max()), **on_map}
    show_image(panel["B"], k, "True permeability (invented)", "K [m/s]", **style)
    show_image(panel["C"], k_found, "Recovered from the wells", "K [m/s]", **style)
    typical = np.exp(np.sqrt(np.mean((found - truth) ** 2)))
    style = {"cmap": "RdBu", "norm": LogNorm(1 / 6, 6), **on_map}
    text = f"Error: typically a factor of {typical:.2g}"
    bar = show_image(panel["D"], k_found / k, text, "recovered / true K", **style)
    bar.set_ticks([0.2, 0.5, 1, 2, 5], labels=["1/5", "1/2", "1", "2", "5"])
    bar.minorticks_off()


def show_water(panel: dict[str, Axes], first_head, head, on_map: dict[str, Any]) -> None:
    """Draw the water levels before and after, in one scale of colors."""
    levels = {"vmin": min(head.min(), first_head.min()), "vmax": max(head.max(), first_head.max())}
    style = {"cmap": "Blues", **levels, **on_map}
    for name, water, rock in (
        ("E", first_head, "uniform rock (the start)"),
        ("F", head, "the recovered rock"),
    ):
        show_image(panel[name], water, f"Water level in {rock}", "head [m]", **style)
        panel[name].contour(water, 18, colors=TRUTH, linewidths=0.7, origin="upper", **on_map)


def show_wells(axes: Axes, site, measured, first_head, head) -> None:
    """Draw computed against measured water levels, before and after."""
    axes.plot(measured, first_head[site.wells], ".", color=BEFORE, label="uniform rock (the start)")
    axes.plot(measured, head[site.wells], ".", color=AFTER, label="recovered rock")
    axes.axline((measured.mean(),) * 2, slope=1, color=TRUTH, lw=1)
    residual = head[site.wells] - measured
    axes.set(
        title=f"Wells: {np.std(residual):.2f} m off",
        xlabel="measured water level [m]",
        ylabel="computed [m]",
    )
    axes.legend(loc="upper left")
    axes.grid(alpha=0.3)


# -- phase retrieval


def phase_retrieval(
    photograph, truth, masks, measured, start, found, descent, noise_level: float, path: Path
) -> None:
    """Draw object, masks and patterns above; first guess, recovered amplitude and phase, error and
    misfit below.
    """
    size = "{} x {}".format(*truth.shape)
    title = "Phase retrieval: a complex field from the brightness of four diffraction patterns"
    facts = (
        f"{size} complex unknowns, {measured.size:,} photon counts, no phase measured: "
        f"{cost(descent)}"
    )
    figure, panel = sheet("ABCDE\nFGHIJ", title, facts, (23, 9.6), (0.38, 0.22))
    gray = {"cmap": "gray", "vmin": 0, "vmax": np.abs(truth).max()}
    root = "square root of photons"
    turn = {"cmap": "coolwarm", "vmin": -1.5, "vmax": 1.5}
    show_image(panel["A"], photograph, "The object: a photograph")
    show_image(panel["B"], np.abs(truth), "True amplitude (brightness)", root, **gray)
    show_image(panel["C"], np.angle(truth), "True phase (red minus blue)", "radians", **turn)
    corner = min(32, len(truth))
    show_four(
        panel["D"],
        masks[:, :corner, :corner],
        f"Four masks (corners of {corner} x {corner})",
        cmap="gray",
    )
    patterns = np.log10(1 + np.fft.fftshift(measured, axes=(1, 2)) ** 2)
    show_four(
        panel["E"], patterns, "Measured: four patterns", "log10 of the photon count", cmap="inferno"
    )
    show_image(panel["F"], np.abs(start), "First guess: noise", root, **gray)
    show_image(panel["G"], np.abs(found), "Recovered amplitude", root, **gray)
    show_image(panel["H"], np.angle(found), "Recovered phase", "radians", **turn)
    show_error(panel["I"], truth, found)
    show_misfit(panel["J"], descent.misfit, noise_level, "Reduced chi-square")
    for axes in panel.values():
        axes.set_box_aspect(1)
    figure.savefig(path)


def show_error(axes: Axes, truth, found) -> None:
    """Draw the distance of the recovered field from the true one."""
    error = np.linalg.norm(found - truth) / np.linalg.norm(truth)
    wrong = 100 * np.abs(found - truth) / np.abs(truth).max()
    faint = {"cmap": "magma", "vmin": 0, "vmax": np.quantile(wrong, 0.999)}
    text = f"Error: {100 * error:.1f} % of the field"
    show_image(axes, wrong, text, "% of the brightest pixel", **faint)


def show_four(
    axes: Axes, images: np.ndarray, title: str, unit: str | None = None, **style: Any
) -> None:
    """Draw four images in a square, with lines between them."""
    show_image(
        axes, np.block([[images[0], images[1]], [images[2], images[3]]]), title, unit, **style
    )
    rows, columns = images[0].shape
    axes.axhline(rows - 0.5, color=AFTER, lw=4)
    axes.axvline(columns - 0.5, color=AFTER, lw=4)


# -- the heartbeat


def ecg_filter(clean, heard, filtered, cascades, design: str, rate: float, windows, descent,
    noise_level: float,
               path: Path) -> None:  # fmt: skip
    """Draw the heartbeat with hum and after the filter, the filter's response, its poles and zeros,
    and the misfit.

    `cascades` are the second-order sections before and after learning, and those of the learned
    `design`; `windows` are those for learning and for judging.
    """
    title = (
        "Recursive filter: a cascade of second-order sections learns to remove the mains "
        "hum from a heartbeat"
    )
    facts = f"{descent.x.size} parameters, {clean.size:,} samples: {cost(descent)}"
    figure, panel = sheet("AAA\nBBB\nCDE", title, facts, (16, 12.5), (0.3, 0.4))
    seconds = np.arange(clean.size) / rate
    wrong = [np.sqrt(np.mean((signal - clean)[windows[1]] ** 2)) for signal in (heard, filtered)]
    panel["A"].plot(seconds, heard, color=BEFORE, lw=1, label="with hum: input of the filter")
    panel["B"].plot(seconds, filtered, color=AFTER, lw=2.2, label="output of the learned filter")
    for name, text, error in zip(
        "AB", ("Heartbeat with mains hum", "After the learned filter"), wrong, strict=True
    ):
        panel[name].plot(seconds, clean, color=TRUTH, lw=0.9, label="recording without hum")
        show_windows(panel[name], seconds, windows)
        panel[name].set_title(
            f"{text}: {error:.3g} recorder units rms from the recording, in the beat kept for the "
            "test"
        )
        panel[name].set(
            xlim=(0, seconds[-1]), ylim=(clean.min() - 110, clean.max() + 90), xlabel="time [s]"
        )
        panel[name].set_ylabel("recorder units")
        panel[name].legend(loc="upper right", ncols=4, framealpha=0.9)
    show_start_up(panel["B"], seconds[windows[0]][0])
    show_gain(panel["C"], cascades, design, rate)
    show_poles(panel["D"], cascades[:2], rate)
    show_misfit(panel["E"], descent.misfit, noise_level, "Misfit [recorder units rms]")
    figure.savefig(path)


def show_windows(axes: Axes, seconds: np.ndarray, windows) -> None:
    """Draw the times that the filter is fitted to and tested in."""
    for window, color, use in zip(
        windows, ("#f2e6c2", "#d9ead3"), ("fitted here", "tested here"), strict=True
    ):
        first, last = seconds[window][0], seconds[window][-1]
        axes.axvspan(first, last, color=color, alpha=0.6, lw=0, label=use)


def show_start_up(axes: Axes, settled: float) -> None:
    """Draw the time until the filter has settled, by a double arrow."""
    text = (
        "start-up: the filter begins at rest\n"
        "and needs half a second to settle\n"
        "(neither fitted nor tested)"
    )
    axes.annotate(text, (settled / 2, 140), ha="center", va="bottom")
    axes.annotate("", (0, 120), (settled, 120), arrowprops={"arrowstyle": "<->", "color": TRUTH})


def show_gain(axes: Axes, cascades, design: str, rate: float) -> None:
    """Draw the gain of the filter before and after learning, and that of the learned design."""
    frequency = np.linspace(0, rate / 2, 4096, endpoint=False)
    names = "start: passes everything", "learned sections", "learned design (iirnotch)"
    for cascade, color, style, text in zip(
        cascades, (BEFORE, AFTER, TRUTH), ("-", "-", ":"), names, strict=True
    ):
        gain = 20 * np.log10(np.abs(freqz_sos(cascade, frequency.size, fs=rate)[1]))
        axes.plot(frequency, gain, style, color=color, lw=1.8, label=text)
    axes.set(title=f"Gain; notches: {design}", xlabel="frequency [Hz]", ylabel="gain [dB]")
    axes.set(ylim=(-45, 8), xticks=[0, 50, 100, 150])
    axes.legend(loc="lower center")
    axes.grid(alpha=0.3)


def show_poles(axes: Axes, cascades, rate: float) -> None:
    """Draw zeros and poles in the unit circle before and after learning, with a closer look at 50
    Hz.
    """
    angle = 2 * np.pi * 50 / rate
    inset = axes.inset_axes((0.3, 0.3, 0.4, 0.4))
    center, reach = (np.cos(angle), np.sin(angle)), 0.03
    for part in (axes, inset):
        part.add_patch(Circle((0, 0), 1, fill=False, color=TRUTH, lw=0.8))
        for cascade, color in zip(cascades, (BEFORE, AFTER), strict=True):
            zeros = np.concatenate([np.roots(numerator) for numerator in cascade[:, :3]])
            poles = np.concatenate([np.roots(denominator) for denominator in cascade[:, 3:]])
            part.plot(np.real(zeros), np.imag(zeros), "o", mfc="none", color=color, ms=9)
            part.plot(np.real(poles), np.imag(poles), "x", color=color, ms=8)
    inset.set(
        xlim=(center[0] - reach, center[0] + reach),
        ylim=(center[1] - reach, center[1] + reach),
        xticks=[],
        yticks=[],
    )
    inset.set_xlabel("around 50 Hz", fontsize=9)
    axes.indicate_inset_zoom(inset, edgecolor=TRUTH)
    for hertz in (50, 150):
        angle = 2 * np.pi * hertz / rate
        axes.annotate(
            f"{hertz} Hz",
            (1.06 * np.cos(angle), 1.06 * np.sin(angle)),
            ha="left" if hertz < 90 else "right",
        )
    axes.set(
        title="Zeros (o), poles (x): start red, learned blue",
        xlim=(-1.55, 1.55),
        ylim=(-1.25, 1.25),
        aspect="equal",
    )
    axes.set(xlabel="real part", ylabel="imaginary part")
