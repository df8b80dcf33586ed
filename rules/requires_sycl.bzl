"""The function requires_sycl."""

def requires_sycl():
    """For `target_compatible_with`: the target needs a SYCL device compiler.

    Without one, `bazel build //...` and `bazel test //...` skip the target. When it is
    asked for by name, the error says what is missing and where it was looked for.

    ```starlark
    sh_test(
        name = "measure_kernels",
        srcs = ["measure_kernels.sh"],
        target_compatible_with = requires_sycl(),
    )
    ```

    The rules that compile SYCL need no such attribute: `sycl_library`, `sycl_binary`,
    `sycl_cc_library`, `sycl_cc_binary`, `sycl_cc_test`, `syclbin_link` with `mode = "ir"`,
    and all targets that depend on such targets, are skipped anyway.

    Returns:
        A list of constraints, by `select`.
    """
    return select({
        Label("//rules/toolchain:has_device_compiler"): [],
        "//conditions:default": [Label("//rules/toolchain:no_device_compiler")],
    })
