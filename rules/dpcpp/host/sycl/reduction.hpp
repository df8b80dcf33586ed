// Precedes DPC++'s header with this name, whose functions call functions that are deprecated for
// users. clang would print a warning for each kernel.

#pragma once
#pragma GCC system_header
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include_next <sycl/reduction.hpp>
#pragma GCC diagnostic pop
