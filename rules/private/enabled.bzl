"""Whether the SYCL toolchain has a device compiler, for select."""

load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain", "use_sycl_toolchain")

def _device_compiler_state_impl(ctx):
    toolchain = find_sycl_toolchain(ctx)
    enabled = toolchain and not toolchain.missing
    return [config_common.FeatureFlagInfo(value = "present" if enabled else "missing")]

device_compiler_state = rule(
    implementation = _device_compiler_state_impl,
    doc = "Has the value `present` or `missing`, for config_settings to match.",
    toolchains = use_sycl_toolchain(mandatory = False),
)

# For rules that compile SYCL: Bazel skips a target that depends on one it skips.
REQUIRES_SYCL_ATTRS = {
    "_requires_sycl": attr.label(default = "//rules/private:requires_sycl"),
}
