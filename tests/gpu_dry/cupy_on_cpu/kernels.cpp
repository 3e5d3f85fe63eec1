// Kernels on the host: a compiled kernel is a function of pointers to its arguments, called for each thread in turn. Where
// threads wait for each other, each is a fiber, which runs until it waits for its warp or for its block.
#include "runtime.h"

#include <random>

struct Triple {
    unsigned x, y, z;
};
extern "C" {
Triple threadIdx, blockIdx, blockDim, gridDim;
char* fake_dynamic_shared = nullptr;
long fake_launches = 0;
long long fake_slots[1024][4];  // what the threads of a block exchange
}

struct Kernel {
    void (*call)(void**);
    int waits;  // has barriers or shuffles: the size of a warp
    int loops;  // is CuPy's loop over a grid: one thread does all of it
};
enum State { RUNS, AT_WARP, AT_BLOCK, DONE };
struct Fiber {
    void* stack_pointer;
    char* stack;
    State state;
};
extern "C" void fake_switch(void** from, void* to);
asm(R"(
.text
.globl fake_switch
.type fake_switch,@function
fake_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size fake_switch,.-fake_switch
)");
static void* main_pointer;
static std::vector<Fiber> fibers;
static int current = -1;
static void (*current_call)(void**);
static void** current_arguments;
static const size_t STACK = 128 * 1024;

static void fiber_entry() {
    current_call(current_arguments);
    fibers[current].state = DONE;
    fake_switch(&fibers[current].stack_pointer, main_pointer);
    abort();
}
static void wait(State state) {
    if (current < 0) return;
    fibers[current].state = state;
    fake_switch(&fibers[current].stack_pointer, main_pointer);
}
extern "C" void fake_barrier() { wait(AT_BLOCK); }
extern "C" void fake_warp_barrier() { wait(AT_WARP); }
extern "C" int fake_lane() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

static void set_thread(unsigned t) { threadIdx = {t % blockDim.x, t / blockDim.x % blockDim.y, t / (blockDim.x * blockDim.y)}; }

static void begin(Fiber& fiber) {
    void** top = (void**)(((uintptr_t)(fiber.stack + STACK)) & ~(uintptr_t)63);
    *--top = 0;                              // at its entry a function finds the stack 8 off a multiple of 16
    *--top = (void*)fiber_entry;             // the address to return to
    for (int i = 0; i < 6; i++) *--top = 0;  // the registers that fake_switch restores
    fiber.stack_pointer = top;
    fiber.state = RUNS;
}
static unsigned released(unsigned begin, unsigned end, State from) {
    unsigned count = 0;
    for (unsigned t = begin; t < end; t++)
        if (fibers[t].state == from) fibers[t].state = RUNS, count++;
    return count;
}
// The order in which threads run between two barriers: CUPY_ON_CPU_ORDER is "descending", "random" or not set. A kernel
// whose results depend on it lacks a barrier.
static std::vector<unsigned> in_order(unsigned begin, unsigned end, unsigned step = 1) {
    const char* given = getenv("CUPY_ON_CPU_ORDER");
    std::string order = given ? given : "";
    static std::mt19937 random;
    std::vector<unsigned> found;
    for (unsigned t = begin; t < end; t += step) found.push_back(t);
    if (order == "descending") std::reverse(found.begin(), found.end());
    if (order == "random") std::shuffle(found.begin(), found.end(), random);
    return found;
}
// Run the threads of a warp until each is done or waits for the block.
static void run_warp(unsigned begin, unsigned end) {
    do {
        for (unsigned t : in_order(begin, end)) {
            if (fibers[t].state != RUNS) continue;
            set_thread(t);
            current = t;
            fake_switch(&main_pointer, fibers[t].stack_pointer);
            current = -1;
        }
    } while (released(begin, end, AT_WARP));
}
static void run_fibers(unsigned n) {
    while (fibers.size() < n) fibers.push_back({nullptr, (char*)aligned_alloc(64, STACK), DONE});
    for (unsigned t = 0; t < n; t++) begin(fibers[t]);
    do {
        for (unsigned t : in_order(0, n, 32)) run_warp(t, std::min(n, t + 32));
    } while (released(0, n, AT_BLOCK));
}
static void run_block(const Kernel* kernel, unsigned n) {
    if (kernel->waits) return run_fibers(n);
    for (unsigned t : in_order(0, n)) {
        set_thread(t);
        kernel->call(current_arguments);
    }
}

extern "C" {
Handle fake_moduleLoadData(Object image, int) {
    const char* path = PyBytes_AsString(image);
    void* h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!h) {
        PyErr_Format(PyExc_RuntimeError, "fake dlopen: %s", dlerror());
        return 0;
    }
    return (Handle)h;
}
Object fake_moduleUnload(Handle m, int) { Py_RETURN_NONE; }
Handle fake_moduleGetFunction(Handle m, Object name, int) {
    std::string n = PyUnicode_AsUTF8(name);
    void* t = dlsym((void*)m, (n + "__thunk").c_str());
    if (!t) {
        PyErr_Format(PyExc_RuntimeError, "fake: no kernel %s", n.c_str());
        return 0;
    }
    Kernel* k = new Kernel;
    k->call = (void (*)(void**))t;
    k->waits = *(int*)dlsym((void*)m, "fake_needs_sync");
    k->loops = *(int*)dlsym((void*)m, "fake_gridstride");
    return (Handle)k;
}
Handle fake_moduleGetGlobal(Handle m, Object name, int) {
    void* t = dlsym((void*)m, PyUnicode_AsUTF8(name));
    if (!t) {
        PyErr_Format(PyExc_RuntimeError, "fake: no global %s", PyUnicode_AsUTF8(name));
        return 0;
    }
    return (Handle)t;
}
Object fake_launchKernel(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned shared, Handle, Handle arguments, Handle, int) {
    fake_launches++;
    Kernel* kernel = (Kernel*)function;
    std::vector<char> memory(shared + 64);
    fake_dynamic_shared = (char*)(((uintptr_t)memory.data() + 63) & ~(uintptr_t)63);
    current_call = kernel->call;
    current_arguments = (void**)arguments;
    if (!kernel->waits && kernel->loops && gy * gz * by * bz == 1) gx = bx = 1;
    gridDim = {gx, gy, gz};
    blockDim = {bx, by, bz};
    for (blockIdx.z = 0; blockIdx.z < gz; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < gy; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < gx; blockIdx.x++) run_block(kernel, bx * by * bz);
    Py_RETURN_NONE;
}
Object fake_launchCooperativeKernel(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                    unsigned shared, Handle stream, Handle arguments, int) {
    return fake_launchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, 0, 0);
}
}
