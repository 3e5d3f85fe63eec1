// Systems of linear equations on a device, a batch of matrices in C order. A kernel is made for a
// type T of numbers; REAL is that of their sizes.
//
// LU factors with partial pivoting, rows in the order of their pivots: by a part of a warp for each
// matrix up to 32 x 32, whose rows lie in registers, or by a block for each matrix that fits into
// shared memory. The factors of a matrix with NaN or an infinity are NaN, so that all solutions are.

template <class R> struct Complex { R re, im; };
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
// The size of a pivot as LAPACK compares it; where it is NaN the largest, so that one is chosen.
template <class R> __device__ R ordered(R x) { return x == x ? x : R(INFINITY); }
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

#ifdef ORDER
// -- a part of a warp, WIDTH lanes, for each matrix of the order ORDER; a lane has a row

extern "C" __global__ void factor(const T* a, T* lu, int* order, long long* info, int count) {
    const int lane = threadIdx.x % WIDTH;
    const int own = (blockIdx.x * blockDim.x + threadIdx.x) / WIDTH;
    const bool is_there = own < count, is_row = lane < ORDER;
    const size_t first = size_t(is_there ? own : count - 1) * ORDER * ORDER;
    T row[ORDER];
    bool finite = true;
    #pragma unroll
    for (int j = 0; j < ORDER; ++j) {
        row[j] = a[first + (is_row ? lane : 0) * ORDER + j];
        finite = finite && is_finite(row[j]);
    }
    const unsigned all = WIDTH == 32 ? 0xffffffffu : (1u << (WIDTH % 32)) - 1;
    const unsigned votes = __ballot_sync(0xffffffffu, !finite);
    const bool is_lost = (votes >> (threadIdx.x % 32 / WIDTH * WIDTH)) & all;
    int step = is_row ? ORDER : -1, zero = 0;  // after which step the row was the pivot's
    #pragma unroll
    for (int k = 0; k < ORDER; ++k) {
        REAL size = step == ORDER ? size_of(row[k]) : REAL(-1);
        int pivot = lane;
        find_largest(size, pivot, WIDTH);
        if (size == 0 && !zero) zero = k + 1;
        if (lane == pivot) step = k;
        const bool is_left = step == ORDER;
        const T part = row[k] / taken(row[k], pivot, WIDTH);
        if (is_left) row[k] = part;
        #pragma unroll
        for (int j = k + 1; j < ORDER; ++j) {
            const T above = taken(row[j], pivot, WIDTH);
            if (is_left) row[j] = row[j] - part * above;
        }
    }
    if (!is_there || !is_row) return;
    if (lane == 0) info[own] = is_lost ? 0 : zero;
    order[size_t(own) * ORDER + step] = lane;
    #pragma unroll
    for (int j = 0; j < ORDER; ++j) {  // column by column, so that lanes write side by side
        if (is_lost) set(row[j], REAL(NAN));
        lu[first + j * ORDER + step] = row[j];
    }
}

// A solution for each of the groups of lanes that share a matrix: columns part, part + parts, ...
template <bool ADJOINT> __device__ void solve_rows(
    const T* lu, const int* order, const T* b, T* x, int count, int columns, int parts
) {
    const int lane = threadIdx.x % WIDTH;
    const int own = (blockIdx.x * blockDim.x + threadIdx.x) / WIDTH;
    const bool is_there = own < count * parts, is_row = lane < ORDER;
    const size_t which = is_there ? own / parts : count - 1, first = which * ORDER * ORDER;
    const int i = is_row ? lane : ORDER - 1;
    T row[ORDER], pivot;
    #pragma unroll
    for (int j = 0; j < ORDER; ++j) {
        row[j] = ADJOINT ? conjugate(lu[first + i * ORDER + j]) : lu[first + j * ORDER + i];
        if (j == i) pivot = row[j];
    }
    const int place = order[which * ORDER + i], from = ADJOINT ? i : place, to = ADJOINT ? place : i;
    for (int c = is_there ? own % parts : 0; c < columns; c += parts) {
        const size_t start = which * ORDER * columns + c;
        T y = b[start + size_t(from) * columns];
        #pragma unroll
        for (int k = 0; k < ORDER; ++k) {
            if (ADJOINT && lane == k) y = y / pivot;
            const T known = taken(y, k, WIDTH);
            if (lane > k) y = y - row[k] * known;
        }
        #pragma unroll
        for (int k = ORDER - 1; k >= 0; --k) {
            if (!ADJOINT && lane == k) y = y / pivot;
            const T known = taken(y, k, WIDTH);
            if (lane < k) y = y - row[k] * known;
        }
        if (is_there && is_row) x[start + size_t(to) * columns] = y;
    }
}
#define SOLVE solve_rows
#define SHAPE int count, int columns, int parts
#define GIVEN count, columns, parts
#else
// -- a block for each matrix, in shared memory; rows have an odd length there, so that a column lies
// in all banks

