// Declarations that the sources of the specialization constant test share.
#pragma once

#include <functional>

#include <sycl/sycl.hpp>

// A function that sets values in a handler.
using Set = std::function<void(sycl::handler &)>;

// A kernel with a constant of the same name as one in the other source, with a different default.
long other_count(sycl::queue &queue, const Set &set);
