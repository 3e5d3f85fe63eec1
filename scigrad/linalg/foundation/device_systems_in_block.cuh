// LU factors, triangles and Cholesky factors: a block for each matrix, in shared memory. Rows have an
// odd length there, so that a column lies in all banks.
//
// The factors of a matrix with NaN, an infinity or a pivot 0 are NaN, so that all its solutions are.
// `info` is the number of the first pivot that is 0, or 0; `lost` for NaN.

__device__ T* shared_memory() {
    extern __shared__ double2 memory[];
    return (T*)memory;
}

__device__ void load(T* to, const T* from, int n) {
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) to[i / n * (n | 1) + i % n] = from[i];
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(1024) factor(
    const T* a, T* lu, int* order, long long* info, int n, int lost
) {
    __shared__ int chosen, zero, is_lost;
    T* rows = shared_memory();
    const int length = n | 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int* steps = (int*)(rows + n * length);  // after which step a row was the pivot's
    const size_t first = size_t(blockIdx.x) * n * n;
    if (threadIdx.x == 0) zero = is_lost = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) steps[i] = n;
    load(rows, a + first, n);
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        if (!is_finite(rows[i / n * length + i % n])) is_lost = 1;
    for (int k = 0; k < n; ++k) {
        if (warp == 0) {
            REAL size = REAL(-1);
            int pivot = n;
            for (int i = lane; i < n; i += 32) {
                const REAL own = size_of(rows[i * length + k]);
                if (steps[i] == n && own > size) { size = own; pivot = i; }
            }
            find_largest(size, pivot, 32);
            if (lane == 0) {
                chosen = pivot;
                steps[pivot] = k;
                if (size == 0 && !zero) zero = k + 1;
            }
        }
        __syncthreads();
        const T* above = rows + chosen * length;
        for (int i = warp; i < n; i += blockDim.x / 32) {
            if (steps[i] != n) continue;
            T* row = rows + i * length;
            const T part = row[k] / above[k];
            __syncwarp();
            if (lane == 0) row[k] = part;
            for (int j = k + 1 + lane; j < n; j += 32) row[j] = row[j] - part * above[j];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) info[blockIdx.x] = is_lost ? lost : zero;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
        T found = rows[i / n * length + i % n];
        if (is_lost || zero) set(found, sqrt(REAL(-1)));
        lu[first + size_t(steps[i / n]) * n + i % n] = found;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) order[size_t(blockIdx.x) * n + steps[i]] = i;
}

// A triangle or its adjoint: an element lies at i * down + k * right.
struct View {
    const T* rows;
    int down, right;
    bool conjugated;
    __device__ T operator()(int i, int k) const {
        const T found = rows[i * down + k * right];
        return conjugated ? conjugate(found) : found;
    }
};
__device__ View view_of(const T* rows, int length, int adjoint) {
    return {rows, adjoint ? 1 : length, adjoint ? length : 1, adjoint != 0};
}

// Solves with a triangle in place of y, by one warp.
__device__ void substitute(View a, bool is_lower, bool is_unit, T* y, int n) {
    const int lane = threadIdx.x % 32;
    for (int step = 0; step < n; ++step) {
        const int k = is_lower ? step : n - 1 - step;
        T known = y[k];
        if (!is_unit) known = known / a(k, k);
        __syncwarp();
        if (lane == 0) y[k] = known;
        for (int i = is_lower ? k + 1 + lane : lane; i < (is_lower ? n : k); i += 32)
            y[i] = y[i] - a(i, k) * known;
        __syncwarp();
    }
}

// A warp for each column: the columns of a matrix are those of `parts` blocks in turn.
extern "C" __global__ void solve(
    const T* lu, const int* order, const T* b, T* x, int n, int columns, int parts, int adjoint
) {
    T* rows = shared_memory();
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32, part = blockIdx.x % parts;
    const size_t which = blockIdx.x / parts;
    T* y = rows + n * (n | 1) + threadIdx.x / 32 * n;
    order += which * n;
    load(rows, lu + which * n * n, n);
    const View a = view_of(rows, n | 1, adjoint);
    for (int c = part * warps + threadIdx.x / 32; c < columns; c += parts * warps) {
        const size_t first = which * n * columns + c;
        for (int i = lane; i < n; i += 32)
            y[i] = b[first + size_t(adjoint ? i : order[i]) * columns];
        __syncwarp();
        substitute(a, true, !adjoint, y, n);
        substitute(a, false, adjoint, y, n);
        for (int i = lane; i < n; i += 32)
            x[first + size_t(adjoint ? order[i] : i) * columns] = y[i];
        __syncwarp();
    }
}

// -- triangles