template <class A> __device__ void load(T* to, const A* from, int n) {
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) to[i / n * (n | 1) + i % n] = from[i];
    __syncthreads();
}

extern "C" __global__ void factor(const T* a, T* lu, int* order, long long* info, int n) {
    extern __shared__ double2 memory[];
    __shared__ int chosen, zero, is_lost;
    T* rows = (T*)memory;
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
    if (threadIdx.x == 0) info[blockIdx.x] = is_lost ? 0 : zero;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
        T found = rows[i / n * length + i % n];
        if (is_lost) set(found, REAL(NAN));
        lu[first + size_t(steps[i / n]) * n + i % n] = found;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) order[size_t(blockIdx.x) * n + steps[i]] = i;
}

// Solves with a triangle in place of y, by one warp; with its conjugate transpose if ADJOINT.
template <bool ADJOINT> __device__ T entry(const T* rows, int length, int i, int j) {
    return ADJOINT ? conjugate(rows[j * length + i]) : rows[i * length + j];
}
template <bool ADJOINT, bool LOWER, bool UNIT> __device__ void substitute(
    const T* rows, T* y, int n
) {
    const int lane = threadIdx.x % 32, length = n | 1;
    for (int step = 0; step < n; ++step) {
        const int k = LOWER ? step : n - 1 - step;
        T known = y[k];
        if (!UNIT) known = known / entry<ADJOINT>(rows, length, k, k);
        __syncwarp();
        if (lane == 0) y[k] = known;
        for (int i = LOWER ? k + 1 + lane : lane; i < (LOWER ? n : k); i += 32)
            y[i] = y[i] - entry<ADJOINT>(rows, length, i, k) * known;
        __syncwarp();
    }
}

// A warp for each column: the columns of a matrix are those of `parts` blocks in turn.
template <bool ADJOINT> __device__ void solve_columns(
    const T* lu, const int* order, const T* b, T* x, int n, int columns, int parts
) {
    extern __shared__ double2 memory[];
    T* rows = (T*)memory;
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32, part = blockIdx.x % parts;
    const size_t which = blockIdx.x / parts;
    T* y = rows + n * (n | 1) + threadIdx.x / 32 * n;
    order += which * n;
    load(rows, lu + which * n * n, n);
    for (int c = part * warps + threadIdx.x / 32; c < columns; c += parts * warps) {
        const size_t first = which * n * columns + c;
        for (int i = lane; i < n; i += 32)
            y[i] = b[first + size_t(ADJOINT ? i : order[i]) * columns];
        __syncwarp();
        substitute<ADJOINT, true, !ADJOINT>(rows, y, n);
        substitute<ADJOINT, false, ADJOINT>(rows, y, n);
        for (int i = lane; i < n; i += 32)
            x[first + size_t(ADJOINT ? order[i] : i) * columns] = y[i];
        __syncwarp();
    }
}
#define SOLVE solve_columns
#define SHAPE int n, int columns, int parts
#define GIVEN n, columns, parts
#endif

extern "C" __global__ void solve(const T* lu, const int* order, const T* b, T* x, SHAPE) {
    SOLVE<false>(lu, order, b, x, GIVEN);
}
extern "C" __global__ void solve_adjoint(const T* lu, const int* order, const T* b, T* x, SHAPE) {
    SOLVE<true>(lu, order, b, x, GIVEN);
}
