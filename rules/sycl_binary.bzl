"""The sycl_binary rule."""

load("//rules/private/kinds:of_compiler.bzl", _of_compiler = "sycl_binary")
load("//rules/private/kinds:sycl_binary.bzl", _sycl_binary = "sycl_binary")
load("//rules/private/toolchain:device_compiler.bzl", "declare_device_target")

# The reference page has its attributes, which the macro passes on.
sycl_binary_rule = _sycl_binary

def sycl_binary(name, **kwargs):
    """Compiles SYCL kernels for several devices and packs them into one SYCLBIN.

    The output is `NAME.syclbin`. Each source is compiled once for SPIR-V and all Intel GPUs, and
    once more for each family of NVIDIA and AMD GPUs. By default, sources are independent:
    changing one does not rebuild the others. With `rdc = True`, the
    device code of all sources is linked, and a kernel can call a device function in another
    source.

    `device_code_split` determines how kernels are split into modules. Kernels that need different
    optional features are always in different modules. A target gets images only of the modules that it
    can run: a kernel that uses `double` gets no image for a GPU without fp64, and the build for
    that GPU continues. If no target can run a module, the build fails with the reason.

    If a kernel does not run on one of the targets, the build prints a warning.
    `--@rules_sycl//rules/settings:compat=error` makes it an error; `compat=off` silences it.

    Output groups: `device_ir`, `device_link`, `device_modules`, `spirv`,
    `properties`, `file_tables`, `aot_plan`, `aot_images`, `syclbin`, `compat_report`.

    ```starlark
    sycl_binary(
        name = "kernels",
        srcs = ["axpy.cpp"],
        sycl_targets = ["spir64", "intel_gpu_pvc", "intel_gpu_acm_g10"],
        deps = ["@rules_sycl//rules/device:sycl_lite"],
    )
    ```

    Args:
        name: A unique name for this target.
        **kwargs: Attributes of every Bazel rule, such as `tags` and `visibility`.
    """
    declare_device_target((_sycl_binary, _of_compiler), kwargs | {"name": name})
