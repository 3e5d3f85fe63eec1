// CUDA's mathematical functions by the C and C++ libraries, to their accuracy.
#pragma once
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rcbrt(double x) { return 1 / std::cbrt(x); }
inline float rcbrt(float x) { return 1 / std::cbrt(x); }
inline double sinpi(double x) { return std::sin(M_PI * std::fmod(x, 2.0)); }
inline double cospi(double x) { return std::cos(M_PI * std::fmod(x, 2.0)); }
inline float sinpi(float x) { return (float)sinpi((double)x); }
inline float cospi(float x) { return (float)cospi((double)x); }
inline void sincospi(double x, double* s, double* c) {
    *s = sinpi(x);
    *c = cospi(x);
}
inline double normcdf(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }
inline float normcdf(float x) { return (float)normcdf((double)x); }
inline double erfcx(double x) {
    return x < 25 ? std::exp(x * x) * std::erfc(x) : 1 / (x * std::sqrt(M_PI)) * (1 - 0.5 / (x * x) + 0.75 / (x * x * x * x));
}
inline float erfcx(float x) { return (float)erfcx((double)x); }
inline double erfinv(double y) {
    if (std::fabs(y) >= 1) return std::fabs(y) == 1 ? std::copysign(INFINITY, y) : NAN;
    double a = 0.147, l = std::log(1 - y * y), t = 2 / (M_PI * a) + l / 2;  // Winitzki's approximation, then Halley's method
    double x = std::copysign(std::sqrt(std::sqrt(t * t - l / a) - t), y);
    for (int i = 0; i < 4; i++) {
        double error = y > 0.5 ? (1 - y) - std::erfc(x) : y < -0.5 ? std::erfc(-x) - (1 + y) : std::erf(x) - y;
        double s = error / (2 / std::sqrt(M_PI) * std::exp(-x * x));
        x -= s / (1 + x * s);
    }
    return x;
}
inline float erfinv(float y) { return (float)erfinv((double)y); }
inline double erfcinv(double y) {
    if (y > 0.5) return erfinv(1 - y);
    if (y <= 0) return y == 0 ? INFINITY : NAN;
    double x = std::sqrt(-std::log(y));
    for (int i = 0; i < 30; i++) {
        double s = (std::erfc(x) - y) / (2 / std::sqrt(M_PI) * std::exp(-x * x));
        x += s;
        if (std::fabs(s) < 1e-17 * std::fabs(x)) break;
    }
    return x;
}
inline float erfcinv(float y) { return (float)erfcinv((double)y); }
inline double normcdfinv(double p) { return -M_SQRT2 * erfcinv(2 * p); }
inline float normcdfinv(float p) { return (float)normcdfinv((double)p); }
inline double fake_bessel_i(double order, double x) { return x > 1000 ? HUGE_VAL : std::cyl_bessel_i(order, x); }  // which throws
inline double cyl_bessel_i0(double x) { return fake_bessel_i(0.0, std::fabs(x)); }
inline float cyl_bessel_i0(float x) { return (float)cyl_bessel_i0((double)x); }
inline double cyl_bessel_i1(double x) { return std::copysign(1.0, x) * fake_bessel_i(1.0, std::fabs(x)); }
inline float cyl_bessel_i1(float x) { return (float)cyl_bessel_i1((double)x); }
// the names in single precision that the C library has not
#define FAKE_SINGLE(NAME) inline float NAME##f(float x) { return NAME(x); }
// clang-format off
FAKE_SINGLE(cyl_bessel_i0) FAKE_SINGLE(cyl_bessel_i1) FAKE_SINGLE(erfcx) FAKE_SINGLE(erfinv) FAKE_SINGLE(erfcinv) FAKE_SINGLE(sinpi)
FAKE_SINGLE(cospi) FAKE_SINGLE(normcdf) FAKE_SINGLE(normcdfinv) FAKE_SINGLE(rcbrt)
// clang-format on
inline float exp10(float x) { return ::exp10f(x); }
inline float j0(float x) { return ::j0f(x); }
inline float j1(float x) { return ::j1f(x); }
inline float y0(float x) { return ::y0f(x); }
inline float y1(float x) { return ::y1f(x); }
inline float jn(int n, float x) { return ::jnf(n, x); }
inline float yn(int n, float x) { return ::ynf(n, x); }
#define FAKE_USE(NAME) using std::NAME;
// clang-format off
FAKE_USE(abs) FAKE_USE(acos) FAKE_USE(acosh) FAKE_USE(asin) FAKE_USE(asinh) FAKE_USE(atan) FAKE_USE(atan2) FAKE_USE(atanh)
FAKE_USE(cbrt) FAKE_USE(ceil) FAKE_USE(copysign) FAKE_USE(cos) FAKE_USE(cosh) FAKE_USE(erf) FAKE_USE(erfc) FAKE_USE(exp)
FAKE_USE(exp2) FAKE_USE(expm1) FAKE_USE(fabs) FAKE_USE(floor) FAKE_USE(fma) FAKE_USE(fmax) FAKE_USE(fmin) FAKE_USE(fmod)
FAKE_USE(frexp) FAKE_USE(hypot) FAKE_USE(ilogb) FAKE_USE(ldexp) FAKE_USE(lgamma) FAKE_USE(log) FAKE_USE(log10) FAKE_USE(log1p)
FAKE_USE(log2) FAKE_USE(logb) FAKE_USE(modf) FAKE_USE(nearbyint) FAKE_USE(nextafter) FAKE_USE(pow) FAKE_USE(remainder)
FAKE_USE(rint) FAKE_USE(round) FAKE_USE(scalbn) FAKE_USE(sin) FAKE_USE(sinh) FAKE_USE(sqrt) FAKE_USE(tan) FAKE_USE(tanh)
FAKE_USE(tgamma) FAKE_USE(trunc)
// clang-format on

#define FAKE_MINMAX(T)                               \
    inline T min(T a, T b) { return b < a ? b : a; } \
    inline T max(T a, T b) { return a < b ? b : a; }
                            FAKE_MINMAX(int) FAKE_MINMAX(unsigned) FAKE_MINMAX(long) FAKE_MINMAX(unsigned long)
                                FAKE_MINMAX(long long) FAKE_MINMAX(unsigned long long) inline float min(float a, float b) {
    return std::fmin(a, b);
}
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
inline double min(double a, float b) { return std::fmin(a, b); }
inline double min(float a, double b) { return std::fmin(a, b); }
inline double max(double a, float b) { return std::fmax(a, b); }
inline double max(float a, double b) { return std::fmax(a, b); }
inline long min(long a, int b) { return a < b ? a : b; }
inline long min(int a, long b) { return a < b ? a : b; }
inline long max(long a, int b) { return a > b ? a : b; }
inline long max(int a, long b) { return a > b ? a : b; }
