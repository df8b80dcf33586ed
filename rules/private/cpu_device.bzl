"""The files of Intel's OpenCL CPU device, from the runtime that programs are linked to."""

load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain", "use_sycl_toolchain")
load("//rules:providers.bzl", "SyclRuntimeInfo")
load(":device_compiler.bzl", "DEVICE_COMPILER_ATTRS", "device_compiler_transition")
load(":enabled.bzl", "REQUIRES_SYCL_ATTRS")

def _cpu_device_impl(ctx):
    libsycl = find_sycl_toolchain(ctx).libsycl
    runtime = libsycl[SyclRuntimeInfo] if libsycl else None
    if ctx.attr.driver:
        driver = runtime.cpu_driver if runtime else None
        if not driver:
            # The OpenCL loader ignores a file that is not a driver.
            driver = ctx.actions.declare_file("no_cpu_device")
            ctx.actions.write(driver, "")
        return [DefaultInfo(files = depset([driver]))]
    files = runtime.cpu_device if runtime else []
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files))]

cpu_device = rule(
    implementation = _cpu_device_impl,
    doc = "All files of the device or, with `driver`, the one that an OpenCL loader opens.",
    attrs = DEVICE_COMPILER_ATTRS | {"driver": attr.bool()},
    cfg = device_compiler_transition,
    toolchains = use_sycl_toolchain(),
)

def _current_runtime_impl(ctx):
    libsycl = find_sycl_toolchain(ctx).libsycl
    if not libsycl:
        fail("%s: the chosen device compiler has no runtime. Add sycl.dpcpp(version = \"2026.2.0\") to MODULE.bazel, or give the attribute runtime" % ctx.label)
    return [libsycl[SyclRuntimeInfo]]

current_runtime = rule(
    implementation = _current_runtime_impl,
    doc = "The runtime that ordinary SYCL programs are linked to.",
    # A compiler that is missing has no runtime either: that is no error.
    attrs = DEVICE_COMPILER_ATTRS | REQUIRES_SYCL_ATTRS,
    cfg = device_compiler_transition,
    provides = [SyclRuntimeInfo],
    toolchains = use_sycl_toolchain(),
)

def cpu_device_targets(name, device_compiler):
    """Labels of the targets that a program needs from its runtime.

    Args:
        name: name of the program.
        device_compiler: the program's attribute, or empty or None.
    Returns:
        struct(device, driver, runtime).
    """
    if not device_compiler:
        return struct(
            device = Label("//rules/private:cpu_device"),
            driver = Label("//rules/private:cpu_driver"),
            runtime = Label("//rules/private:current_runtime"),
        )
    if not native.existing_rule(name + ".cpu_device"):
        private = {"device_compiler": device_compiler, "tags": ["manual"], "visibility": ["//visibility:private"]}
        cpu_device(name = name + ".cpu_device", **private)
        cpu_device(name = name + ".cpu_driver", driver = True, **private)
        current_runtime(name = name + ".runtime", **private)
    return struct(device = name + ".cpu_device", driver = name + ".cpu_driver", runtime = name + ".runtime")
