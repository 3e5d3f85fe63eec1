// LU factors of matrices of the order ORDER with partial pivoting, WIDTH lanes of a warp for each; a
// lane has a row. Rows are stored in the order of their pivots, columns side by side.
//
// The factors of a matrix with NaN, an infinity or a pivot 0 are NaN, so that all its solutions are.
// `info` is the number of the first pivot that is 0, or 0; `lost` for NaN.

extern "C" __global__ void factor(
    const T* a, T* lu, int* order, long long* info, int count, int lost
) {
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
    if (lane == 0) info[own] = is_lost ? lost : zero;
    order[size_t(own) * ORDER + step] = lane;
    #pragma unroll
    for (int j = 0; j < ORDER; ++j) {  // column by column, so that lanes write side by side
        if (is_lost || zero) set(row[j], sqrt(REAL(-1)));
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
    T one;
    set(one, REAL(1));
    const T inverse = one / pivot;
    const int place = order[which * ORDER + i], from = ADJOINT ? i : place, to = ADJOINT ? place : i;
    for (int c = is_there ? own % parts : 0; c < columns; c += parts) {
        const size_t start = which * ORDER * columns + c;
        T y = b[start + size_t(from) * columns];
        #pragma unroll
        for (int k = 0; k < ORDER; ++k) {
            if (ADJOINT && lane == k) y = y * inverse;
            const T known = taken(y, k, WIDTH);
            if (lane > k) y = y - row[k] * known;
        }
        #pragma unroll
        for (int k = ORDER - 1; k >= 0; --k) {
            if (!ADJOINT && lane == k) y = y * inverse;
            const T known = taken(y, k, WIDTH);
            if (lane < k) y = y - row[k] * known;
        }
        if (is_there && is_row) x[start + size_t(to) * columns] = y;
    }
}

extern "C" __global__ void solve(
    const T* lu, const int* order, const T* b, T* x, int count, int columns, int parts, int adjoint
) {
    if (adjoint) solve_rows<true>(lu, order, b, x, count, columns, parts);
    else solve_rows<false>(lu, order, b, x, count, columns, parts);
}
