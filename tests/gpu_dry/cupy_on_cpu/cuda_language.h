// CUDA's language in C++: the parts of the precompiled header that every kernel is compiled with, one after the other.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cstdio>
#include <cassert>
#include <cstdlib>
#include <climits>
#include <cfloat>
#include <limits>
#include <algorithm>
#include <type_traits>
#include <utility>
#include <tuple>
#include <initializer_list>
#include <complex>
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDA_ARCH__ 900
#define __host__
#define __device__
#define __global__
#define __constant__ static const
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_assume(condition) ((void)0)
#define __restrict__
#define __managed__
#define CUDART_INF __builtin_inf()
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN __builtin_nan("")

struct uint3_ {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
};
extern "C" {
extern uint3_ threadIdx, blockIdx, blockDim, gridDim;
extern char* fake_dynamic_shared;
void fake_barrier();
void fake_warp_barrier();
int fake_lane();
extern long long fake_slots[1024][4];
}

static const int warpSize = 32;
inline void __syncthreads() { fake_barrier(); }
inline void __syncwarp(unsigned = 0xffffffffu) { fake_warp_barrier(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
template <class T>
inline T fake_exchange(T v, int from) {
    int me = fake_lane();
    memcpy(fake_slots[me], &v, sizeof(T));
    fake_warp_barrier();
    T r = v;
    if (from >= 0) memcpy(&r, fake_slots[from], sizeof(T));
    fake_warp_barrier();
    return r;
}
template <class T>
inline T __shfl_xor_sync(unsigned, T v, int m, int w = 32) {
    int l = fake_lane();
    return fake_exchange(v, l ^ m);
}
template <class T>
inline T __shfl_down_sync(unsigned, T v, unsigned d, int w = 32) {
    int l = fake_lane();
    return fake_exchange(v, (l % w) + (int)d < w ? l + (int)d : l);
}
template <class T>
inline T __shfl_up_sync(unsigned, T v, unsigned d, int w = 32) {
    int l = fake_lane();
    return fake_exchange(v, (l % w) - (int)d >= 0 ? l - (int)d : l);
}
template <class T>
inline T __shfl_sync(unsigned, T v, int s, int w = 32) {
    int l = fake_lane();
    return fake_exchange(v, l / w * w + s % w);
}
inline unsigned __activemask() { return 0xffffffffu; }
inline unsigned __ballot_sync(unsigned, int p) {
    int me = fake_lane();
    fake_slots[me][0] = p != 0;
    fake_warp_barrier();
    unsigned r = 0;
    int b = me / 32 * 32;
    for (int i = 0; i < 32; i++)
        if (fake_slots[b + i][0]) r |= 1u << i;
    fake_warp_barrier();
    return r;
}

// A kernel is called with an array of pointers to its arguments.
template <class... A, size_t... I>
inline void fake_call_(void (*f)(A...), void** p, std::index_sequence<I...>) {
    f(*(std::remove_cv_t<std::remove_reference_t<A>>*)p[I]...);
}
template <class... A>
inline void fake_call(void (*f)(A...), void** p) {
    fake_call_(f, p, std::index_sequence_for<A...>{});
}
