// Sums, products and largest elements: within a warp, a block and a grid.

template <class T> __device__ T sum_of(T a, T b) { return a + b; }
template <class T> __device__ T prod_of(T a, T b) { return a * b; }
template <class T> __device__ T any_of(T a, T b) { return a || b; }
template <class T> __device__ T all_of(T a, T b) { return a && b; }
// Not a number remains so.
template <class T> __device__ T max_of(T a, T b) { return a != a || a > b ? a : b; }
template <class T> __device__ T min_of(T a, T b) { return a != a || a < b ? a : b; }

// Copy a value in words, past the caches of a multiprocessor.
template <class T> __device__ void put_words(volatile unsigned* to, T x) {
    for (int w = 0; w < int(sizeof(T) / 4); ++w) to[w] = reinterpret_cast<unsigned*>(&x)[w];
}
template <class T> __device__ void get_words(const volatile unsigned* from, T& x) {
    for (int w = 0; w < int(sizeof(T) / 4); ++w) reinterpret_cast<unsigned*>(&x)[w] = from[w];
}

template <class T, T (*F)(T, T)> __device__ T of_warp(T x) {
    for (int apart = 16; apart; apart >>= 1) {
        T other = x;
        for (int w = 0; w < int(sizeof(T) / 4); ++w) {
            unsigned* word = reinterpret_cast<unsigned*>(&other) + w;
            *word = __shfl_down_sync(0xffffffffu, *word, apart);
        }
        x = F(x, other);
    }
    return x;
}

// The first thread has the result.
template <class T, T (*F)(T, T)> __device__ T of_block(T x, T neutral) {
    __shared__ __align__(16) unsigned parts[32 * sizeof(T) / 4];
    T* of_warps = reinterpret_cast<T*>(parts);
    x = of_warp<T, F>(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : neutral;
    return threadIdx.x < 32 ? of_warp<T, F>(x) : x;
}

// Whether this block is the last one that comes here; the counter is 0 again then.
__device__ bool is_last_block(unsigned* counter) {
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(counter, 1u) == gridDim.x - 1;
        if (is_last) *counter = 0;
    }
    __syncthreads();
    __threadfence();
    return is_last;
}

template <class T, T (*F)(T, T)> __device__ T of_grid(const unsigned* parts, T neutral) {
    T x = neutral, part;
    for (int b = threadIdx.x; b < int(gridDim.x); b += blockDim.x) {
        get_words(parts + 4 * b, part);
        x = F(x, part);
    }
    return of_block<T, F>(x, neutral);
}
