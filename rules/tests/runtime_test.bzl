"""Analysis tests of sycl_test and of the tags of the extension."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts", "unittest")
load("//rules:providers.bzl", "SyclRuntimeInfo")
load("//rules:sycl_test.bzl", "sycl_test")
load("//rules/private/repositories:prebuilt_tools.bzl", "check_tools")
load("//rules/private/repositories:sycl_runtime.bzl", "check_runtime", "matches")
load("//rules/private/repositories:sycl_runtime_targets.bzl", "problem_of_dpcpp")
load("//rules/private/repositories:sycl_runtime_versions.bzl", "COMPILER", "DEFAULT_RUNTIME", "RUNTIMES", "UNPACKED")
load("//rules/private/repositories:toolchains_hub.bzl", "check_repository", "declare_default_runtime")
load(":analysis.bzl", "make_fails_test")

def _file(ctx, name):
    file = ctx.actions.declare_file(ctx.label.name + "/" + name)
    ctx.actions.write(file, "", is_executable = True)
    return file

def _fake_impl(ctx):
    program = _file(ctx, "program")
    driver = _file(ctx, "libintelocl.so") if ctx.attr.cpu_device else None
    return [
        DefaultInfo(executable = program),
        SyclRuntimeInfo(
            cpu_device = [driver] if driver else [],
            cpu_driver = driver,
            devices = _file(ctx, "devices"),
            devices_runfiles = ctx.runfiles([_file(ctx, "libsycl.so.9")]),
        ),
    ]

# A program and a runtime that consist of empty files.
_fake = rule(implementation = _fake_impl, attrs = {"cpu_device": attr.bool(default = True)}, executable = True)

def _script_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    script = [a for a in analysistest.target_actions(env) if a.mnemonic == "FileWrite"][0].content
    for part in ctx.attr.parts:
        asserts.true(env, part in script, "%r is not in %s" % (part, script))
    for part in ctx.attr.absent:
        asserts.false(env, part in script, "%r is in %s" % (part, script))
    names = sorted([f.basename for f in target[DefaultInfo].default_runfiles.files.to_list()])
    for name in ["devices", "known.json", "libsycl.so.9", "program"]:
        asserts.true(env, name in names, "%s is not in %s" % (name, names))
    asserts.equals(env, ctx.attr.driver, "libintelocl.so" in names)
    asserts.equals(env, {"KNOWN": "rules/tests/known.json", "MODE": "fastbuild $"}, target[RunEnvironmentInfo].environment)
    return analysistest.end(env)

_script_test = analysistest.make(
    _script_impl,
    attrs = {
        "absent": attr.string_list(),
        "driver": attr.bool(),
        "parts": attr.string_list(),
    },
)

def _tag_impl(ctx):
    check_repository(ctx.attr.kind, ctx.attr.repository)
    check_runtime(ctx.attr.kind, ctx.attr.repository, ctx.attr.version, ctx.attr.path, ctx.attr.urls, ctx.attr.sha256)

_tag = rule(
    implementation = _tag_impl,
    attrs = {
        "kind": attr.string(default = "runtime"),
        "path": attr.string(),
        "repository": attr.string(default = "sycl_runtime"),
        "sha256": attr.string_dict(),
        "urls": attr.string_dict(),
        "version": attr.string(),
    },
)

def _tools_tag_impl(ctx):
    check_tools(ctx.attr.urls, ctx.attr.sha256)

_tools_tag = rule(
    implementation = _tools_tag_impl,
    attrs = {
        "sha256": attr.string_dict(),
        "urls": attr.string_dict(),
    },
)

_fails_test = make_fails_test()

def _versions_impl(ctx):
    env = unittest.begin(ctx)
    asserts.true(env, DEFAULT_RUNTIME in RUNTIMES)
    names = RUNTIMES[DEFAULT_RUNTIME][1].keys()
    sums = {}
    for release, (_, wheels) in RUNTIMES.items():
        check_runtime("runtime", "sycl_runtime", release, "")
        asserts.equals(env, names, wheels.keys())
        asserts.equals(env, release, wheels["intel-sycl-rt"][0])
        for name, (version, sha256) in wheels.items():
            # Each file has one checksum, and each checksum belongs to one file.
            asserts.equals(env, 64, len(sha256))
            asserts.equals(env, name + version, sums.setdefault(sha256, name + version))
    return unittest.end(env)

_versions_test = unittest.make(_versions_impl)

def _matches_impl(ctx):
    env = unittest.begin(ctx)
    for path in ["include/sycl/sycl.hpp", "lib/cllibrarye9.o", "lib/libsycl-preview.so.9", "lib/libsycl.so.9", "lib/libur_adapter_opencl.so.0"]:
        asserts.true(env, matches(path, UNPACKED), path)

    # Other files in an installation.
    for path in ["lib/libsycl.so", "lib/libsycl.so.9.0.0", "lib/libsycl.so.9.0.0-gdb.py", "lib/libsycl-jit.so.23.1", "lib/clang"]:
        asserts.false(env, matches(path, UNPACKED), path)
    asserts.true(env, matches("lib/libsycl-jit.so.23.1", COMPILER))
    return unittest.end(env)

_matches_test = unittest.make(_matches_impl)

def _problem_impl(ctx):
    env = unittest.begin(ctx)
    library, header = ["lib/libsycl-jit.so.23.1"], ["include/sycl/sycl.hpp"]
    asserts.equals(env, "", problem_of_dpcpp(["lib/libsycl.so.9"], library, header))
    for libsycl, library, header, want in [
        ([], library, header, "does not contain DPC++; expected lib/libsycl-jit.so"),
        (["lib/libsycl.so.9"], [], header, "does not contain DPC++; expected lib/libsycl-jit.so"),
        (["lib/libsycl.so.9"], library, [], "does not contain DPC++; expected lib/libsycl-jit.so"),
        (["lib/libsycl.so.9", "lib/libsycl.so.8"], library, header, "several DPC++ releases, lib/libsycl.so.8 and lib/libsycl.so.9, but a toolchain is for one release"),
        (["lib/libsycl.so.7"], library, header, "has lib/libsycl.so.7, which belongs to a DPC++ release that this release of rules_sycl does not support"),
    ]:
        problem = problem_of_dpcpp(libsycl, library, header)
        asserts.true(env, want in problem, problem)
    return unittest.end(env)

_problem_test = unittest.make(_problem_impl)

_SKIPS = "echo \"skipped: $reason\"\n  test -z \"${TEST_SHARD_STATUS_FILE:-}\" || touch \"$TEST_SHARD_STATUS_FILE\"\n"
_FAILS = "echo \"$name: $reason\" >&2\n  exit 1\n"
_REQUIRED = "required is set"
_NO_VENDORS = "OCL_ICD_VENDORS=\"$scratch/vendors\""

def runtime_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    _fake(name = "fake_runtime", **manual)
    _fake(name = "fake_runtime_without_cpu", cpu_device = False, **manual)
    declare_default_runtime(name = "default_runtime", repositories = {"sycl_dpcpp": ":missing", "sycl_runtime": ":fake_runtime"})
    declare_default_runtime(name = "other_runtimes", repositories = {"new": ":fake_runtime", "sycl_dpcpp": ":fake_runtime"})
    tests = []
    for case, arguments, text in [
        # The project itself has no sycl.runtime tag.
        ("without_tag", {}, "after sycl = use_extension(\"@rules_sycl//rules:extensions.bzl\", \"sycl\"): sycl.runtime(version = \"%s\") and use_repo(sycl, \"sycl_runtime\")" % DEFAULT_RUNTIME),
        ("of_others", {"runtime": ":other_runtimes"}, "the default runtime @sycl_runtime does not exist; set the attribute to the runtime that the program is linked to: runtime = \"@new\", with use_repo(sycl, \"new\") in MODULE.bazel; or runtime = \"@sycl_dpcpp\", with use_repo(sycl, \"sycl_dpcpp\") in MODULE.bazel"),
    ]:
        sycl_test(name = "runtime_%s_program_test" % case, binary = ":fake_runtime", tags = ["manual"], **arguments)
        _fails_test(name = "runtime_%s_test" % case, target_under_test = "runtime_%s_program_test" % case, texts = [text])
        tests.append("runtime_%s_test" % case)
    for case, arguments, parts, absent in [
        ("cpu", {}, [
            "export ONEAPI_DEVICE_SELECTOR=opencl:cpu %s OCL_ICD_FILENAMES=\"$runfiles\"/'rules/tests/fake_runtime/libintelocl.so'\n\"$runfiles\"/'rules/tests/fake_runtime/devices'\n" % _NO_VENDORS,
            "exec \"$runfiles\"/'rules/tests/fake_runtime/program' \"$@\"\n",
            "finds no Intel OpenCL CPU device, which comes with DPC++; see the reason above",
            _FAILS,
        ], [_SKIPS, _REQUIRED]),
        ("default", {"runtime": ":default_runtime"}, ["fake_runtime/devices"], []),
        ("no_cpu", {"runtime": ":fake_runtime_without_cpu"}, ["\n}\nabsent\n", _FAILS, "the runtime //rules/tests:fake_runtime_without_cpu has no Intel OpenCL CPU device (lib/libintelocl.so)"], ["OCL_ICD_FILENAMES", _SKIPS]),
        ("pocl", {"device": "pocl"}, ["pocl*.icd", "OCL_ICD_FILENAMES=\"$driver\"", _NO_VENDORS, _SKIPS], ["libintelocl", _FAILS]),
        ("gpu", {"device": "gpu"}, ["ONEAPI_DEVICE_SELECTOR='level_zero:gpu;opencl:gpu'"], ["OCL_ICD"]),
        ("required", {"device": "any", "required": True}, [_FAILS, "finds no device, but the attribute " + _REQUIRED], [_SKIPS, "ONEAPI_DEVICE_SELECTOR"]),
    ]:
        arguments = {"runtime": ":fake_runtime"} | arguments
        sycl_test(
            name = "runtime_%s_program_test" % case,
            binary = ":fake_runtime",
            data = ["known.json"],
            env = {"KNOWN": "$(rootpath known.json)", "MODE": "$(COMPILATION_MODE) $$"},
            tags = ["manual"],
            **arguments
        )
        _script_test(
            name = "runtime_%s_test" % case,
            absent = absent,
            driver = case in ["cpu", "default"],
            parts = parts,
            target_under_test = "runtime_%s_program_test" % case,
        )
        tests.append("runtime_%s_test" % case)
    for case, arguments, texts in [
        ("own_repository", {"repository": "sycl_tools"}, ["sycl.runtime: the name \"sycl_tools\" is reserved; use a different name"]),
        ("own_prefix", {"repository": "sycl_local_mine"}, ["sycl.runtime: the name \"sycl_local_mine\" is reserved; use a different name"]),
        ("compiler_name", {"kind": "dpcpp", "repository": "clang"}, ["sycl.dpcpp: the name \"clang\" is reserved"]),
        ("own_target", {"repository": "headers"}, ["sycl.runtime: the name \"headers\" is reserved; use a different name"]),
        ("own_compiler", {"kind": "dpcpp", "repository": "toolchain"}, ["sycl.dpcpp: the name \"toolchain\" is reserved"]),
        ("both", {"path": "/opt", "version": "2026.2.0"}, ["version cannot be combined with path"]),
        ("relative", {"path": "opt"}, ["path \"opt\" does not start with '/'"]),
        ("unknown", {"version": "2026.2"}, ["sycl.runtime(name", "unknown version \"2026.2\"; expected one of 2025.3.1, 2026.0.0, 2026.2.0; did you mean 2026.2.0?"]),
        ("unknown_compiler", {"kind": "dpcpp", "version": "2026.2"}, ["sycl.dpcpp(name", "unknown version \"2026.2\"; expected one of 2026.0.0, 2026.2.0; did you mean 2026.2.0?"]),
        ("no_compiler", {"kind": "dpcpp", "version": "2025.3.1"}, ["cannot be used as a compiler: its wheels lack the device libraries", "use one of 2026.0.0, 2026.2.0"]),
        ("url_of_path", {"path": "/opt", "urls": {"umf": "https://example.com/umf.whl"}}, ["urls and sha256 cannot be combined with path"]),
        ("unknown_wheel", {"urls": {"intel-sycl": "https://example.com/a.whl"}, "version": "2026.2.0"}, ["urls: unknown wheel \"intel-sycl\"; expected one of", "did you mean intel-sycl-rt?"]),
        ("no_url", {"urls": {"umf": "/umf.whl"}, "version": "2026.2.0"}, ["urls: \"/umf.whl\" of umf is not a URL"]),
        ("sum_without_url", {"sha256": {"umf": "0" * 64}, "version": "2026.2.0"}, ["sha256: umf has no URL in urls"]),
        ("bad_sum", {"sha256": {"umf": "0" * 63}, "urls": {"umf": "https://example.com/umf.whl"}, "version": "2026.2.0"}, ["is not 64 hexadecimal digits"]),
    ]:
        _tag(name = "runtime_%s_tag" % case, tags = ["manual"], **arguments)
        _fails_test(
            name = "runtime_%s_test" % case,
            target_under_test = "runtime_%s_tag" % case,
            texts = texts,
        )
        tests.append("runtime_%s_test" % case)
    url = "https://example.com/sycl-tools.tar.gz"
    check_tools({"linux-amd64": url}, {"linux-amd64": "0aF" + "1" * 61})
    for case, sha256, texts in [
        ("no_sum", {"linux-amd64": ""}, ["sha256: \"\" of linux-amd64 is not 64 hexadecimal digits"]),
        ("line_of_sums", {"linux-amd64": "0" * 64 + "  a"}, ["is not 64 hexadecimal digits"]),
        ("other_sum", {"linux-arm64": "0" * 64}, ["urls is for linux-amd64, and sha256 for linux-arm64"]),
    ]:
        _tools_tag(name = "tools_%s_tag" % case, sha256 = sha256, tags = ["manual"], urls = {"linux-amd64": url})
        _fails_test(name = "tools_%s_test" % case, target_under_test = "tools_%s_tag" % case, texts = texts)
        tests.append("tools_%s_test" % case)
    _matches_test(name = "runtime_matches_test")
    _problem_test(name = "runtime_problem_test")
    _versions_test(name = "runtime_versions_test")
    native.test_suite(
        name = name,
        tests = tests + [
            "runtime_matches_test",
            "runtime_problem_test",
            "runtime_versions_test",
        ],
    )
