"""The `sycl` module extension: finds the device compilers of this machine, and fetches
DPC++, as a compiler or as the runtime of programs that load SYCLBINs.
"""

load("//rules/private:cc_toolchain.bzl", "sycl_cc_repository")
load("//rules/private:local_toolchain.bzl", "sycl_local_toolchain")
load("//rules/private:prebuilt_tools.bzl", "make_prebuilt_tools", "tools_tag")
load("//rules/private:sycl_runtime.bzl", "check_runtime", "sycl_runtime_repository")
load("//rules/private:sycl_runtime_versions.bzl", "DEFAULT_RUNTIME")
load("//rules/private:toolchains_hub.bzl", "RESERVED_COMPILERS", "check_repository", "sycl_toolchains_hub")

def _make_runtimes(tags, kind, made):
    """Makes the repositories of all tags of a kind.

    Args:
        tags: the tags.
        kind: runtime or dpcpp.
        made: dict of the names of repositories -> kind, which this adds to.
    """
    for tag in tags:
        version = tag.version or ("" if tag.path else DEFAULT_RUNTIME)
        check_runtime(kind, tag.name, version, tag.path, tag.urls, tag.sha256)
        check_repository(kind, tag.name)
        if tag.name in made:
            fail("sycl.%s: the name %r is already that of another sycl.%s tag; give one of them another name%s" % (
                kind,
                tag.name,
                made[tag.name],
                ". The repository of a sycl.dpcpp has all targets of a sycl.runtime: the sycl.runtime tag can be left out" if made[tag.name] != kind else "",
            ))
        made[tag.name] = kind
        sycl_runtime_repository(
            name = tag.name,
            apparent_name = tag.name,
            compiler = kind == "dpcpp",
            path = tag.path,
            programs = "@sycl_local" if kind == "dpcpp" else "",
            sha256 = tag.sha256,
            urls = tag.urls,
            version = version,
        )

def _check_compiler(kind, name, known):
    """Fails when the name of a tag cannot be that of a device compiler.

    Args:
        kind: local or toolchain.
        name: the name.
        known: dict of names that are taken -> the kind of their tag.
    """
    if name in RESERVED_COMPILERS:
        fail("sycl.%s: the name %r is reserved; give the device compiler another name" % (kind, name))
    if name in known:
        fail("sycl.%s: the name %r is already that of another sycl.%s tag; give one of them another name" % (kind, name, known[name]))
    wrong = [c for c in name.elems() if not c.isalnum() and c not in "_.-"]
    if not name or wrong or not name[0].isalpha():
        fail("sycl.%s: the name %r is not one of a letter followed by letters, digits, '_', '.' and '-'" % (kind, name))
    known[name] = kind

def _local_tags(tags, made):
    """The sycl.local tags by the name of their device compiler, with clang.

    Args:
        tags: the tags.
        made: dict of the names of other compilers -> the kind of their tag, which this adds to.
    Returns:
        dict of name -> struct(repository, llvm, ocloc).
    """
    clang = struct(repository = "sycl_local", llvm = "", ocloc = "")
    named = {}
    unnamed = False
    for tag in tags:
        if tag.name:
            _check_compiler("local", tag.name, made)
            named[tag.name] = struct(repository = "sycl_local_" + tag.name, llvm = tag.llvm, ocloc = tag.ocloc)
            continue
        if unnamed:
            fail("sycl.local: two tags have no name; give one of them a name, by which --@rules_sycl//rules/settings:device_compiler chooses it")
        unnamed = True
        clang = struct(repository = "sycl_local", llvm = tag.llvm, ocloc = tag.ocloc)
    return {"clang": clang} | named

def _names_of_libraries(modules):
    """Returns the names of repositories with a runtime that modules other than the root ask for."""
    return {
        tag.name: None
        for module in modules
        if not module.is_root
        for tag in module.tags.runtime + module.tags.dpcpp
    }.keys()

def _sycl_alias_impl(rctx):
    rctx.file("BUILD.bazel", """# Made by the sycl module extension.
alias(
    name = "sycl",
    actual = "@sycl_toolchains//:sycl",
    tags = ["manual"],
    visibility = ["//visibility:public"],
)
""")

_sycl_alias = repository_rule(
    implementation = _sycl_alias_impl,
    doc = "The repository of a tag of a module that is not the root: its libsycl is the root's.",
)

