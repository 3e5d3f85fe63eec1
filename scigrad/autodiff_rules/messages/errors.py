"""The messages of the core: what was wrong, the likely cause, what to do."""

from typing import Any

import numpy as np

from . import callers


class MissingRule(NotImplementedError):
    """Raised where a function is differentiated or batched in a way for which it has no rule."""


class MissingKernel(NotImplementedError):
    """Raised where the library that owns the array has no kernel for the function."""


class DeviceMismatch(TypeError):
    """Raised where the arguments of one call lie on different devices."""


class GaugeError(ValueError):
    """Raised where a real-valued loss depends on the free phase, sign or basis of a
    factorization.
    """


class TracedValueError(TypeError):
    """Raised where an operation needs a concrete array, but meets a traced value."""


class InPlaceError(ValueError):
    """Raised where an in-place change cannot be followed: of a traced array through its views, or
    of an array that is kept.
    """


class DoesNotDependWarning(UserWarning):
    """Warned where a result does not depend on an argument, so that its derivative is 0."""


def missing_rule(function: str, argument: str = "", mode: str = "derivative") -> MissingRule:
    place = f"argument '{argument}'" if argument else "its arguments"
    return MissingRule(
        f"{callers.own_name(function)}: no {mode} rule with respect to {place}. "
        "If the dependence does not matter, pass stop_gradient(value); otherwise state the rule "
        "with scigrad.custom_rule, or with the decorator that declares the function."
    )


def missing_batch_rule(function: str) -> MissingRule:
    return MissingRule(
        f"{callers.own_name(function)}: no batching rule for this combination of batched "
        "arguments, so vmap cannot "
        'vectorize it. vmap(f, fallback="loop") runs it once for every element of the batch.'
    )


def unsupported_ufunc_use(function: str, use: str) -> TracedValueError:
    return TracedValueError(
        f"{function}: {use} is not available for traced arrays, because derivatives do not follow "
        "what is written into memory. Use the returned array: y = f(x), or "
        "scigrad.numpy.where(mask, f(x), other)."
    )


def traced_into_plain_out() -> TracedValueError:
    return TracedValueError(
        "a plain NumPy array cannot receive a traced result (out=y, or y += x): its derivative "
        "would be lost. Write y = y + x, without out=, or start from y = "
        "scigrad.numpy.zeros((n, m))."
    )


def escaped_value() -> TracedValueError:
    return TracedValueError(
        "a traced value was kept after its transform (grad, jvp, vmap, ...) had ended, or a rule "
        "closes over one. Return it from the transformed function instead, as its result or with "
        "has_aux=True; pass what a rule needs as an argument."
    )


def batched_truth(what: str) -> TracedValueError:
    return TracedValueError(
        f"{what} of a value under vmap (or eval_shape) may differ between the elements of the "
        "batch. Instead of Python's if use scigrad.numpy.where(condition, a, b), or a loop over "
        "the batch: np.stack([f(x) for x in batch])."
    )


def data_dependent_shape(function: str) -> TracedValueError:
    return TracedValueError(
        f"{callers.own_name(function)}: the shape of the result depends on the data, so it "
        "differs between the elements of the batch under vmap, and between runs of a program of "
        "jit. Use scigrad.numpy.where(condition, x, other) and a reduction instead, or call it "
        "outside."
    )


def stale_view() -> InPlaceError:
    return InPlaceError(
        "this traced array is a reshaped array that was changed in place afterwards. Whether "
        "NumPy would show the change depends on the order of the array in memory, which a traced "
        "array has not. Reshape it again after the assignment, or copy it before: y = "
        "x.reshape(shape).copy()."
    )


def write_to_view() -> InPlaceError:
    return InPlaceError(
        "in-place assignment to a reshaped traced array. Whether NumPy would write to the array "
        "itself depends on its order in memory, which a traced array has not. Assign to the array "
        "itself, or to a copy: y = x.reshape(shape).copy()."
    )


