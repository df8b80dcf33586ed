"""The rules, aspects and providers that users of rules_sycl load."""

load(":aot_filter.bzl", _aot_filter = "aot_filter")
load(":dpcpp_toolchain.bzl", _sycl_dpcpp_toolchain = "sycl_dpcpp_toolchain")
load(":if_sycl.bzl", _if_sycl = "if_sycl")
load(":providers.bzl", _SyclCompatInfo = "SyclCompatInfo", _SyclCompatSetInfo = "SyclCompatSetInfo", _SyclDeviceInfo = "SyclDeviceInfo", _SyclProgramInfo = "SyclProgramInfo", _SyclRuntimeInfo = "SyclRuntimeInfo", _SyclToolchainInfo = "SyclToolchainInfo", _SyclbinInfo = "SyclbinInfo")
load(":requires_sycl.bzl", _requires_sycl = "requires_sycl")
load(":sycl_binary.bzl", _sycl_binary = "sycl_binary")
load(":sycl_cc_binary.bzl", _sycl_cc_binary = "sycl_cc_binary")
load(":sycl_cc_library.bzl", _sycl_cc_library = "sycl_cc_library")
load(":sycl_cc_test.bzl", _sycl_cc_test = "sycl_cc_test")
load(":sycl_compat_aspect.bzl", _sycl_compat_aspect = "sycl_compat_aspect")
load(":sycl_compat_report.bzl", _sycl_compat_report = "sycl_compat_report")
load(":sycl_compat_test.bzl", _sycl_compat_test = "sycl_compat_test")
load(":sycl_compile_commands.bzl", _sycl_compile_commands = "sycl_compile_commands", _sycl_compile_commands_aspect = "sycl_compile_commands_aspect")
load(":sycl_device_config.bzl", _sycl_device_config = "sycl_device_config")
load(":sycl_library.bzl", _sycl_library = "sycl_library")
load(":sycl_test.bzl", _sycl_test = "sycl_test")
load(":syclbin_import.bzl", _syclbin_import = "syclbin_import")
load(":syclbin_link.bzl", _syclbin_link = "syclbin_link")
load(":toolchain.bzl", _sycl_local_program = "sycl_local_program", _sycl_toolchain = "sycl_toolchain")

aot_filter = _aot_filter
if_sycl = _if_sycl
requires_sycl = _requires_sycl
sycl_binary = _sycl_binary
sycl_cc_binary = _sycl_cc_binary
sycl_cc_library = _sycl_cc_library
sycl_cc_test = _sycl_cc_test
sycl_compat_aspect = _sycl_compat_aspect
sycl_compat_report = _sycl_compat_report
sycl_compat_test = _sycl_compat_test
sycl_compile_commands = _sycl_compile_commands
sycl_compile_commands_aspect = _sycl_compile_commands_aspect
sycl_device_config = _sycl_device_config
sycl_dpcpp_toolchain = _sycl_dpcpp_toolchain
sycl_library = _sycl_library
sycl_local_program = _sycl_local_program
sycl_test = _sycl_test
sycl_toolchain = _sycl_toolchain
syclbin_import = _syclbin_import
syclbin_link = _syclbin_link
SyclbinInfo = _SyclbinInfo
SyclCompatInfo = _SyclCompatInfo
SyclCompatSetInfo = _SyclCompatSetInfo
SyclDeviceInfo = _SyclDeviceInfo
SyclProgramInfo = _SyclProgramInfo
SyclRuntimeInfo = _SyclRuntimeInfo
SyclToolchainInfo = _SyclToolchainInfo
