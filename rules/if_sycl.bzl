"""The function if_sycl."""

def if_sycl(if_true, if_false = []):
    """Selects a value depending on whether the C++ toolchain supports the feature `sycl`.

    ```starlark
    cc_library(
        name = "sums",
        srcs = ["sums.cpp"] + if_sycl(["sums_sycl.cpp"]),
        features = ["sycl"],
        local_defines = if_sycl(["SUMS_SYCL"]),
        deps = if_sycl(["@sycl_dpcpp//:sycl"]),
    )
    ```

    [docs/build/plain-cc.md](../build/plain-cc.md) shows how to set up the toolchain. Your own
    toolchain counts, too, if it has a feature with this name. `sycl_cc_*` targets do not need it.

    Args:
        if_true: the value if it does.
        if_false: the value otherwise.

    Returns:
        A `select`.
    """
    return select({
        Label("//rules/toolchain:cc_toolchain_has_sycl"): if_true,
        "//conditions:default": if_false,
    })
