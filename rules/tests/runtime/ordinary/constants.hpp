// What the sources of the test of specialization constants share.
#pragma once

#include <functional>

#include <sycl/sycl.hpp>

// What gives a handler its values.
using Set = std::function<void(sycl::handler &)>;

// A kernel with a constant that has the name of one in the other source, and another default.
long other_count(sycl::queue &queue, const Set &set);
