"""The function if_sycl."""

def if_sycl(if_true, if_false = []):
    """Chooses by whether the C++ toolchain builds SYCL in targets with the feature `sycl`.

    ```starlark
    cc_library(
        name = "sums",
        srcs = ["sums.cpp"] + if_sycl(["sums_sycl.cpp"]),
        features = ["sycl"],
        local_defines = if_sycl(["SUMS_SYCL"]),
        deps = if_sycl(["@sycl_dpcpp//:sycl"]),
    )
    ```

    [docs/build/plain-cc.md](../build/plain-cc.md) says how to have such a toolchain. A toolchain of your
    own counts as well when it has a feature of this name. `sycl_cc_*` targets need none.

    Args:
        if_true: the value of the attribute where it does.
        if_false: the value elsewhere.

    Returns:
        A `select`.
    """
    return select({
        Label("//rules/toolchain:cc_toolchain_has_sycl"): if_true,
        "//conditions:default": if_false,
    })
