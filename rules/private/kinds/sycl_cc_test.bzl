"""The rule of the macro sycl_cc_test, in its own file so that it can have the same name as the macro."""

load(":sycl_test.bzl", "SYCL_TEST_RULE")

# The sources are for queries and aspects: the program compiles them.
sycl_cc_test = rule(**(SYCL_TEST_RULE | {
    "attrs": SYCL_TEST_RULE["attrs"] | {"srcs": attr.label_list(allow_files = True)},
}))
