"""Tests of SciPy's that are no tests of ours, and the reasons why some are lost."""

# Tests of something else than the functions that stand in.
BESIDE = {
    "fft": {
        "test_backend::test_backend_call": (
            "how scipy.fft asks registered backends; ours are one: `set_backend(scigrad.fft)`"
        ),
        "test_backend::test_backend_plan": "the same",
        "test_basic::test_multiprocess": (
            "in new processes SciPy's functions are back; ours: tests/fft/test_bad_input.py"
        ),
    },
    "special": {
        "test_cdflib::test_nctdtrinc_gh19896": (
            "pins digits that are 1e-9 to 5e-4 off; ours is the root"
        ),
        "test_cython_special::test_cython_api[pbvv]": (
            "asks for SciPy's values at 10, where they are wrong by 10 to 1e260"
        ),
        "test_cython_special::test_cython_api[modfresnelm]": (
            "asks for SciPy's values at -10, whose imaginary part is wrong"
        ),
        "test_cython_special::test_cython_api[modfresnelp]": "the same",
    },
}
BESIDE["signal"] = {
    **dict.fromkeys(
        (f"test_filter_design.{name}::test_plot" for name in ("TestFreqs", "TestFreqz")),
        "recorded: stores the traced response that `plot` is called with",
    ),
    **dict.fromkeys(
        (
            f"test_spectral.TestCSD::test_{name}_32"
            for name in ("real_onesided_even", "real_onesided_odd", "real_twosided", "complex")
        ),
        "recorded: of a signal with itself, which becomes two arrays",
    ),
    **dict.fromkeys(
        (
            f"test_spectral.TestLombscargle::test_{name}_deprecation"
            for name in ("precenter", "positional_args")
        ),
        "an argument that SciPy has deprecated",
    ),
    "test_signaltools::test_choose_conv_method": "recorded: the result is a text",
    "test_bsplines.TestSepfir2d::test_sepfir2d_strided_3": (
        "SciPy expects it to fail: pins what a loop reads out of bounds"
    ),
}
BESIDE["sparse.csgraph"] = dict.fromkeys(
    (
        f"test_graph_laplacian::test_{name}"
        for name in ("sparse_formats", "symmetric_graph_laplacian")
    ),
    "recorded: copy=False, where the dense graph is not overwritten",
)
_DIGITS = (
    "last digits: traced arrays go another way, and the test wants the same bits, or 0 "
    "where there is rounding"
)
BESIDE["linalg"] = {
    "test_matfuncs.TestLogM::test_al_mohy_higham_2012_experiment_1_funm_log": (
        "asks that `expm(funm(A, log))` miss A; ours is A"
    ),
}
# Why a test is lost that is counted as lost; the others are listed with their message.
_HANDED = "imported: `args`, by which SciPy's operators keep what they are made of"
_COMPLEX = (
    "imported: a complex right side of real factors is solved, so that its size is what "
    "is wrong with it"
)
REASONS = {
    "linalg": {
        "test_decomp::test_gesdd_nan_error_message": (
            "`check_finite=False` lets NaN pass, as the check's message says"
        )
    },
    "sparse.linalg": {
        "test_linsolve.TestFactorized::test_call_with_cast_to_complex_without_umfpack": _COMPLEX,
        "test_linsolve.TestSplu::test_bad_inputs": _COMPLEX,
        "test_linsolve.TestSplu::test_lu_refcount": (
            "imported: whether the permutations refer to the factors"
        ),
        "test_interface.TestLinearOperator::test_matvec": _HANDED,
        "test_interface.TestAsLinearOperator::test_basic": _HANDED,
        "test_interface.TestAsLinearOperator::test_dot": (
            "imported: vmap of functions that multiply a numpy.matrix"
        ),
    },
    "signal": {
        **dict.fromkeys(
            (
                f"test_dltisys.TestTransferFunctionZConversion::test_{name}"
                for name in ("full", "numerator", "denominator")
            ),
            "imported: SciPy's own private functions, which the public ones do without",
        ),
        **dict.fromkeys(
            (f"test_waveforms.Test{name}Waveform::test_dtype" for name in ("Sawtooth", "Square")),
            "single precision stays single",
        ),
        "test_signaltools.TestDecimate::test_complex_fir_dlti": (
            "last digits: `decimate` and `upfirdn` add in different orders"
        ),
        **dict.fromkeys(
            (
                "test_filter_design.TestCheby2::test_fs_param",
                "test_filter_design.TestEllip::test_fs_param",
                "test_fir_filter_design.Testfirwin_2d::test_impulse_response",
                "test_signaltools.TestConvolve::test_convolve_method",
                *(
                    f"test_signaltools.TestConvolve2d::test_{name}"
                    for name in (
                        "boundary_extension_full",
                        "boundary_extension_same",
                        "same_with_boundary",
                    )
                ),
                *(
                    f"test_signaltools.TestCorrelateReal::test_rank3_{name}"
                    for name in ("all", "valid", "same")
                ),
                *(
                    f"test_spectral.TestSTFT::test_roundtrip_{name}"
                    for name in ("nola_not_cola", "scaling")
                ),
            ),
            _DIGITS,
        ),
        "test_signaltools.TestFFTConvolve::test_fft_nan": "no RuntimeWarning for NaN",
        "test_signaltools.TestOrderFilt::test_medfilt_order_filter": (
            "integers beside a recorded domain become floats"
        ),
        "test_spectral.TestSTFT::test_roundtrip_float32": (
            "single precision stays single, beside a class that computes in double"
        ),
    },
}
