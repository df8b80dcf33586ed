# find_package(IntelSYCL) for syclc++, with the interface of oneAPI's package:
#
#   add_sycl_to_target(TARGET target [SOURCES source...])  compiles the sources, or all C++ sources, of a target with -fsycl
#   IntelSYCL::SYCL_CXX                                    an imported target with the same options
#   SYCL_COMPILER, SYCL_FLAGS, SYCL_LINK_FLAGS, SYCL_LANGUAGE_VERSION, SYCL_INCLUDE_DIR, SYCL_LIBRARY_DIR
#
# The package is found if CMAKE_CXX_COMPILER compiles SYCL. syclc++ itself adds libsycl and its headers, so the options do
# not name their directories.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

if(NOT CMAKE_CXX_COMPILER_LOADED)
  set(IntelSYCL_FOUND FALSE)
  set(IntelSYCL_NOT_FOUND_MESSAGE "the language CXX is not enabled; call project() before find_package(IntelSYCL)")
  cmake_policy(POP)
  return()
endif()

set(SYCL_COMPILER "${CMAKE_CXX_COMPILER}")
set(SYCL_FLAGS -fsycl)
set(SYCL_LINK_FLAGS -fsycl)
set(SYCL_IMPLEMENTATION_ID "${CMAKE_CXX_COMPILER_ID}")

include(CheckCXXSourceCompiles)
include(CMakePushCheckState)
cmake_push_check_state()
set(CMAKE_REQUIRED_FLAGS "-fsycl")
set(CMAKE_REQUIRED_QUIET ${IntelSYCL_FIND_QUIETLY})
check_cxx_source_compiles("
#if SYCL_LANGUAGE_VERSION < 202012 || !__has_include(<sycl/sycl.hpp>)
#error no SYCL 2020
#endif
int main() {}
" IntelSYCL_COMPILES)
cmake_pop_check_state()
if(NOT IntelSYCL_COMPILES)
  set(IntelSYCL_FOUND FALSE)
  set(IntelSYCL_NOT_FOUND_MESSAGE "${CMAKE_CXX_COMPILER} does not compile SYCL; set CMAKE_CXX_COMPILER to syclc++, and run 'syclc++ --check'")
  cmake_policy(POP)
  return()
endif()

# With clang, CMake 3.28 and newer search C++20 sources for modules with clang-scan-deps, which may not find libsycl's
# headers. CMake does not search the sources of icpx.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT DEFINED CMAKE_CXX_SCAN_FOR_MODULES)
  set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
endif()

set(SYCL_LANGUAGE_VERSION 202012 CACHE STRING "SYCL language version")

# DPC++ from pip is in the same environment; the archive of syclc++ does not contain it.
find_path(SYCL_INCLUDE_DIR sycl/sycl.hpp
  HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../include" ENV VIRTUAL_ENV ENV CONDA_PREFIX ENV CMPLR_ROOT
  PATH_SUFFIXES include NO_DEFAULT_PATH)
if(SYCL_INCLUDE_DIR)
  get_filename_component(SYCL_LIBRARY_DIR "${SYCL_INCLUDE_DIR}/../lib" ABSOLUTE)
endif()
mark_as_advanced(SYCL_INCLUDE_DIR SYCL_LANGUAGE_VERSION)

if(NOT TARGET IntelSYCL::SYCL_CXX)
  add_library(IntelSYCL::SYCL_CXX INTERFACE IMPORTED)
  target_compile_options(IntelSYCL::SYCL_CXX INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fsycl>")
  target_link_options(IntelSYCL::SYCL_CXX INTERFACE -fsycl)
endif()

function(add_sycl_to_target)
  cmake_parse_arguments(PARSE_ARGV 0 SYCL "" TARGET SOURCES)
  if(NOT SYCL_TARGET AND ARGC EQUAL 1)
    set(SYCL_TARGET "${ARGV0}")
  endif()
  if(NOT SYCL_TARGET)
    message(FATAL_ERROR "add_sycl_to_target: expected TARGET and the name of a target")
  endif()
  if(SYCL_SOURCES)
    set_property(SOURCE ${SYCL_SOURCES} TARGET_DIRECTORY ${SYCL_TARGET} APPEND PROPERTY COMPILE_OPTIONS -fsycl)
  else()
    target_compile_options(${SYCL_TARGET} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fsycl>")
  endif()
  target_link_options(${SYCL_TARGET} PRIVATE -fsycl)
endfunction()

set(IntelSYCL_FOUND TRUE)
cmake_policy(POP)
