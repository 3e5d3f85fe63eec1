// What comes before the headers of xsf, which are compiled with -default-device, since some functions are not marked as those of a
// device: what xsf misses under NVRTC, and a complex type that begins at 0.
#ifdef __CUDACC_RTC__
#define XSF_APART __noinline__
#include <cupy/xsf/config.h>
#include <cuda/std/initializer_list>

// integers among the arguments (xsf counts on <cmath>'s promotion)
template <typename N> __device__ inline double pow(int x, N n) { return pow((double) x, (double) n); }
__device__ inline double sqrt(int n) { return sqrt((double) n); }

namespace std {
// numbers: <cmath> has these, xsf/config.h under CUDA has not
#define SG_REAL(f) __device__ inline double f(double x) { return ::f(x); }
SG_REAL(fabs) SG_REAL(expm1) SG_REAL(tanh) SG_REAL(tgamma) SG_REAL(lgamma)
SG_REAL(erf) SG_REAL(erfc) SG_REAL(cbrt) SG_REAL(exp2) SG_REAL(log2)
SG_REAL(acosh) SG_REAL(atanh) SG_REAL(nearbyint) SG_REAL(rint)
#undef SG_REAL
__device__ inline int abs(int n) { return n < 0 ? -n : n; }
__device__ inline long abs(long n) { return n < 0 ? -n : n; }
__device__ inline long long abs(long long n) { return n < 0 ? -n : n; }
__device__ inline double real(double x) { return x; }
__device__ inline double imag(double) { return 0; }

// types
using cuda::std::declval;
using cuda::std::initializer_list;
using cuda::std::is_same;
using cuda::std::is_same_v;
using cuda::std::int64_t;
using cuda::std::get;

// <memory> and <new>: work arrays (amos and specfun), from the device's heap
struct nothrow_t {};
__device__ constexpr nothrow_t nothrow{};
template <typename T> class unique_ptr;
template <typename T> class unique_ptr<T[]> {
    T *p;
  public:
    __device__ explicit unique_ptr(T *p) : p(p) {}
    unique_ptr(const unique_ptr &) = delete;
    __device__ ~unique_ptr() { delete[] p; }
    __device__ T *get() const { return p; }
    __device__ T &operator[](size_t i) const { return p[i]; }
    __device__ explicit operator bool() const { return p; }
    __device__ bool operator==(decltype(nullptr)) const { return !p; }
};
} // namespace std

__device__ inline void *operator new[](size_t n, const std::nothrow_t &) noexcept { return malloc(n); }

namespace xsf { // the host half of xsf/config.h, which CUDA skips
using ::abs; using ::exp; using ::sqrt; using ::cos; using ::sin; using ::copysign;
using ::isfinite; using ::isinf; using ::isnan; using ::signbit; using std::imag; using std::real;
template <typename T> struct remove_complex { using type = T; };
template <typename T> struct remove_complex<std::complex<T>> { using type = T; };
template <typename T> using remove_complex_t = typename remove_complex<T>::type;
template <typename T> struct complex_type { using type = std::complex<T>; };
template <typename T> using complex_type_t = typename complex_type<T>::type;
template <typename T> using complex = complex_type_t<T>;
} // namespace xsf

// before "inline" becomes "inline __noinline__": the headers of std, and the inline constants of xsf
#include <cmath>
#include <complex>
#include <cstdlib>
#include <memory>
#include <cupy/xsf/cephes/cbrt.h>
#include <cupy/xsf/error.h>
#else
#define XSF_APART
#endif

// C++ promises that a complex number is 0 until it has a value, and xsf counts on it; CuPy's thrust::complex has what was in memory.
// In the headers of xsf `complex` is this type, which computes by CuPy's, compiled by g++ (make gpu-dry) as well as by NVRTC.
namespace std {
template <typename T> struct zeroed : thrust::complex<T> {
    __device__ zeroed() : thrust::complex<T>(0, 0) {}
    __device__ zeroed(const T &re) : thrust::complex<T>(re, 0) {}
    __device__ zeroed(const T &re, const T &im) : thrust::complex<T>(re, im) {}
    template <typename U> __device__ zeroed(const thrust::complex<U> &z) : thrust::complex<T>(z) {}
    __device__ const thrust::complex<T> &plain() const { return *this; }
};
#define SG_OPERATOR(op) \
    template <typename T> __device__ inline zeroed<T> operator op(const zeroed<T> &a, const zeroed<T> &b) { return a.plain() op b.plain(); } \
    template <typename T> __device__ inline zeroed<T> operator op(const zeroed<T> &a, const T &b) { return a.plain() op b; } \
    template <typename T> __device__ inline zeroed<T> operator op(const T &a, const zeroed<T> &b) { return a op b.plain(); }
SG_OPERATOR(+) SG_OPERATOR(-) SG_OPERATOR(*) SG_OPERATOR(/)
#undef SG_OPERATOR
#define SG_RESULT(f, type) template <typename T> __device__ inline type f(const zeroed<T> &z) { return thrust::f(z.plain()); }
SG_RESULT(exp, zeroed<T>) SG_RESULT(log, zeroed<T>) SG_RESULT(sqrt, zeroed<T>) SG_RESULT(conj, zeroed<T>)
SG_RESULT(sin, zeroed<T>) SG_RESULT(cos, zeroed<T>) SG_RESULT(tan, zeroed<T>)
SG_RESULT(sinh, zeroed<T>) SG_RESULT(cosh, zeroed<T>) SG_RESULT(tanh, zeroed<T>)
SG_RESULT(abs, T) SG_RESULT(arg, T) SG_RESULT(norm, T) SG_RESULT(real, T) SG_RESULT(imag, T)
#undef SG_RESULT
template <typename T> __device__ inline zeroed<T> operator-(const zeroed<T> &z) { return -z.plain(); }
template <typename T> __device__ inline zeroed<T> pow(const zeroed<T> &z, const zeroed<T> &w) { return thrust::pow(z.plain(), w.plain()); }
template <typename T> __device__ inline zeroed<T> pow(const zeroed<T> &z, const T &x) { return thrust::pow(z.plain(), x); }
template <typename T> __device__ inline zeroed<T> pow(const zeroed<T> &z, int n) { return thrust::pow(z.plain(), T(n)); }
template <typename T> __device__ inline zeroed<T> pow(const T &x, const zeroed<T> &z) { return thrust::pow(x, z.plain()); }
template <typename T> __device__ inline zeroed<T> pow(int n, const zeroed<T> &z) { return thrust::pow(T(n), z.plain()); }

// xsf/numbers.h wants a constexpr complex i: give it a constant of its own
template <typename T> struct constant { T re, im; };
namespace literals { namespace constant_literals {
constexpr constant<float> operator""if(long double x) { return {0, (float) x}; }
constexpr constant<double> operator""i(long double x) { return {0, (double) x}; }
} }
template <typename T, typename U> __device__ inline zeroed<U> operator*(const constant<T> &z, const U &x) {
    return zeroed<U>(z.re * x, z.im * x);
}
} // namespace std
namespace xsf { using std::zeroed; } // for the headers that write complex<T> without std
#define complex constant
#define complex_literals constant_literals
#include <cupy/xsf/numbers.h>
#undef complex_literals
#undef complex
