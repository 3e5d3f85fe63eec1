// The heap of the device, filled with nan: what a kernel allocates and does not write is seen. A write beyond a block, before or
// after it, ends the process, as an illegal address ends a card's context.
#pragma once
#include <memory>
#include <new>
constexpr size_t FENCE = 1 << 12;  // bytes on both sides of a block
inline void* device_malloc(size_t n) {
    if (n > size_t(1) << 32) return nullptr;
    char* p = (char*)malloc(n + 2 * FENCE);
    if (!p) return nullptr;
    memset(p, 0xff, n + 2 * FENCE);
    memcpy(p, &n, sizeof(n));
    return p + FENCE;
}
inline void device_free(void* block) {
    if (!block) return;
    char* p = (char*)block - FENCE;
    size_t n;
    memcpy(&n, p, sizeof(n));
    for (size_t i = sizeof(n); i < FENCE; i++)
        if (p[i] != (char)0xff || p[FENCE + n + i] != (char)0xff) abort();
    free(p);
}
void* operator new[](size_t n) { return device_malloc(n); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept { return device_malloc(n); }
void operator delete[](void* p) noexcept { device_free(p); }
void operator delete[](void* p, size_t) noexcept { device_free(p); }
#define malloc device_malloc
#define free device_free