// What is wrong with a triangle, of which a block reads the diagonal, and the rest where no `rest`
// says that it is not finite: `info`, and 0 or NaN to be added to right-hand sides.
extern "C" __global__ void examine(
    const T* a, const REAL* rest, long long* info, REAL* mark, int n, int lost
) {
    __shared__ int zero, is_lost;
    a += size_t(blockIdx.x) * n * n;
    if (threadIdx.x == 0) { zero = n; is_lost = rest && *rest != 0; }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (size_of(a[size_t(i) * n + i]) == 0) atomicMin(&zero, i);
    for (int i = threadIdx.x; !rest && i < n * n; i += blockDim.x)
        if (!is_finite(a[i])) is_lost = 1;
    __syncthreads();
    if (threadIdx.x) return;
    const int failed = zero < n ? zero + 1 : 0;
    info[blockIdx.x] = is_lost && lost <= 0 ? lost : failed;
    mark[blockIdx.x] = is_lost || failed ? sqrt(REAL(-1)) : REAL(0);
}

extern "C" __global__ void solve_triangle(
    const T* a, const REAL* mark, const T* b, T* x, int n, int columns, int parts, int is_lower,
    int adjoint
) {
    T* rows = shared_memory();
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32, part = blockIdx.x % parts;
    const size_t which = blockIdx.x / parts;
    T* y = rows + n * (n | 1) + threadIdx.x / 32 * n;
    T failed;
    set(failed, mark[which]);
    load(rows, a + which * n * n, n);
    const View view = view_of(rows, n | 1, adjoint);
    for (int c = part * warps + threadIdx.x / 32; c < columns; c += parts * warps) {
        const size_t first = which * n * columns + c;
        for (int i = lane; i < n; i += 32) y[i] = b[first + size_t(i) * columns] - failed;
        __syncwarp();
        substitute(view, is_lower != adjoint, false, y, n);
        for (int i = lane; i < n; i += 32) x[first + size_t(i) * columns] = y[i];
        __syncwarp();
    }
}

// -- triangles that have no room in shared memory, with few columns: a block of 32 warps for each

// Solves with 32 rows in place of the numbers y of a warp, one for each lane; of the last rows fewer
// are there.
__device__ T solve_tile(View tile, bool is_lower, T y, int count) {
    const int lane = threadIdx.x % 32;
    T one;
    set(one, REAL(1));
    const T inverse = one / tile(lane, lane);
    for (int step = 0; step < count; ++step) {
        const int k = is_lower ? step : count - 1 - step;
        if (lane == k) y = y * inverse;
        const T known = taken(y, k, 32);
        if (is_lower ? lane > k : lane < k) y = y - tile(lane, k) * known;
    }
    return y;
}