def lent_memory() -> InPlaceError:
    return InPlaceError(
        "assignment of a traced value to an array whose memory NumPy has been given, by "
        "numpy.asarray(x) or a function that calls it: the array that was made there would not "
        "show it. Make another array for the traced values: x.copy()."
    )


def write_to_overlap() -> InPlaceError:
    return InPlaceError(
        "in-place assignment to a read-only view, as NumPy's are that show elements more than once "
        "(numpy.broadcast_to, sliding_window_view) and the imaginary part of real numbers. Assign "
        "to the array itself, or to a copy: y = y.copy()."
    )


def written_constant(function: str, x: Any) -> InPlaceError:
    return InPlaceError(
        f"{function}: a plain array of shape {x.shape} was written to after this call, whose "
        "derivative needs what was in it. Make a new array instead of filling the old one again, "
        "or pass a copy: w.copy(). Inside of scigrad.check_writes() the line that writes raises."
    )


def write_across_levels() -> InPlaceError:
    return InPlaceError(
        "in-place assignment of a value that belongs to an inner transform (grad, jvp, vmap) into "
        "an array of an outer one: the array would still hold it after the inner transform has "
        "ended. Take a new array instead, y = scigrad.numpy.set_at(x, index, value), or y = x + "
        "value."
    )


def other_arithmetic(kind: type) -> TracedValueError:
    library = kind.__module__.partition(".")[0]
    instead = {
        "numpy": "numpy.asarray(matrix), or masked.filled(0) with the mask applied by numpy.where",
        "astropy": "quantity.to_value(unit), or the number unit.to(other_unit)",
        "xarray": "array.data",
        "pandas": "series.to_numpy()",
        "pint": "quantity.m_as(unit)",
        "dask": "array.compute(), or give a LinearOperator. A transform of fft is linear: its "
        "adjoint is one of Dask arrays, ifftn(g, norm='forward') for fftn",
    }
    named = f"a {kind.__name__}" if library == "numpy" else f"{library}'s {kind.__name__}"
    return TracedValueError(
        f"{named} cannot be combined with traced values: its operators and reductions differ from "
        "those of an array, and so would the result. Convert it: "
        f"{instead.get(library, 'numpy.asarray(x)')}."
    )


def foreign_array(kind: type) -> MissingKernel:
    library = kind.__module__.partition(".")[0].removesuffix("lib")
    detached = " (x.detach() first, if it requires a gradient)" if library == "torch" else ""
    return MissingKernel(
        f"scigrad takes NumPy and CuPy arrays, and was given one of {library}'s "
        f"({kind.__name__}). Convert it: numpy.asarray(x){detached} on the host, "
        f"cupy.from_dlpack(x) on a GPU. Derivatives do not flow back into {library}."
    )


def sparse_beside_traced() -> TypeError:
    return TypeError(
        "functions of NumPy's take no traced sparse array, and no sparse array beside a traced "
        "one. Use operators (A @ x), methods (A.sqrt(), abs(A), A.multiply(B)), A.data or "
        "A.toarray()."
    )


def bad_argnums(transform: str, argnums: Any, count: int) -> TypeError:
    return TypeError(
        f"{transform}: argnums={argnums!r} with {count} positional arguments. It has to be the "
        "position of one of them, or a tuple of different positions; negative numbers count from "
        "the end."
    )


def not_one_each(transform: str, expected: Any, found: Any) -> TypeError:
    sequence = isinstance(found, (tuple, list))
    what = (
        f"{len(found)} of them for {expected} arguments"
        if sequence
        else f"a {type(found).__name__}"
    )
    return TypeError(
        f"{transform}: primals and tangents are tuples with one entry for each argument of the "
        f"function, not {what}. Write {transform}(f, (x,), (t,)) for a function of one argument."
    )


def not_a_cotangent_each(expected: int, found: Any) -> ValueError:
    given = f"{len(found)}" if isinstance(found, (tuple, list)) else f"a {type(found).__name__}"
    return ValueError(
        f"a vjp rule has to return a tuple of {expected} cotangents, one for each argument, not "
        f"{given}."
    )


