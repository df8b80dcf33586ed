"""The function requires_sycl."""

def requires_sycl():
    """Returns constraints for `target_compatible_with` of a target that needs a SYCL device compiler.

    Without a device compiler, `bazel build //...` and `bazel test //...` skip the target. If you
    request it by name, the error names the missing program and the searched locations.

    ```starlark
    sh_test(
        name = "measure_kernels",
        srcs = ["measure_kernels.sh"],
        target_compatible_with = requires_sycl(),
    )
    ```

    You do not need it for rules that compile SYCL: `sycl_library`, `sycl_binary`,
    `sycl_cc_library`, `sycl_cc_binary`, `sycl_cc_test`, `syclbin_link` with `mode = "ir"`,
    and all targets that depend on them, are skipped automatically.

    Returns:
        A list of constraints, as a `select`.
    """
    return select({
        Label("//rules/toolchain:has_device_compiler"): [],
        "//conditions:default": [Label("//rules/toolchain:no_device_compiler")],
    })
