// Stands in front of DPC++'s header of this name, whose functions call others of it that are
// deprecated for users: clang shows that as a warning of each kernel.

#pragma once
#pragma GCC system_header
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include_next <sycl/reduction.hpp>
#pragma GCC diagnostic pop