def of_objects(function: str) -> TracedValueError:
    return TracedValueError(
        f"{callers.own_name(function)} of a traced array and Python objects (an array of dtype "
        "object) has no derivative. Make numbers of them: scigrad.numpy.array(list) of traced "
        "ones, a.astype(float) of others."
    )


def hidden_traced(kind: type, place: str) -> TracedValueError:
    return TracedValueError(
        f"the function returned a {kind.__name__} that holds a traced value (x{place}): its "
        "derivative would be lost. Return the array itself, or declare the class by "
        "scigrad.register_container."
    )


def not_an_output(value: Any) -> TypeError:
    return TypeError(
        f"the function returned a {type(value).__name__}, which is neither an array nor a number. "
        "Return it as auxiliary data (has_aux=True), or make it an array: "
        "numpy.stack(list(items)) of a generator."
    )


def not_differentiable(transform: str, argument: str, value: Any) -> TypeError:
    place = f"argument {argument}"
    if isinstance(value, int):
        return TypeError(
            f"{transform}: {place} is {value!r}, a Python {type(value).__name__}, which has no "
            f"derivative. Write {float(value)!r} if it varies; what does not vary belongs outside "
            "argnums."
        )
    if not hasattr(value, "dtype"):
        return TypeError(
            f"{transform}: {place} is a {type(value).__name__}, which is neither an array nor a "
            "number. Containers may be tuples, lists, dicts, named tuples, dataclasses and "
            "sparse arrays; other inputs belong outside argnums."
        )
    return TypeError(
        f"{transform}: {place} has dtype {value.dtype}, which has no derivative. Convert it "
        "(x.astype(float); a solver that passes it starts from floats, [1.0, 1.0]), or leave it "
        "out of argnums."
    )


def varying(transform: str, recording: Any, what: str = "outputs that vary") -> Any:
    """Return the recording, unless one of its outputs is a step function."""
    for dtype in (getattr(value, "dtype", np.dtype(type(value))) for value in recording.values):
        if dtype.kind not in "fc":
            raise TypeError(
                f"{transform} needs {what} smoothly, but the function returned one of dtype "
                f"{dtype}, a comparison, a count or a position, whose derivative is 0 wherever it "
                "exists. Use a smooth function instead, such as scigrad.special.expit(x - a) for "
                "x > a, or a softmax for argmax. Write a constant as a float, 3.0."
            )
    return recording


def not_a_real_loss() -> TypeError:
    return TypeError(
        "grad needs a real loss, but the function returned a complex number. Take the real "
        "quantity "
        "that you mean (numpy.real(z), numpy.abs(z)**2), or use scigrad.vjp for a chosen "
        "cotangent, "
        'or scigrad.jacobian(f, complex_mode="real" | "wirtinger" | "holomorphic").'
    )


def not_scalar(shapes: list[tuple[int, ...]]) -> TypeError:
    found, advice = (
        f"an array of shape {shapes[0]}" if shapes else "no array",
        "Reduce it (numpy.sum)",
    )
    if len(shapes) > 1:
        found, advice = (
            f"{len(shapes)} arrays",
            "Write grad(f, has_aux=True) if it returns (number, auxiliary data)",
        )
    return TypeError(
        "grad, hessian and hvp need a function that returns one real number; this one returned "
        f"{found}. {advice}, or use scigrad.jacobian or scigrad.vjp."
    )


def wrong_structure(what: str, expected: Any, found: Any) -> ValueError:
    return ValueError(f"{what} must have the structure {expected}, not {found}.")


def wrong_shape(what: str, expected: Any, found: Any) -> ValueError:
    return ValueError(f"{what} must have shape {tuple(expected)}, not {tuple(found)}.")


