"""The sycl_cc_binary rule."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private/compat:compat.bzl", "PROGRAM_SUFFIX")
load("//rules/private/compile:attributes.bzl", "PROGRAM_ATTRS")
load("//rules/private/compile:common_attributes.bzl", "common_attributes")
load("//rules/private/compile:program.bzl", "build_program")
load("//rules/private/toolchain:device_compiler.bzl", "declare_device_target", "device_rules")

def _sycl_program_impl(ctx):
    return build_program(ctx, link_dependencies = True)

# Bazel's errors show the names of these rules. The reference page shows the attributes of the first,
# which the macro passes on.
sycl_cc_binary_rule, _sycl_cc_binary_of_compiler = device_rules(
    implementation = _sycl_program_impl,
    doc = "Everything that builds a program except the link of its host code.",
    attrs = PROGRAM_ATTRS | {"alwayslink": attr.bool(default = True)},
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = use_cc_toolchain(),
)

# Attributes of the compilations; all others are passed to cc_binary.
_COMPILE = [name for name in PROGRAM_ATTRS if not name.startswith("_") and name != "data"]

def sycl_cc_binary(name, data = [], **kwargs):
    """Builds an ordinary SYCL program: `#include <sycl/sycl.hpp>`, a main function, kernels.

    ```starlark
    sycl_cc_binary(
        name = "mandelbrot",
        srcs = ["mandelbrot.cpp"],
        sycl_targets = ["spir64", "intel_gpu_pvc", "intel_gpu_acm_g10"],
    )
    ```

    DPC++ compiles each source for devices, and the C++ toolchain compiles it for the host.
    The program contains the device images, and is linked to libsycl. A target gets images
    only of the kernels that it can run: a kernel that uses `double` does not stop the build
    for a GPU without fp64. In addition to installed devices, the program finds Intel's OpenCL
    CPU device in its runfiles if neither `OCL_ICD_FILENAMES` nor `OCL_ICD_VENDORS` is set.

    With `rdc = True`, the device code of the program's sources is linked, so that kernels
    can call `SYCL_EXTERNAL` functions of other sources. The device code of libraries in `deps`
    with `rdc = True` is always linked.

    Args:
        name: A unique name for this target.
        data: Files that the program reads. Options can refer to them with `$(execpath)`.
        **kwargs: Attributes of `cc_binary`, such as `args`, `env`, `linkshared`, `malloc`, `stamp` and `visibility`.
    """
    visibility = kwargs.pop("visibility", None)
    both = common_attributes(kwargs, groups = [])
    program = {key: kwargs.pop(key) for key in _COMPILE if key in kwargs} | both
    declare_device_target((sycl_cc_binary_rule, _sycl_cc_binary_of_compiler), program | {
        "data": data,
        "name": name + PROGRAM_SUFFIX,
        "visibility": ["//visibility:private"],
    })
    cc_binary(
        name = name,
        # In Bazel 8, macros pass None for inherited attributes that are not set.
        data = data or [],
        visibility = visibility,
        deps = [":" + name + PROGRAM_SUFFIX],
        **kwargs
    )
