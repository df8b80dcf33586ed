// Precedes DPC++'s header with this name, which calls put(...). Since C++20, g++ also finds friends
// of its arguments in other namespaces; (put)(...) is only looked up in its own.

#pragma once
#pragma GCC system_header
#if !defined(__clang__)
#include <sycl/ext/oneapi/experimental/reusable_events.hpp>
#include <sycl/platform.hpp>
#define put (put)
#endif
#include_next <sycl/ext/oneapi/experimental/ipc_event.hpp>
#undef put