def complex_input_needs_mode(transform: str) -> TypeError:
    if transform == "hessian":
        return TypeError(
            "hessian of a function with complex input: differentiate by its real coordinates, "
            "hessian(lambda re, im: f(re + 1j * im), argnums=(0, 1))(z.real, z.imag); scigrad.hvp "
            "takes complex input as it is."
        )
    call = (
        ""
        if transform == "jacobian"
        else f" ({transform} takes none; scigrad.jacobian(f, complex_mode=...))"
    )
    return TypeError(
        f"{transform} of a function with complex input: one complex matrix describes it only "
        "where it is "
        f'holomorphic. Say which you want{call}: complex_mode="holomorphic" (checked), '
        '"wirtinger" (the pair d/dz, d/dconj(z)) or "real" (the real block matrix [[dRe/dRe, '
        "dRe/dIm], [dIm/dRe, dIm/dIm]])."
    )


def not_holomorphic(residual: float) -> ValueError:
    return ValueError(
        f"the function is not holomorphic here: |df/dconj(z)| reaches {residual:.2e} of |df/dz|. "
        'Use complex_mode="wirtinger" or "real".'
    )


def static_varies(kind: str, name: str) -> TracedValueError:
    return TracedValueError(
        f"the attribute {name!r} of a {kind} is declared to be constant, but holds a value that "
        "varies: its derivative would be lost. Name it in scigrad.register_container(cls, "
        "varying=...); annotate it in a dataclass as a float or an array."
    )


def closes_over_traced(what: str) -> TracedValueError:
    return TracedValueError(
        f"{what}: the function uses a traced value from outside that is not "
        "among its arguments, so its derivative would be lost. Pass it as an argument. For a "
        "solver of sparse systems or eigenvalues write the function as "
        "scigrad.sparse.linalg.linear_operator(f, *params, shape=(n, n))."
    )


def not_names_of_a_call(names: tuple[str, ...]) -> TypeError:
    return TypeError(
        f"a function with a rule cannot have the arguments {names}: rules find them in `call`, "
        "beside call.out and call.saved, and no name there begins with an underscore. Declare the "
        "function itself, with @elementwise, and state its partial derivatives with @f.partials."
    )


def its_own_transpose(what: str) -> MissingRule:
    return MissingRule(
        f"{what}: the forward rule calls {what} with a tangent, so its transpose needs the "
        f"reverse rule that it should give. State it with @{what}.vjp."
    )


def no_transpose(what: str) -> MissingRule:
    return MissingRule(
        f"{what}: its forward rule does not take traced tangents, so that it has no transpose. "
        "State a reverse rule (vjp=), or use forward mode (jvp, jacfwd)."
    )


def consumed_pullback() -> RuntimeError:
    return RuntimeError(
        "this pullback was made with keep=False and has been used. Use vjp(f, x, keep=True)."
    )


def device_mismatch(function: str, met: Any, named: Any) -> DeviceMismatch:
    (a, library_a), (b, library_b) = named or met
    host, device = (a, b) if library_a == "numpy" else (b, a)
    what, advice = f"a {library_a} array meets a {library_b} array", ""
    if named:
        what = f"argument '{a}' is a {library_a} array, argument '{b}' a {library_b} array"
        advice = (
            f", for example {host} = cupy.asarray({host}), or {device} = cupy.asnumpy({device})"
        )
    return DeviceMismatch(
        f"{function}: {what}. Nothing is copied between host and device implicitly: move one of "
        f"them{advice}."
    )


def missing_kernel(path: str, library: str) -> MissingKernel:
    from ..backends import chosen  # backends imports this file

    name = path.removeprefix("numpy.")
    if name in chosen.get():
        return MissingKernel(
            f"{path}: {library} has no such function. on_host({name!r}) holds for calls by the "
            f"room, {name}(...): a name that was imported from the room before the context was "
            "entered is the function itself."
        )
    return MissingKernel(
        f"{path}: {library} has no such function. Move the data to the host, by cupy.asnumpy(x) "
        f"or for this function by `with scigrad.on_host({name!r})` around {name}(...), or give a "
        "kernel for this library, kernel(path, instead={...})."
    )
