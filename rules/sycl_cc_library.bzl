"""The sycl_cc_library rule."""

load("//rules/private/kinds:of_compiler.bzl", _of_compiler = "sycl_cc_library")
load("//rules/private/kinds:sycl_cc_library.bzl", _sycl_cc_library = "sycl_cc_library")
load("//rules/private/toolchain:device_compiler.bzl", "declare_device_target")

# The reference page has its attributes, which the macro passes on.
sycl_cc_library_rule = _sycl_cc_library

def sycl_cc_library(name, **kwargs):
    """Builds a library of ordinary SYCL sources.

    ```starlark
    sycl_cc_library(
        name = "blur",
        srcs = ["blur.cpp"],
        hdrs = ["blur.hpp"],
        sycl_targets = ["spir64", "intel_gpu_pvc"],
    )
    ```

    DPC++ compiles each source for devices, and the C++ toolchain compiles it for the host.
    The library contains the device images of its kernels, and depends on libsycl. A
    `cc_library`, `cc_binary` or `cc_test` can have it in `deps` like any C++ library.

    With `rdc = True`, the library contains no images. A `sycl_cc_binary` or `sycl_cc_test` that
    depends on it, directly or indirectly, links the library's device code with
    its own, so that kernels can call the library's `SYCL_EXTERNAL` functions. The program's
    `sycl_targets` and `device_config` then apply. Any other program that depends on such a
    library fails to link, with an undefined symbol
    `sycl_device_code_of_LIBRARY_is_linked_by_sycl_cc_binary`.

    In a `cc_shared_library`, such a library provides only host code. Its device code is in the
    `sycl_cc_binary` that has the library in `deps` and the `cc_shared_library` in `dynamic_deps`.
    For a self-contained shared library, such as a Python module, use a `sycl_cc_binary`
    with `linkshared = True`.

    If a kernel does not run on one of the targets, building or linking the library prints a
    warning, as for `sycl_binary`. Targets that include only its headers do not build its device
    code. Output groups: the output groups of `sycl_binary`, and `integration_headers`.

    Args:
        name: A unique name for this target.
        **kwargs: Attributes of every Bazel rule, such as `tags` and `visibility`.
    """
    declare_device_target((_sycl_cc_library, _of_compiler), kwargs | {"name": name})
