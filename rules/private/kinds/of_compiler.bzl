"""The rules of targets with the attribute device_compiler, with the names of their macros."""

load("//rules/private/toolchain:device_compiler.bzl", "compiler_rule")
load(":sycl_binary.bzl", "SYCL_BINARY_RULE")
load(":sycl_cc_binary.bzl", "SYCL_CC_BINARY_RULE")
load(":sycl_cc_library.bzl", "SYCL_CC_LIBRARY_RULE")
load(":sycl_library.bzl", "SYCL_LIBRARY_RULE")
load(":syclbin_link.bzl", "SYCLBIN_LINK_RULE")

sycl_binary = compiler_rule(**SYCL_BINARY_RULE)
sycl_cc_binary = compiler_rule(**SYCL_CC_BINARY_RULE)
sycl_cc_library = compiler_rule(**SYCL_CC_LIBRARY_RULE)
sycl_library = compiler_rule(**SYCL_LIBRARY_RULE)
syclbin_link = compiler_rule(**SYCLBIN_LINK_RULE)
