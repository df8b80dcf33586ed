// The names of SYCL's error codes.
#pragma once

#include <sycl/exception.hpp>

#include <string>

inline std::string errc_name(const std::error_code &code) {
  const struct {
    sycl::errc errc;
    const char *name;
  } names[] = {
      {sycl::errc::success, "success"},
      {sycl::errc::runtime, "runtime"},
      {sycl::errc::kernel, "kernel"},
      {sycl::errc::accessor, "accessor"},
      {sycl::errc::nd_range, "nd_range"},
      {sycl::errc::event, "event"},
      {sycl::errc::kernel_argument, "kernel_argument"},
      {sycl::errc::build, "build"},
      {sycl::errc::invalid, "invalid"},
      {sycl::errc::memory_allocation, "memory_allocation"},
      {sycl::errc::platform, "platform"},
      {sycl::errc::profiling, "profiling"},
      {sycl::errc::feature_not_supported, "feature_not_supported"},
      {sycl::errc::kernel_not_supported, "kernel_not_supported"},
      {sycl::errc::backend_mismatch, "backend_mismatch"},
  };
  for (const auto &n : names)
    if (code == n.errc) return n.name;
  return code.category().name() + std::string(" ") + std::to_string(code.value());
}
