"""The sycl_cc_binary rule."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private:compat.bzl", "PROGRAM_SUFFIX")
load("//rules/private:cpu_device.bzl", "cpu_device_targets")
load("//rules/private:device_compiler.bzl", "device_compiler_transition")
load("//rules/private:program.bzl", "PROGRAM_ATTRS", "build_program")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _sycl_program_impl(ctx):
    return build_program(ctx, link_dependencies = True)

_sycl_program = rule(
    implementation = _sycl_program_impl,
    doc = "All of a program but the link of its host code.",
    attrs = PROGRAM_ATTRS | {"alwayslink": attr.bool(default = True)},
    cfg = device_compiler_transition,
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = [TOOLCHAIN_TYPE] + use_cc_toolchain(),
)

# Attributes of the compiles; all others are those of cc_binary.
_COMPILE = [name for name in PROGRAM_ATTRS if not name.startswith("_")]
_BOTH = ["compatible_with", "features", "restricted_to", "tags", "target_compatible_with", "testonly"]

def sycl_cc_binary(name, data = [], env = {}, linkopts = [], **kwargs):
    """An ordinary SYCL program: `#include <sycl/sycl.hpp>`, a main function, kernels.

    ```starlark
    sycl_cc_binary(
        name = "mandelbrot",
        srcs = ["mandelbrot.cpp"],
        sycl_targets = ["spir64", "intel_gpu_pvc", "intel_gpu_acm_g10"],
    )
    ```

    Each source is compiled for devices by DPC++, and for the host by the C++ toolchain; the
    program holds the device images, and libsycl comes along. A target gets an image only of
    what it can take: a kernel that uses `double` does not stop the build for a GPU without
    it. `bazel run` finds Intel's OpenCL CPU device when the machine has no GPU.

    The attributes are those of `sycl_cc_library`, with `alwayslink` aside, and those of
    `cc_binary`: `args`, `data`, `env`, `linkopts`, `malloc`, `stamp` and others. With
    `rdc = True` the program's sources, and with any value the libraries among `deps` that
    have it, are linked for devices, so that kernels can call `SYCL_EXTERNAL` functions of
    other sources.

    Args:
        name: of the program.
        data: files that the program reads.
        env: environment variables of `bazel run`.
        linkopts: options of the host link.
        **kwargs: other attributes.
    """
    visibility = kwargs.pop("visibility", None)
    cpu = cpu_device_targets(name, kwargs.get("device_compiler", ""))
    both = {key: kwargs[key] for key in _BOTH if key in kwargs}
    _sycl_program(
        name = name + PROGRAM_SUFFIX,
        visibility = ["//visibility:private"],
        **({key: kwargs.pop(key) for key in _COMPILE if key in kwargs} | both)
    )
    cc_binary(
        name = name,
        data = data + [cpu.device, cpu.driver],
        env = {"OCL_ICD_FILENAMES": "$(rootpath %s)" % cpu.driver} | env,
        linkopts = linkopts,
        visibility = visibility,
        deps = [":" + name + PROGRAM_SUFFIX],
        **kwargs
    )
