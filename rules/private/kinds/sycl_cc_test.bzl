"""The rule of the macro sycl_cc_test, in a file of its own so that it has the name of the macro."""

load(":sycl_test.bzl", "SYCL_TEST_RULE")

# The sources are for queries and aspects: the program compiles them.
sycl_cc_test = rule(**(SYCL_TEST_RULE | {
    "attrs": SYCL_TEST_RULE["attrs"] | {"srcs": attr.label_list(allow_files = True)},
}))
