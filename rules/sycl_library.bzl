"""The sycl_library rule."""

load("//rules/private/kinds:of_compiler.bzl", _of_compiler = "sycl_library")
load("//rules/private/kinds:sycl_library.bzl", _sycl_library = "sycl_library")
load("//rules/private/toolchain:device_compiler.bzl", "declare_device_target")

# The reference page has its attributes, which the macro passes on.
sycl_library_rule = _sycl_library

def sycl_library(name, **kwargs):
    """Compiles device code that several `sycl_binary` targets share.

    The sources are compiled once for all binaries. Each `sycl_binary` that depends on the library,
    directly or indirectly, contains its kernels. With `rdc = True` on the `sycl_binary`, its
    kernels can call the library's `SYCL_EXTERNAL` functions.

    ```starlark
    sycl_library(
        name = "polynomials",
        srcs = ["horner.cpp"],
        hdrs = ["horner.hpp"],
        deps = ["@rules_sycl//rules/device:sycl_lite"],
    )

    sycl_binary(
        name = "kernels",
        srcs = ["evaluate.cpp"],
        rdc = True,
        sycl_targets = ["spir64", "intel_gpu_pvc"],
        deps = [":polynomials"],
    )
    ```

    Args:
        name: A unique name for this target.
        **kwargs: Attributes of every Bazel rule, such as `tags` and `visibility`.
    """
    declare_device_target((_sycl_library, _of_compiler), kwargs | {"name": name})
