"""The rule of the macro sycl_cc_binary, in its own file so that it can have the same name as the macro."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private/compile:attributes.bzl", "PROGRAM_ATTRS")
load("//rules/private/compile:program.bzl", "build_program")
load("//rules/private/toolchain:device_compiler.bzl", "device_rule")

def _sycl_program_impl(ctx):
    return build_program(ctx, link_dependencies = True)

# Arguments that both rules of the macro share.
SYCL_CC_BINARY_RULE = dict(
    implementation = _sycl_program_impl,
    doc = "Compiles the sources of a program. A cc_binary links them.",
    attrs = PROGRAM_ATTRS | {
        "alwayslink": attr.bool(default = True),
        "_is_program": attr.bool(default = True, doc = "Messages omit the suffix of the label."),
    },
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = use_cc_toolchain(),
)

sycl_cc_binary = device_rule(**SYCL_CC_BINARY_RULE)
