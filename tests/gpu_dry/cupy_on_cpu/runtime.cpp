// CUDA's runtime and driver for CuPy's compiled modules: device memory is the host's, streams and events are numbers. A function
// has the signature that the module's capsule states; the last argument says whether to skip the check for errors.
#include "runtime.h"

extern "C" {
long fake_synchronizations = 0, fake_to_host = 0, fake_to_device = 0, fake_allocations = 0;
PyObject* fake_properties = nullptr;
static Handle next_handle = 4096;

// -- the device
int fake_getDevice(int) { return 0; }
Object fake_setDevice(int, int) { Py_RETURN_NONE; }
int fake_getDeviceCount(int) { return 1; }
int fake_version(int) { return 13000; }
int fake__getCUDAMajorVersion(int) { return 13; }
int fake_deviceGetAttribute(int attribute, int, int) {
    static const int known[][2] = {{75, 9},      {76, 0},      {1, 1024},  {10, 32},        {16, 132},  {8, 49152},
                                   {81, 233472}, {97, 232448}, {39, 2048}, {5, 2147483647}, {6, 65535}, {7, 65535}};
    for (auto& pair : known)
        if (pair[0] == attribute) return pair[1];
    return 0;
}
Object fake_getDeviceProperties(int, int) { return Py_NewRef(fake_properties); }
Object fake__ensure_context(void) { Py_RETURN_NONE; }
Object fake_check_status(int, int) { Py_RETURN_NONE; }
int fake_deviceCanAccessPeer(int, int, int) { return 0; }
size_t fake_deviceGetLimit(int, int) { return 1 << 20; }
Object fake_deviceSetLimit(int, size_t, int) { Py_RETURN_NONE; }
Object fake_enable_peer(int, int) { Py_RETURN_NONE; }
Object fake_deviceSynchronize(int) {
    fake_synchronizations++;
    Py_RETURN_NONE;
}

// -- memory: filled with nan, so that what nobody wrote is seen
Handle fake_malloc(size_t n, int) {
    fake_allocations++;
    void* p = aligned_alloc(512, ((n + 511) / 512 + 1) * 512);
    memset(p, 0xff, n);
    return (Handle)p;
}
Object fake_free(Handle p, int) {
    free((void*)p);
    Py_RETURN_NONE;
}
Handle fake_mallocAsync(size_t n, Handle, int) { return fake_malloc(n, 0); }
Object fake_freeAsync(Handle p, Handle, int) { return fake_free(p, 0); }
Handle fake_hostAlloc(size_t n, unsigned, int) { return fake_malloc(n, 0); }
Object fake_memcpy(Handle to, Handle from, size_t n, int kind, int) {
    fake_to_host += kind == 2;
    fake_to_device += kind == 1;
    memmove((void*)to, (void*)from, n);
    Py_RETURN_NONE;
}
Object fake_memcpyAsync(Handle to, Handle from, size_t n, int kind, Handle, int) { return fake_memcpy(to, from, n, kind, 0); }
Object fake_memcpyPeer(Handle to, int, Handle from, int, size_t n, int) { return fake_memcpy(to, from, n, 3, 0); }
Object fake_memcpyPeerAsync(Handle to, int, Handle from, int, size_t n, Handle, int) { return fake_memcpy(to, from, n, 3, 0); }
Object fake_memset(Handle p, int value, size_t n, int) {
    memset((void*)p, value, n);
    Py_RETURN_NONE;
}
Object fake_memsetAsync(Handle p, int value, size_t n, Handle, int) { return fake_memset(p, value, n, 0); }
Object fake_memGetInfo(int) { return Py_BuildValue("(nn)", (Py_ssize_t)60000000000LL, (Py_ssize_t)80000000000LL); }
int fake_zero(Handle, int) { return 0; }
unsigned fake_unsigned_zero(Handle, int) { return 0; }

// -- streams and events
Handle fake_streamCreate(int) { return next_handle += 16; }
Handle fake_streamCreateWithFlags(unsigned, int) { return next_handle += 16; }
Handle fake_streamCreateWithPriority(unsigned, int, int) { return next_handle += 16; }
Object fake_streamSynchronize(Handle, int) { return fake_deviceSynchronize(0); }
Object fake_streamWaitEvent(Handle, Handle, int, void*) { Py_RETURN_NONE; }
Handle fake_eventCreate(int) { return next_handle += 16; }
Handle fake_eventCreateWithFlags(unsigned, int) { return next_handle += 16; }
Object fake_eventRecord(Handle, Handle, int) { Py_RETURN_NONE; }
float fake_eventElapsedTime(Handle, Handle, int) { return 1.0f; }
Object fake_nothing(Handle, int) { Py_RETURN_NONE; }

// -- the driver
Handle fake_ctxGetCurrent(int) { return 1; }
Object fake_ctxSetCurrent(Handle, int) { Py_RETURN_NONE; }
Handle fake_streamGetCtx(Handle, int) { return 1; }
int fake_funcGetAttribute(int attribute, Handle, int) { return attribute == 0 ? 1024 : attribute == 1 ? 0 : 32; }
Object fake_funcSetAttribute(Handle, int, int, int) { Py_RETURN_NONE; }
int fake_occupancyMaxActiveBlocksPerMultiprocessor(Handle, int, size_t, int) { return 8; }
Object fake_occupancyMaxPotentialBlockSize(Handle, size_t, int, int) { return Py_BuildValue("(ii)", 132, 512); }
}
