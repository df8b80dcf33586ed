"""The sycl_cc_binary rule."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("//rules/private/compile:attributes.bzl", "PROGRAM_ATTRS")
load("//rules/private/compile:common_attributes.bzl", "common_attributes")
load("//rules/private/kinds:of_compiler.bzl", _of_compiler = "sycl_cc_binary")
load("//rules/private/kinds:sycl_cc_binary.bzl", _sycl_cc_binary = "sycl_cc_binary")
load("//rules/private/targets:names.bzl", "PROGRAM_SUFFIX", "nearest_names")
load("//rules/private/toolchain:device_compiler.bzl", "declare_device_target")

# The reference page has its attributes, which the macro passes on.
sycl_cc_binary_rule = _sycl_cc_binary

# Attributes of the target that compiles the sources; cc_binary gets all others.
_COMPILE = [name for name in PROGRAM_ATTRS if not name.startswith("_") and name != "data"]

# Attributes of cc_binary in Bazel 7.7 and later that the macro passes on.
_LINK = [
    "applicable_licenses",
    "args",
    "aspect_hints",
    "compatible_with",
    "deprecation",
    "distribs",
    "dynamic_deps",
    "env",
    "exec_compatible_with",
    "exec_group_compatible_with",
    "exec_properties",
    "expect_failure",
    "features",
    "hdrs_check",
    "licenses",
    "link_extra_lib",
    "linkshared",
    "linkstatic",
    "malloc",
    "module_interfaces",
    "nocopts",
    "output_licenses",
    "package_metadata",
    "reexport_deps",
    "restricted_to",
    "stamp",
    "tags",
    "target_compatible_with",
    "testonly",
    "toolchains",
    "transitive_configs",
    "visibility",
    "win_def_file",
]

def unknown_attribute(kind, name, attributes, own = []):
    """Returns an error about an attribute that a program does not have.

    Args:
        kind: what the user writes.
        name: name that the user writes.
        attributes: names of attributes.
        own: names of attributes that the macro handles itself.
    Returns:
        string, empty if all attributes are known.
    """
    known = _COMPILE + _LINK + ["data"] + own
    for attribute in attributes:
        if attribute not in known:
            near = nearest_names(attribute, known)
            return "%s(name = %r): unknown attribute %r%s" % (kind, name, attribute, "; did you mean %s?" % " or ".join(near) if near else "")
    return ""

def _for_queries(srcs):
    """Returns the sources of a program for the cc_binary that links it, which compiles none of them.

    With them, `bazel query 'labels(srcs, //:program)'` lists the sources. A select cannot be in another
    one: then there are none.
    """
    return select({
        Label("//rules/private:never"): srcs,
        "//conditions:default": [],
    }) if srcs and type(srcs) == "list" else []

def declare_program(kind, name, program, data, kwargs, own = []):
    """Declares the targets of a program.

    Args:
        kind: what the user writes, for messages.
        name: name that the user writes.
        program: name of the program.
        data: the attribute data.
        kwargs: all other attributes.
        own: names of attributes that the macro handles itself.
    """
    problem = unknown_attribute(kind, name, kwargs, own)
    if problem:
        fail(problem)
    kwargs = dict(kwargs)
    visibility = kwargs.pop("visibility", None)
    both = common_attributes(kwargs, groups = [])
    compile = {key: kwargs.pop(key) for key in _COMPILE if key in kwargs} | both
    declare_device_target((_sycl_cc_binary, _of_compiler), compile | {
        "data": data,
        "name": name + PROGRAM_SUFFIX,
        "visibility": ["//visibility:private"],
    })
    cc_binary(
        name = program,
        srcs = _for_queries(compile.get("srcs")),
        # In Bazel 8, macros pass None for inherited attributes that are not set.
        data = data or [],
        visibility = visibility,
        deps = [":" + name + PROGRAM_SUFFIX],
        **kwargs
    )

def sycl_cc_binary(name, *, data = [], **kwargs):
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
    declare_program("sycl_cc_binary", name, name, data, kwargs)
