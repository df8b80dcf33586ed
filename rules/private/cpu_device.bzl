"""The files of Intel's OpenCL CPU device, of whatever runtime programs are linked to."""

load("//rules:providers.bzl", "SyclRuntimeInfo")
load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")

def _cpu_device_impl(ctx):
    libsycl = ctx.toolchains[TOOLCHAIN_TYPE].sycl.libsycl
    runtime = libsycl[SyclRuntimeInfo] if libsycl else None
    if ctx.attr.driver:
        driver = runtime.cpu_driver if runtime else None
        if not driver:
            # A loader of OpenCL drivers passes over what is none.
            driver = ctx.actions.declare_file("no_cpu_device")
            ctx.actions.write(driver, "")
        return [DefaultInfo(files = depset([driver]))]
    files = runtime.cpu_device if runtime else []
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files))]

cpu_device = rule(
    implementation = _cpu_device_impl,
    doc = "All files of the device or, with `driver`, the one that an OpenCL loader opens.",
    attrs = {"driver": attr.bool()},
    toolchains = [TOOLCHAIN_TYPE],
)

def _current_runtime_impl(ctx):
    libsycl = ctx.toolchains[TOOLCHAIN_TYPE].sycl.libsycl
    if not libsycl:
        fail("%s: the chosen compiler for devices comes without a runtime. Add sycl.dpcpp(version = \"2026.2.0\") to MODULE.bazel, or name a runtime" % ctx.label)
    return [libsycl[SyclRuntimeInfo]]

current_runtime = rule(
    implementation = _current_runtime_impl,
    doc = "The runtime that ordinary SYCL programs are linked to.",
    provides = [SyclRuntimeInfo],
    toolchains = [TOOLCHAIN_TYPE],
)
