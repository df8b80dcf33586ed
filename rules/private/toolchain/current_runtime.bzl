"""The runtime that ordinary SYCL programs are linked to."""

load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain", "use_sycl_toolchain")
load("//rules:providers.bzl", "SyclRuntimeInfo")
load("//rules/private/compile:attributes.bzl", "DEVICE_COMPILER_ATTRS")
load("//rules/private/targets:names.bzl", "user_label")
load(":device_compiler.bzl", "device_compiler_transition")
load(":enabled.bzl", "REQUIRES_SYCL_ATTRS")

def _current_runtime_impl(ctx):
    libsycl = find_sycl_toolchain(ctx).libsycl
    if not libsycl:
        fail("%s: the selected device compiler has no runtime; add sycl.dpcpp(version = \"2026.2.0\") to MODULE.bazel, or set the attribute runtime" % user_label(ctx))
    return [libsycl[SyclRuntimeInfo]]

current_runtime = rule(
    implementation = _current_runtime_impl,
    doc = "The runtime that ordinary SYCL programs are linked to.",
    # A missing compiler has no runtime either, which is not an error.
    attrs = DEVICE_COMPILER_ATTRS | REQUIRES_SYCL_ATTRS,
    cfg = device_compiler_transition,
    provides = [SyclRuntimeInfo],
    toolchains = use_sycl_toolchain(),
)

def runtime_of(name, device_compiler):
    """Returns the label of the runtime that a program is linked to.

    Args:
        name: name of the program.
        device_compiler: the program's attribute, or empty or None.
    Returns:
        label.
    """
    if not device_compiler:
        return Label("//rules/private:current_runtime")
    current_runtime(
        name = name + ".runtime",
        device_compiler = device_compiler,
        tags = ["manual"],
        visibility = ["//visibility:private"],
    )
    return name + ".runtime"
