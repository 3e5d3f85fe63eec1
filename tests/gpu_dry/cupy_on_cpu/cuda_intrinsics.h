// Bits, atomic operations (one thread runs at a time) and the small vectors.
#pragma once
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __brev(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= ((x >> i) & 1u) << (31 - i);
    return r;
}
template <class T>
inline T __ldg(const T* p) {
    return *p;
}
template <class T>
inline T fake_bits(const void* p) {
    T t;
    memcpy(&t, p, sizeof t);
    return t;
}
inline int __float_as_int(float x) { return fake_bits<int>(&x); }
inline unsigned __float_as_uint(float x) { return fake_bits<unsigned>(&x); }
inline float __int_as_float(int x) { return fake_bits<float>(&x); }
inline float __uint_as_float(unsigned x) { return fake_bits<float>(&x); }
inline long long __double_as_longlong(double x) { return fake_bits<long long>(&x); }
inline double __longlong_as_double(long long x) { return fake_bits<double>(&x); }
inline int __double2hiint(double x) { return (int)(fake_bits<unsigned long long>(&x) >> 32); }
inline int __double2loint(double x) { return (int)(fake_bits<unsigned long long>(&x) & 0xffffffffu); }
inline double __hiloint2double(int hi, int lo) {
    unsigned long long u = ((unsigned long long)(unsigned)hi << 32) | (unsigned)lo;
    return fake_bits<double>(&u);
}
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
inline float __fdividef(float a, float b) { return a / b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline float __fdiv_rn(float a, float b) { return a / b; }

#define FAKE_ATOMIC(NAME, T, VALUE) \
    inline T NAME(T* p, T v) {      \
        T o = *p;                   \
        *p = VALUE;                 \
        return o;                   \
    }
#define FAKE_ATOMIC_SUM(T) FAKE_ATOMIC(atomicAdd, T, o + v) FAKE_ATOMIC(atomicExch, T, v)
FAKE_ATOMIC_SUM(float)
FAKE_ATOMIC_SUM(double)

#define FAKE_ATOMIC_INTEGER(T)               \
    FAKE_ATOMIC_SUM(T)                       \
    FAKE_ATOMIC(atomicMax, T, o > v ? o : v) \
    FAKE_ATOMIC(atomicMin, T, o < v ? o : v) \
    FAKE_ATOMIC(atomicOr, T, o | v)          \
    FAKE_ATOMIC(atomicAnd, T, o& v)          \
    FAKE_ATOMIC(atomicXor, T, o ^ v)         \
    inline T atomicCAS(T* p, T c, T v) {     \
        T o = *p;                            \
        if (o == c) *p = v;                  \
        return o;                            \
    }
FAKE_ATOMIC_INTEGER(int)
FAKE_ATOMIC(atomicSub, int, o - v)
FAKE_ATOMIC(atomicSub, unsigned, o - v)
FAKE_ATOMIC_INTEGER(unsigned)
FAKE_ATOMIC_INTEGER(unsigned long long)
// atomicAdd of long long is no part of CUDA
FAKE_ATOMIC(atomicMax, long long, o > v ? o : v)
FAKE_ATOMIC(atomicMin, long long, o < v ? o : v)
FAKE_ATOMIC(atomicOr, long long, o | v)
FAKE_ATOMIC(atomicAnd, long long, o& v)
FAKE_ATOMIC(atomicXor, long long, o ^ v)

inline long long clock64() { return 0; }
struct float2 {
    float x, y;
};
struct double2 {
    double x, y;
};
struct int2 {
    int x, y;
};
struct uint2 {
    unsigned x, y;
};
struct int4 {
    int x, y, z, w;
};
struct float4 {
    float x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