def _sycl_impl(mctx):
    local = _local_tags([], {})
    toolchains = {}
    made = {}
    make_prebuilt_tools([tag for module in mctx.modules if module.is_root for tag in module.tags.tools])
    for module in mctx.modules:
        if not module.is_root:
            # Only the root module chooses compilers and runtimes.
            continue
        _make_runtimes(module.tags.runtime, "runtime", made)
        _make_runtimes(module.tags.dpcpp, "dpcpp", made)
        compilers = dict(made)
        local = _local_tags(module.tags.local, compilers)
        for tag in module.tags.toolchain:
            _check_compiler("toolchain", tag.name, compilers)
            toolchains[tag.name] = str(tag.toolchain)
    for name in _names_of_libraries(mctx.modules):
        if name not in made:
            _sycl_alias(name = name)
    for tag in local.values():
        sycl_local_toolchain(name = tag.repository, llvm = tag.llvm, ocloc = tag.ocloc)
    sycl_cc_repository(name = "sycl_cc")
    sycl_toolchains_hub(
        name = "sycl_toolchains",
        dpcpp = [name for name, kind in made.items() if kind == "dpcpp"],
        local = {name: "@" + tag.repository for name, tag in local.items()},
        others = toolchains,
        runtimes = made.keys(),
    )
    return mctx.extension_metadata(reproducible = True)

_local = tag_class(
    doc = """Where this machine's device compilers are. Only the root module's tags count.

```starlark
sycl = use_extension("@rules_sycl//rules:extensions.bzl", "sycl")
sycl.local(llvm = "/opt/llvm-22", ocloc = "/opt/neo/bin/ocloc")
```

The tag is optional. LLVM is looked for in the folder `llvm`, else in that of the
environment variable `SYCL_LLVM_ROOT`, else in Debian's `/usr/lib/llvm-NN` and among
programs in `PATH` with a version in the name, such as `clang++-22`. LLVM 22 comes before
LLVM 21, and a version that has all of `clang++`, `llvm-dis`, `llvm-link`, `llvm-spirv` and
`opt` before one that lacks some. A version that cannot make SPIR-V, by `llvm-spirv` or
`llc`, is not taken.

The tag without a name is for the device compiler `clang`. A tag with a name adds another
one, so that several versions exist side by side:

```starlark
sycl.local(name = "llvm-21", llvm = "/usr/lib/llvm-21")
sycl.local(name = "llvm-22", llvm = "/usr/lib/llvm-22")
```

`--@rules_sycl//rules/settings:device_compiler=llvm-22` chooses one for a build, and the
attribute `device_compiler` for a target. A folder is looked at when its compiler is chosen.
""",
    attrs = {
        "name": attr.string(doc = "Name of a further device compiler. Without it, the tag is for `clang`."),
        "llvm": attr.string(doc = "Folder of an LLVM installation with `bin/clang++` of version 21 or newer."),
        "ocloc": attr.string(doc = "Path of `ocloc`. Without it, `ocloc` from `PATH`."),
    },
)

_toolchain = tag_class(
    doc = """A [sycl_toolchain](#sycl_toolchain) of your own. Only the root module's tags count.

```starlark
sycl.toolchain(name = "oneapi", toolchain = "//toolchains:oneapi")
```

`--@rules_sycl//rules/settings:device_compiler=oneapi` chooses it for a build, and the
attribute `device_compiler` for a target. Without a name, the toolchain of an ordinary
`toolchain` target that `register_toolchains` names comes before those of the extension:
where its constraints match, `device_compiler` chooses nothing.
[docs/build/toolchains.md](../build/toolchains.md) has an example.
""",
    attrs = {
        "name": attr.string(doc = "Name of the device compiler.", mandatory = True),
        "toolchain": attr.label(doc = "The `sycl_toolchain`.", mandatory = True),
    },
)

_WHEEL_ATTRS = {
    "sha256": attr.string_dict(doc = "Wheel -> SHA-256 of the file that `urls` names. Needed when the file is not the one of PyPI."),
    "urls": attr.string_dict(doc = "Wheel, such as `intel-sycl-rt` -> URL of a mirror to fetch it from, in place of pip. When all wheels of the release have a URL, pip is not needed."),
}