// Row by row: what is known already is subtracted from 32 rows, a warp for each, before these are
// solved; with the adjoint, from all that are left after it.
extern "C" __global__ void __launch_bounds__(1024) solve_column(
    const T* a, const REAL* mark, const T* b, T* x, int n, int columns, int is_lower, int adjoint
) {
    __shared__ T tile[32][33];
    T* y = shared_memory();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, tiles = (n + 31) / 32;
    const bool forward = is_lower != adjoint;
    T failed;
    set(failed, *mark);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = b[size_t(i) * columns + blockIdx.x] - failed;
    for (int number = 0; number < tiles; ++number) {
        const int first = 32 * (forward ? number : tiles - 1 - number);
        const int count = min(32, n - first), i = first + warp;
        const bool is_there = i < n && first + lane < n;
        if (is_there) tile[warp][lane] = a[size_t(i) * n + first + lane];
        else set(tile[warp][lane], REAL(1));
        __syncthreads();
        if (!adjoint && i < n) {
            T sum;
            set(sum, REAL(0));
            const T* row = a + size_t(i) * n;
            for (int j = forward ? lane : first + 32 + lane; j < (forward ? first : n); j += 32)
                sum = sum - row[j] * y[j];
            for (int step = 16; step; step >>= 1) sum = sum + taken(sum, lane ^ step, 32);
            if (lane == 0) y[i] = y[i] + sum;
        }
        __syncthreads();
        if (warp == 0) {
            T own = y[first + min(lane, count - 1)];
            own = solve_tile(view_of(&tile[0][0], 33, adjoint), forward, own, count);
            if (lane < count) y[first + lane] = own;
        }
        __syncthreads();
        const int start = forward ? first + 32 : 0, stop = forward ? n : first;
        for (int j = start + threadIdx.x; adjoint && j < stop; j += blockDim.x) {
            T own = y[j];
            #pragma unroll 8
            for (int k = 0; k < count; ++k)
                own = own - conjugate(a[size_t(first + k) * n + j]) * y[first + k];
            y[j] = own;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[size_t(i) * columns + blockIdx.x] = y[i];
}

// -- Cholesky factors, of the lower triangle; NaN where there is none, and `info` 1

extern "C" __global__ void __launch_bounds__(1024) factor_positive(
    const T* a, T* lower, long long* info, int n
) {
    __shared__ int has_failed;
    T* rows = shared_memory();
    const int length = n | 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t first = size_t(blockIdx.x) * n * n;
    if (threadIdx.x == 0) has_failed = 0;
    load(rows, a + first, n);
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        if (i % n <= i / n && !is_finite(rows[i / n * length + i % n])) has_failed = 1;
    for (int k = 0; k < n; ++k) {
        const REAL square = real_part(rows[k * length + k]);
        T root;
        set(root, sqrt(square));
        if (!(square > 0)) has_failed = 1;
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            rows[i * length + k] = rows[i * length + k] / root;
        __syncthreads();
        if (threadIdx.x == 0) rows[k * length + k] = root;
        for (int i = k + 1 + warp; i < n; i += blockDim.x / 32) {
            const T part = rows[i * length + k];
            for (int j = k + 1 + lane; j <= i; j += 32)
                rows[i * length + j] =
                    rows[i * length + j] - part * conjugate(rows[j * length + k]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) info[blockIdx.x] = has_failed;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
        T found = rows[i / n * length + i % n];
        if (has_failed || i % n > i / n) set(found, has_failed ? sqrt(REAL(-1)) : REAL(0));
        lower[first + i] = found;
    }
}

// The same for what a library left: a triangle, beside which anything may stand, and its code.
extern "C" __global__ void finish_positive(
    T* lower, const REAL* rest, const int* code, long long* info, int n
) {
    const bool has_failed = *code || *rest != 0;
    const size_t start = threadIdx.x + size_t(blockDim.x) * blockIdx.x;
    if (start == 0) *info = has_failed;
    for (size_t i = start; i < size_t(n) * n; i += size_t(blockDim.x) * gridDim.x)
        if (has_failed || i % n > i / n)
            set(lower[i], has_failed ? sqrt(REAL(-1)) : REAL(0));
}

// A determinant as phase * mantissa * 2^exponent: a product of many numbers would leave the range.
struct Determinant { T phase; REAL mantissa; int exponent, exchanges; };
__device__ float modulus(float x) { return fabsf(x); }
__device__ double modulus(double x) { return fabs(x); }
__device__ float modulus(Complex<float> x) { return hypotf(x.re, x.im); }
__device__ double modulus(Complex<double> x) { return hypot(x.re, x.im); }
__device__ float phase_of(float x, float) { return x < 0 ? -1 : 1; }
__device__ double phase_of(double x, double) { return x < 0 ? -1 : 1; }
template <class R> __device__ Complex<R> phase_of(Complex<R> x, R size) {
    return {x.re / size, x.im / size};
}
__device__ void scale(float& x, float by) { x *= by; }
__device__ void scale(double& x, double by) { x *= by; }
template <class R> __device__ void scale(Complex<R>& x, R by) { x = {x.re * by, x.im * by}; }
__device__ void multiply(Determinant& x, const Determinant& y) {
    int exponent = 0;
    REAL product = x.mantissa * y.mantissa;
    if (is_finite(product) && product != 0) product = frexp(product, &exponent);
    x = {x.phase * y.phase, product, x.exponent + y.exponent + exponent, x.exchanges ^ y.exchanges};
}

// From the factors of a matrix: `order` holds the rows as they were chosen, or with what each was
// exchanged (LAPACK's pivots). `mark`, if there is one, is NaN for a matrix that is not finite.
extern "C" __global__ void __launch_bounds__(256) determine(
    const T* lu, const int* order, const REAL* mark, const long long* info, T* sign, REAL* logarithm,
    T* value, int n, int exchanges
) {
    __shared__ Determinant parts[256];
    T one;
    set(one, REAL(1));
    Determinant own = {one, REAL(1), 0, 0};
    lu += size_t(blockIdx.x) * n * n;
    order += size_t(blockIdx.x) * n;
    for (int i = threadIdx.x; i < n; i += 256) {
        const T d = lu[size_t(i) * (n + 1)];
        int odd = exchanges && order[i] != i + 1;
        if (!exchanges) for (int j = i + 1; j < n; ++j) odd ^= order[j] < order[i];
        multiply(own, {phase_of(d, modulus(d)), modulus(d), 0, odd});
    }
    parts[threadIdx.x] = own;
    for (int half = 128; half; half >>= 1) {
        __syncthreads();
        if (threadIdx.x < half) multiply(parts[threadIdx.x], parts[threadIdx.x + half]);
    }
    if (threadIdx.x) return;
    own = parts[0];
    const bool is_singular = info[blockIdx.x] > 0;
    if (is_singular) own.mantissa = 0;
    else if (mark) own.mantissa += mark[blockIdx.x];
    if (is_singular || own.mantissa != own.mantissa) set(own.phase, own.mantissa);
    else if (own.exchanges) scale(own.phase, REAL(-1));
    sign[blockIdx.x] = value[blockIdx.x] = own.phase;
    scale(value[blockIdx.x], ldexp(own.mantissa, own.exponent));
    logarithm[blockIdx.x] = log(own.mantissa) + own.exponent * REAL(0.693147180559945309417);
}
