# Fails if the compiler does not support -fsycl, like CMake modules that find SYCL.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsycl)
check_cxx_source_compiles("
#include <sycl/sycl.hpp>
#ifndef SYCL_LANGUAGE_VERSION
#error this compiler does not compile SYCL
#endif
int main() { return sycl::range<1>(0).size(); }
" HAVE_SYCL)
if(NOT HAVE_SYCL)
  message(FATAL_ERROR "The C++ compiler does not support -fsycl; run cmake -DCMAKE_CXX_COMPILER=syclc++")
endif()
