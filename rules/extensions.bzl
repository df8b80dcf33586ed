"""The `sycl` module extension: finds the device compilers of this machine, and fetches
DPC++'s runtime for programs that load SYCLBINs.

```starlark
sycl = use_extension("@rules_sycl//rules:extensions.bzl", "sycl")
sycl.local(llvm = "/opt/llvm-22", ocloc = "/opt/neo/bin/ocloc")  # optional
```

Without a tag, the newest of clang 22 and 21 is taken that comes with what turns
its output into SPIR-V. Looked at, in this order: the tag's folder, the folder in
the environment variable SYCL_LLVM_ROOT, Debian's /usr/lib/llvm-NN, PATH.

```starlark
sycl.runtime(version = "2026.2.0")
use_repo(sycl, "sycl_runtime")
```

gives `@sycl_runtime//:sycl` to the programs of the workspace.
"""

load("//rules/private:local_toolchain.bzl", "sycl_local_toolchain", "sycl_toolchains_hub")
load("//rules/private:sycl_runtime.bzl", "check_runtime", "sycl_runtime_repository")
load("//rules/private:sycl_runtime_versions.bzl", "DEFAULT_RUNTIME")

def _make_runtimes(tags):
    names = {}
    for tag in tags:
        check_runtime(tag.name, tag.version, tag.path)
        if tag.name in names or tag.name in ["sycl_local", "sycl_toolchains"]:
            fail("sycl.runtime: there is another repository with the name %r; give this one another" % tag.name)
        names[tag.name] = True
        sycl_runtime_repository(
            name = tag.name,
            apparent_name = tag.name,
            path = tag.path,
            version = tag.version or ("" if tag.path else DEFAULT_RUNTIME),
        )

def _sycl_impl(mctx):
    llvm = ""
    ocloc = ""
    for module in mctx.modules:
        if not module.is_root:
            # The root module decides what this machine's compilers and runtimes are.
            continue
        _make_runtimes(module.tags.runtime)
        for tag in module.tags.local:
            if llvm or ocloc:
                fail("sycl.local may be given once; it stands twice in the module " + module.name)
            llvm = tag.llvm
            ocloc = tag.ocloc
    sycl_local_toolchain(name = "sycl_local", llvm = llvm, ocloc = ocloc)
    sycl_toolchains_hub(name = "sycl_toolchains", toolchain = "@sycl_local//:toolchain")
    return mctx.extension_metadata(reproducible = True)

_local = tag_class(
    doc = "Where this machine's device compilers are. Only the root module's tag counts.",
    attrs = {
        "llvm": attr.string(doc = "Folder of an LLVM installation with bin/clang++ of version 21 or newer."),
        "ocloc": attr.string(doc = "Path of ocloc."),
    },
)

_runtime = tag_class(
    doc = """DPC++'s runtime, for host programs that load SYCLBINs. Only the root module's tags count.

```starlark
sycl = use_extension("@rules_sycl//rules:extensions.bzl", "sycl")
sycl.runtime(version = "2026.2.0")
use_repo(sycl, "sycl_runtime")
```

makes a repository with these targets:

| target | what it is |
|---|---|
| `@sycl_runtime//:sycl` | SYCL's headers and libsycl, for `deps` of a `cc_binary`; what libsycl loads comes along |
| `@sycl_runtime//:cpu_device` | all files of Intel's OpenCL CPU device, for `data` |
| `@sycl_runtime//:cpu_driver` | the library among them, for `OCL_ICD_FILENAMES` |
| `@sycl_runtime//:devices` | a program that lists the devices that the runtime finds |
| `@sycl_runtime` | all of it, for `runtime` of a `sycl_test` |

With `version`, the wheels of that release (400 to 480 MB) are fetched from PyPI when a
target that needs them is first built, by the `pip` of the installed `python3`, as the
machine has it set up; each has to have the checksum that rules_sycl has for it. Bazel's
repository cache keeps them. Without `python3` or `pip`, targets that use the runtime are
skipped by `bazel build //...`, and all others build.

The wheels are under Intel's licence (folder `licenses` of the repository), which whoever
uses them accepts. Your own pip fetches them; rules_sycl distributes nothing of them.
""",
    attrs = {
        "name": attr.string(
            default = "sycl_runtime",
            doc = "Name of the repository. The tag may be given several times, with different names.",
        ),
        "path": attr.string(doc = "Instead of `version`: a folder of this machine with `include/sycl` and `lib/libsycl.so`, such as `/opt/intel/oneapi/compiler/latest`, or the folder of a Python environment that the wheels are installed in. Intel's CPU device does not work from a path with spaces."),
        "version": attr.string(doc = "The release: `2026.2.0` (the default), `2026.0.0` or `2025.3.1`."),
    },
)

sycl = module_extension(
    implementation = _sycl_impl,
    doc = "Finds the device compilers of this machine, registers them as a toolchain, and fetches DPC++'s runtime.",
    tag_classes = {
        "local": _local,
        "runtime": _runtime,
    },
)
