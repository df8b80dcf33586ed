"""The rule of the macro sycl_cc_library, in its own file so that it can have the same name as the macro."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private/compile:attributes.bzl", "PROGRAM_ATTRS", "PROGRAM_LIBRARY_ATTRS")
load("//rules/private/compile:program.bzl", "build_program")
load("//rules/private/toolchain:device_compiler.bzl", "device_compiler_transition", "device_rule")
load("//rules/private/toolchain:enabled.bzl", "requires_ocloc")

# With rdc, the program that links the library builds the images.
def _requires_ocloc(rdc, sycl_targets):
    return None if rdc else requires_ocloc(sycl_targets)

def _sycl_cc_library_impl(ctx):
    return build_program(ctx, link_dependencies = False)

# Arguments that both rules of the macro share.
SYCL_CC_LIBRARY_RULE = dict(
    implementation = _sycl_cc_library_impl,
    doc = "The rule behind the macro sycl_cc_library.",
    attrs = PROGRAM_ATTRS | PROGRAM_LIBRARY_ATTRS | {"_requires_ocloc": attr.label(cfg = device_compiler_transition, default = _requires_ocloc)},
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = use_cc_toolchain(),
)

sycl_cc_library = device_rule(**SYCL_CC_LIBRARY_RULE)
