// What the two files of the fake runtime share: types as CuPy's compiled modules pass them, and counters.
#pragma once
#include <Python.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <string>
#include <vector>

typedef PyObject* Object;  // CuPy's C functions return None, and take a last argument that they need not
typedef intptr_t Handle;
extern "C" long fake_launches;