_runtime = tag_class(
    doc = """DPC++'s runtime, for host programs that load SYCLBINs. Only the root module's tags count.

```starlark
sycl = use_extension("@rules_sycl//rules:extensions.bzl", "sycl")
sycl.runtime(version = "2026.2.0")
use_repo(sycl, "sycl_runtime")
```

This makes a repository with these targets:

| target | what it is |
|---|---|
| `@sycl_runtime//:sycl` | SYCL's headers and libsycl with all that it loads, and Intel's OpenCL CPU device, for `deps` of a `cc_binary` |
| `@sycl_runtime//:cpu_device` | all files of that device, for `data` of programs that do not depend on `:sycl` |
| `@sycl_runtime//:cpu_driver` | the library among them, for `OCL_ICD_FILENAMES` |
| `@sycl_runtime//:devices` | a program that lists the devices that the runtime finds |
| `@sycl_runtime` | all of it, for `runtime` of a `sycl_test` |

With `version`, the wheels of that release (400 to 480 MB) are fetched from PyPI when a
target that needs them is first built. The `pip` of the installed `python3` fetches them,
with the machine's settings. Each wheel must have the checksum that rules_sycl has for it.
Bazel's repository cache keeps them. Without `python3` or `pip`, `bazel build //...` skips
the targets that use the runtime, and builds all others.

The wheels are under Intel's license (folder `licenses` of the repository): who uses them
accepts it. Your own pip fetches them. rules_sycl distributes nothing of them.
""",
    attrs = {
        "name": attr.string(
            default = "sycl_runtime",
            doc = "Name of the repository. The tag may be given several times, with different names.",
        ),
        "path": attr.string(doc = "Instead of `version`: a folder of this machine with `include/sycl` and `lib/libsycl.so`, such as `/opt/intel/oneapi/compiler/latest`, or the folder of a Python environment with the wheels. Intel's CPU device does not work from a path with spaces."),
        "version": attr.string(doc = "The release: `2026.2.0` (the default), `2026.0.0` or `2025.3.1`."),
    } | _WHEEL_ATTRS,
)

_dpcpp = tag_class(
    doc = """DPC++, Intel's SYCL compiler, as the device compiler, with its runtime. Only the root module's tags count.

```starlark
sycl = use_extension("@rules_sycl//rules:extensions.bzl", "sycl")
sycl.dpcpp(version = "2026.2.0")
```

Nothing else needs to be installed. The compiler is in `libsycl-jit`, the library with
which the runtime compiles SYCL source. It compiles ordinary SYCL, with
`#include <sycl/sycl.hpp>`, to SPIR-V. The machine's `ocloc` compiles that for Intel GPUs.

DPC++ becomes the device compiler of all targets. With several `sycl.dpcpp` tags, it is
that of the first. The flag `--@rules_sycl//rules/settings:device_compiler` and the
attribute `device_compiler` of a target choose another one: the name of a tag, or `clang`
for the machine's clang. What is not used is not fetched.

The repository has all targets of [sycl.runtime](#syclruntime), so that no `sycl.runtime`
tag is needed: after `use_repo(sycl, "sycl_dpcpp")`, `@sycl_dpcpp//:sycl` is for `deps` of
a `cc_binary`, and `@sycl_dpcpp` for `runtime` of a `sycl_test`. `@sycl_dpcpp//:toolchain`
is the [sycl_toolchain](#sycl_toolchain).

The wheels (450 to 480 MB, 250 MB more on disk than the runtime alone) are fetched like
those of `sycl.runtime`. Before the first compile, the action `SyclCompilerCheck` compiles
one kernel and checks the result. Without `pip`, `bazel build //...` skips targets
that need the compiler. For one that is asked for by name, the error says what to do.

**License.** The wheels are under Intel's End User License Agreement for Developer Tools
(folder `licenses` of the repository): who uses them accepts it. It lets you make internal
copies and use them to develop your product. It does not let you pass them on:
`libsycl-jit` is not in its list of files that may be redistributed. Your own pip fetches
them, and rules_sycl distributes nothing of them. Do not put the repository into an image
or a cache that others can read. Intel documents the library as part of the runtime, not
as a tool that compiles whole programs. Therefore versions are pinned, each wheel must
have the checksum that rules_sycl has for it, and the check reports when the compiler does
not work. A `path` to a build of the open-source
[intel/llvm](https://github.com/intel/llvm) does the same under its license, Apache 2.0
with LLVM exceptions.
""",
    attrs = {
        "name": attr.string(
            default = "sycl_dpcpp",
            doc = "Name of the repository, and of the device compiler. The tag may be given several times, with different names.",
        ),
        "path": attr.string(doc = "Instead of `version`: a folder of this machine with `include/sycl`, `lib/libsycl.so` and `lib/libsycl-jit.so`: an installation such as `/opt/intel/oneapi/compiler/latest`, a build of intel/llvm, or the folder of a Python environment with the wheels."),
        "version": attr.string(doc = "The release: `2026.2.0` (the default) or `2026.0.0`. The wheels of 2025.3.1 lack parts of the compiler."),
    } | _WHEEL_ATTRS,
)

sycl = module_extension(
    implementation = _sycl_impl,
    doc = "Finds the device compilers of this machine, fetches DPC++ and its runtime, and registers toolchains.",
    tag_classes = {
        "dpcpp": _dpcpp,
        "local": _local,
        "runtime": _runtime,
        "toolchain": _toolchain,
        "tools": tools_tag,
    },
)
