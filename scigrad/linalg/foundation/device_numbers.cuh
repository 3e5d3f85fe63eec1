// Numbers of systems of linear equations on a device: T, real or complex, and REAL, the type of its
// size. Matrices are batches in C order.

template <class R> struct Complex { R re, im; };
template <class R> __device__ Complex<R> operator+(Complex<R> x, Complex<R> y) {
    return {x.re + y.re, x.im + y.im};
}
template <class R> __device__ Complex<R> operator-(Complex<R> x, Complex<R> y) {
    return {x.re - y.re, x.im - y.im};
}
template <class R> __device__ Complex<R> operator*(Complex<R> x, Complex<R> y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
// Smith's algorithm, since squares would overflow.
template <class R> __device__ Complex<R> operator/(Complex<R> x, Complex<R> y) {
    const bool wide = fabs(y.re) >= fabs(y.im);
    const R big = wide ? y.re : y.im, small = wide ? y.im : y.re;
    const R ratio = small / big, most = big + small * ratio;
    const R re = wide ? x.re + x.im * ratio : x.re * ratio + x.im;
    const R im = wide ? x.im - x.re * ratio : x.im * ratio - x.re;
    return {re / most, im / most};
}

__device__ float conjugate(float x) { return x; }
__device__ double conjugate(double x) { return x; }
template <class R> __device__ Complex<R> conjugate(Complex<R> x) { return {x.re, -x.im}; }
__device__ void set(float& x, float real) { x = real; }
__device__ void set(double& x, double real) { x = real; }
template <class R> __device__ void set(Complex<R>& x, R real) { x = {real, R(0)}; }
__device__ float real_part(float x) { return x; }
__device__ double real_part(double x) { return x; }
template <class R> __device__ R real_part(Complex<R> x) { return x.re; }
// The size of a pivot as LAPACK compares it. For NaN some number, so that all lanes choose the same.
template <class R> __device__ R ordered(R x) { return x == x ? x : R(1); }
__device__ float size_of(float x) { return ordered(fabs(x)); }
__device__ double size_of(double x) { return ordered(fabs(x)); }
template <class R> __device__ R size_of(Complex<R> x) { return ordered(fabs(x.re) + fabs(x.im)); }
__device__ bool is_finite(float x) { return x - x == 0; }
__device__ bool is_finite(double x) { return x - x == 0; }
template <class R> __device__ bool is_finite(Complex<R> x) {
    return is_finite(x.re) && is_finite(x.im);
}
__device__ float taken(float x, int lane, int width) {
    return __shfl_sync(0xffffffffu, x, lane, width);
}
__device__ double taken(double x, int lane, int width) {
    return __shfl_sync(0xffffffffu, x, lane, width);
}
template <class R> __device__ Complex<R> taken(Complex<R> x, int lane, int width) {
    return {taken(x.re, lane, width), taken(x.im, lane, width)};
}

// The largest of the sizes of some lanes, and the first place that has it, for all of them.
__device__ void find_largest(REAL& size, int& place, int width) {
    for (int step = width / 2; step; step >>= 1) {
        const REAL other = __shfl_xor_sync(0xffffffffu, size, step, width);
        const int its = __shfl_xor_sync(0xffffffffu, place, step, width);
        if (other > size || (other == size && its < place)) { size = other; place = its; }
    }
}
