// An element may take a million rounds of loops, and is nan beyond: some loops of xsf count to an argument, others wait for terms that
// never become small, and a kernel that does not end blocks the device. From here on a loop counts its rounds in a register and takes
// them from those of its element by the hundred. That is `while (...)` too, which may end a `do` or stand by itself: it asks the
// `rounds` of the loop around it, or those of the element, by one.
namespace bounded {
__device__ inline int &rounds_left() {
    __shared__ int left[XSF_THREADS];
    return left[threadIdx.x];
}
__device__ inline bool taken(int count) {
    int &left = rounds_left();
    if (left > 0) left -= count;
    return left > 0;
}
struct Element {
    __device__ bool go_on() const { return taken(1); }
};
struct Loop {
    int until_asked = 128;
    bool is_new = true;
    __device__ constexpr bool begins() { return is_new && !(is_new = false); }
    __device__ constexpr bool go_on() { return --until_asked || ((until_asked = 128) && taken(128)); }
};
__device__ inline void begin() { rounds_left() = 1 << 20; }
__device__ inline void give_up() { rounds_left() = 0; }
template <typename Z> __device__ Z ended(const Z &value) { return rounds_left() > 0 ? value : value * (0.0 / 0.0); }
} // namespace bounded
__device__ constexpr bounded::Element rounds{};
#define do for (bounded::Loop rounds; rounds.begins();) do
#define while(...) while (rounds.go_on() && (__VA_ARGS__))
#define for(...) for (bounded::Loop rounds; rounds.begins();) for (__VA_ARGS__) if (!rounds.go_on()) break; else

// f(x) = (-1)^n f(-x) where xsf has f for positive real numbers alone: reflected(n, x, f(positive(x))). Complex z stay as they are.
template <typename Z> __device__ Z positive(Z z) { return z; }
template <typename Z> __device__ Z reflected(long long, Z, Z f) { return f; }
__device__ inline double positive(double x) { return fabs(x); }
__device__ inline double reflected(long long n, double x, double f) { return x < 0 && n % 2 ? -f : f; }

// Polynomials of integer degree: p_0 = 1, p_1, and p_(k + 1) = next(k, p_k, p_(k - 1)); nan for negative degrees.
template <typename T, typename Next> __device__ T three_terms(long long n, T first, Next next) {
    if (n <= 0) return T(n < 0 ? 0.0 / 0.0 : 1.0);
    T before = T(1.0), p = first;
    for (long long k = 1; k < n; k++) {
        T following = next((double) k, p, before);
        before = p;
        p = following;
    }
    return p;
}

// Carlson's R_D by duplication (DLMF 19.36(i)): arguments approach each other four times as near in each round, and then the first
// terms of a series in their differences remain; nan for negative arguments.
__device__ inline double carlson_rd(double x, double y, double z) {
    if (!(x >= 0 && y >= 0 && z >= 0)) return 0.0 / 0.0;
    if (z == 0 || (x == 0 && y == 0)) return 1.0 / 0.0;
    if (x + y + z > 1.7e308) return 0.0;
    double mean = x / 5 + y / 5 + 3 * (z / 5), first = mean - x, second = mean - y, sum = 0, power = 1;
    double far = 512 * fmax(fmax(fabs(first), fabs(second)), fabs(mean - z));
    for (int k = 0; k < 1000 && far >= mean; k++) {
        double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), shift = rx * ry + rx * rz + ry * rz;
        sum += power / (rz * (z + shift));
        power /= 4; far /= 4; first /= 4; second /= 4;
        x = (x + shift) / 4; y = (y + shift) / 4; z = (z + shift) / 4; mean = (mean + shift) / 4;
    }
    double a = first / mean, b = second / mean, c = -(a + b) / 3, ab = a * b, c2 = c * c;
    double e2 = ab - 6 * c2, e3 = (3 * ab - 8 * c2) * c, e4 = 3 * (ab - c2) * c2, e5 = ab * c2 * c;
    double series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26 - e2 * e2 * e2 / 16
        + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20 + 45 * e2 * e2 * e3 / 272 - 9 * (e3 * e4 + e2 * e5) / 68;
    return power * series / (mean * sqrt(mean)) + 3 * sum;
}
