"""The syclbin_link rule."""

load("//rules/private/kinds:of_compiler.bzl", _of_compiler = "syclbin_link")
load("//rules/private/kinds:syclbin_link.bzl", _syclbin_link = "syclbin_link")
load("//rules/private/toolchain:device_compiler.bzl", "declare_device_target")

# The reference page has its attributes, which the macro passes on.
syclbin_link_rule = _syclbin_link

def syclbin_link(name, **kwargs):
    """Links SYCLBINs. Symbols that one file imports must be exported by another file.

    With `mode = "combine"`, the modules of all files are put into one file. Code and images
    do not change. If a kernel calls a function of another module, the program resolves
    the call with `sycl::link`, and the result is in object state.

    With `mode = "ir"`, the code itself is linked, from the SPIR-V or LLVM bitcode of each
    file, and built like the code of a `sycl_binary`: calls from one file to another are ordinary
    calls, and images are compiled for `sycl_targets`. The output groups are the same as for
    `sycl_binary`.

    ```starlark
    syclbin_link(
        name = "app",
        mode = "ir",
        sycl_targets = ["spir64", "intel_gpu_pvc"],
        deps = [
            ":kernels",
            ":math",
        ],
    )
    ```

    Args:
        name: A unique name for this target.
        **kwargs: Attributes of every Bazel rule, such as `tags` and `visibility`.
    """
    declare_device_target((_syclbin_link, _of_compiler), kwargs | {"name": name})
