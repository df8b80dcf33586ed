"""Analysis test of compilation modes with the toolchain of a sycl.dpcpp tag."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

def _unoptimized_impl(ctx):
    env = analysistest.begin(ctx)
    compiles = [a for a in analysistest.target_actions(env) if a.mnemonic == "SyclCompile"]
    asserts.true(env, len(compiles) > 0, "no source is compiled for devices")
    for action in compiles:
        asserts.equals(env, ["-O0"], [o for o in action.argv if o.startswith("-O")])
    return analysistest.end(env)

unoptimized_test = analysistest.make(
    _unoptimized_impl,
    config_settings = {"//command_line_option:compilation_mode": "dbg"},
)
