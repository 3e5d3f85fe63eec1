// Functions of the machine's rows (operations.py) for a thread, and for a warp.
struct alignas(16) Z {
    double x, y;
};
#define EACH _Pragma("unroll")
__device__ __forceinline__ Z operator+(Z a, Z b) { return Z{a.x + b.x, a.y + b.y}; }
__device__ __forceinline__ Z operator-(Z a, Z b) { return Z{a.x - b.x, a.y - b.y}; }
__device__ __forceinline__ Z operator*(Z a, Z b) { return Z{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__device__ __forceinline__ Z operator-(Z a) { return Z{-a.x, -a.y}; }
__device__ __forceinline__ Z operator/(Z a, Z b) {
    if (fabs(b.x) >= fabs(b.y)) {
        const double ratio = b.y / b.x, size = b.x + b.y * ratio;
        return Z{(a.x + a.y * ratio) / size, (a.y - a.x * ratio) / size};
    }
    const double ratio = b.x / b.y, size = b.x * ratio + b.y;
    return Z{(a.x * ratio + a.y) / size, (a.y * ratio - a.x) / size};
}
__device__ __forceinline__ double conjugate(double a) { return a; }
__device__ __forceinline__ Z conjugate(Z a) { return Z{a.x, -a.y}; }
__device__ __forceinline__ double modulus(double a) { return fabs(a); }
__device__ __forceinline__ double modulus(Z a) { return hypot(a.x, a.y); }
__device__ __forceinline__ Z exponential(Z a) {
    const double size = exp(a.x);
    return a.y == 0 ? Z{size, a.y} : Z{size * cos(a.y), size * sin(a.y)};
}
__device__ __forceinline__ bool is_finite(double a) { return a - a == 0; }
__device__ __forceinline__ bool is_finite(Z a) { return a.x - a.x == 0 && a.y - a.y == 0; }
__device__ __forceinline__ double sign_of(double a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : a; }
__device__ __forceinline__ double maximum(double a, double b) { return a > b || a != a ? a : b; }
__device__ __forceinline__ double minimum(double a, double b) { return a < b || a != a ? a : b; }

// The first check that fails, by the number of its row.
__device__ __forceinline__ void fail(unsigned* failed, unsigned row) { atomicMin(failed, row); }

// L U of a small matrix, with rows interchanged, by one thread; false where it is close to singular or not finite.
template <int N, class T>
__device__ __forceinline__ bool factor(T (&w)[N * N], double (&order)[N], double far) {
    double least = 1.0 / 0.0, most = 0;
    EACH for (int i = 0; i < N; i++) order[i] = i;
    EACH for (int k = 0; k < N; k++) {
        int p = k;
        double size = modulus(w[k * N + k]);
        EACH for (int i = k + 1; i < N; i++)
            if (modulus(w[i * N + k]) > size) p = i, size = modulus(w[i * N + k]);
        EACH for (int i = k + 1; i < N; i++)
            if (i == p) {
                const double row = order[k];
                order[k] = order[i], order[i] = row;
                EACH for (int j = 0; j < N; j++) {
                    const T t = w[k * N + j];
                    w[k * N + j] = w[i * N + j], w[i * N + j] = t;
                }
            }
        if (!(size < 1.0 / 0.0)) return false;  // NaN too
        least = fmin(least, size), most = fmax(most, size);
        if (!(least > far * most)) return false;
        EACH for (int i = k + 1; i < N; i++) {
            const T f = w[i * N + k] / w[k * N + k];
            w[i * N + k] = f;
            EACH for (int j = k + 1; j < N; j++) w[i * N + j] = w[i * N + j] - f * w[k * N + j];
        }
    }
    return true;
}
// The same in memory, by a warp: a lane has a row, or a column where rows are interchanged.
template <int N, class T>
__device__ __noinline__ bool factor_by_warp(const T* a, int down, int along, T* w, double* order, double far) {
    const int lane = threadIdx.x % 32;
    double least = 1.0 / 0.0, most = 0;
    if (lane < N) {
        order[lane] = lane;
        for (int j = 0; j < N; j++) w[lane * N + j] = a[lane * down + j * along];
    }
    __syncwarp();
    for (int k = 0; k < N; k++) {
        int p = k;
        double size = modulus(w[k * N + k]);
        for (int i = k + 1; i < N; i++)
            if (modulus(w[i * N + k]) > size) p = i, size = modulus(w[i * N + k]);
        if (!(size < 1.0 / 0.0)) return false;
        least = fmin(least, size), most = fmax(most, size);
        if (!(least > far * most)) return false;
        __syncwarp();
        if (p != k && lane < N) {
            const T t = w[k * N + lane];
            w[k * N + lane] = w[p * N + lane], w[p * N + lane] = t;
            if (lane == 0) {
                const double row = order[k];
                order[k] = order[p], order[p] = row;
            }
        }
        __syncwarp();
        if (lane > k && lane < N) {
            const T f = w[lane * N + k] / w[k * N + k];
            w[lane * N + k] = f;
            for (int j = k + 1; j < N; j++) w[lane * N + j] = w[lane * N + j] - f * w[k * N + j];
        }
        __syncwarp();
    }
    return true;
}
template <int N, class T>
__device__ __forceinline__ T element(const T* b, int step, double place) {  // without an index that varies: b is in registers
    T found = b[0];
    EACH for (int i = 1; i < N; i++) found = i == place ? b[i * step] : found;
    return found;
}
// Solve a x = b, or a^H x = b, for one column of b; lu and order are those of `factor`.
template <int N, bool ADJOINT, class T>
__device__ __forceinline__ void substitute(const T* lu, const double* order, const T* b, int step, T* x, int step_of_x) {
    T y[N];
    EACH for (int i = 0; i < N; i++) {
        T t = ADJOINT ? b[i * step] : element<N>(b, step, order[i]);
        EACH for (int k = 0; k < i; k++) t = t - (ADJOINT ? conjugate(lu[k * N + i]) : lu[i * N + k]) * y[k];
        y[i] = ADJOINT ? t / conjugate(lu[i * N + i]) : t;
    }
    EACH for (int i = N - 1; i >= 0; i--) {
        T t = y[i];
        EACH for (int k = i + 1; k < N; k++) t = t - (ADJOINT ? conjugate(lu[k * N + i]) : lu[i * N + k]) * y[k];
        y[i] = ADJOINT ? t : t / lu[i * N + i];
    }
    EACH for (int i = 0; i < N; i++) {
        if (!ADJOINT) x[i * step_of_x] = y[i];
        else EACH for (int j = 0; j < N; j++) if (j == order[i]) x[j * step_of_x] = y[i];
    }
}
template <int N, bool ADJOINT, class T>
__device__ __noinline__ void substitute_in_memory(const T* lu, const double* order, const T* b, int step, T* x, int step_of_x) {
    substitute<N, ADJOINT>(lu, order, b, step, x, step_of_x);
}
__device__ __forceinline__ double add_lanes(double a) {
    for (int d = 16; d; d >>= 1) a = a + __shfl_xor_sync(0xffffffffu, a, d);
    return a;
}
__device__ __forceinline__ Z add_lanes(Z a) { return Z{add_lanes(a.x), add_lanes(a.y)}; }
// A sum by a warp; each lane has it.
template <class T>
__device__ __noinline__ T add_up(const T* a, int step, int count) {
    T y = a[0] - a[0];
    for (int l = threadIdx.x % 32; l < count; l += 32) y = y + a[l * step];
    return add_lanes(y);
}
extern "C" __global__ void fill_places(double* v, const int* places, const double* values, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) v[places[i]] = values[i];
}
// Elementary functions that are called and not written out: what runs once waits for its own instructions.
#define APART(f) \
    __device__ __noinline__ double apart_##f(double a) { return f(a); }
APART(exp) APART(expm1) APART(log) APART(log1p) APART(sin) APART(cos) APART(tan) APART(asin) APART(acos) APART(atan)
APART(sinh) APART(cosh) APART(tanh) APART(asinh) APART(acosh) APART(atanh)
__device__ __noinline__ double apart_pow(double a, double b) { return pow(a, b); }
__device__ __noinline__ double apart_atan2(double a, double b) { return atan2(a, b); }
__device__ __noinline__ double apart_hypot(double a, double b) { return hypot(a, b); }
__device__ __noinline__ Z apart_exponential(Z a) { return exponential(a); }
