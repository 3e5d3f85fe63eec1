// The heap of the device, filled with nan: what a kernel allocates and does not write is seen.
#pragma once
#include <memory>
#include <new>
inline void* device_malloc(size_t n) {
    void* p = malloc(n);
    if (p) memset(p, 0xff, n);
    return p;
}
void* operator new[](size_t n) { return device_malloc(n); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept { return device_malloc(n); }
#define malloc device_malloc
