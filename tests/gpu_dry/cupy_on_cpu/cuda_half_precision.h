// Half precision and bfloat16.
#pragma once
typedef unsigned short fake_u16;
inline fake_u16 __float2half_rn(float f) {
    _Float16 h = (_Float16)f;
    return fake_bits<fake_u16>(&h);
}
inline float __half2float(fake_u16 u) {
    _Float16 h;
    memcpy(&h, &u, 2);
    return (float)h;
}
struct __half_raw {
    unsigned short x;
};
struct half {
    unsigned short data_;
    half() {}
    half(float v) : data_(__float2half_rn(v)) {}
    explicit half(const __half_raw& v) : data_(v.x) {}
    explicit half(bool v) : data_(__float2half_rn(v)) {}
    explicit half(double v) : data_(__float2half_rn((float)v)) {}
    explicit half(int v) : data_(__float2half_rn(v)) {}
    explicit half(unsigned v) : data_(__float2half_rn(v)) {}
    explicit half(long v) : data_(__float2half_rn(v)) {}
    explicit half(unsigned long v) : data_(__float2half_rn(v)) {}
    explicit half(long long v) : data_(__float2half_rn(v)) {}
    explicit half(unsigned long long v) : data_(__float2half_rn(v)) {}
    operator float() const { return __half2float(data_); }
    operator __half_raw() const { return {data_}; }
};
typedef half __half;
inline half operator+(half a, half b) { return half((float)a + (float)b); }
inline half operator-(half a, half b) { return half((float)a - (float)b); }
inline half operator*(half a, half b) { return half((float)a * (float)b); }
inline half operator/(half a, half b) { return half((float)a / (float)b); }
#define FAKE_HALF_UPDATE(OP)                       \
    template <class T>                             \
    inline half& operator OP## = (half & a, T b) { \
        return a = half((float)a OP(float) b);     \
    }
FAKE_HALF_UPDATE(+)
FAKE_HALF_UPDATE(-)
FAKE_HALF_UPDATE(*)
inline unsigned short __half_as_ushort(half h) { return h.data_; }
inline half __ushort_as_half(unsigned short u) {
    half h;
    h.data_ = u;
    return h;
}
inline half hexp(half h) { return half(std::exp((float)h)); }
inline half __hmax(half a, half b) { return (float)a < (float)b ? b : a; }
inline half __hmin(half a, half b) { return (float)b < (float)a ? b : a; }
inline half __hadd(half a, half b) { return half((float)a + (float)b); }
struct __nv_bfloat16 {
    unsigned short d;
    __nv_bfloat16() {}
    __nv_bfloat16(float f) {
        unsigned u = __float_as_uint(f);
        d = (unsigned short)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
    }
    operator float() const { return __uint_as_float((unsigned)d << 16); }
};
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.d; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) {
    __nv_bfloat16 h;
    h.d = u;
    return h;
}
#define __CUDA_FP16_H__
#define __CUDA_BF16_H__
