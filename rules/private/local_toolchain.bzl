"""The repository @sycl_local of the `sycl` extension: the programs found on this machine."""

# Newest first. Debian keeps each version in a folder of its own.
_VERSIONS = ["22", "21"]

def _run(rctx, args):
    result = rctx.execute(args)
    return result.stdout.strip() if result.return_code == 0 else ""

def _clang_version(rctx, clang):
    """Major version of a clang++, 0 when it does not run."""
    for word in _run(rctx, [clang, "--version"]).split("\n")[0].split(" "):
        major = word.split(".")[0]
        if "." in word and major.isdigit():
            return int(major)
    return 0

def _file(rctx, path):
    p = rctx.path(path)
    return str(p) if p.exists else ""

def _which(rctx, names):
    for name in names:
        p = rctx.which(name)
        if p:
            return str(p)
    return ""

def _libraries(rctx):
    """Paths of the shared libraries that the loader knows; empty when it cannot be asked."""

    # ldconfig is in a folder that is not in everybody's PATH.
    listing = _run(rctx, ["sh", "-c", "PATH=$PATH:/usr/sbin:/sbin ldconfig -p"])
    return [line.split(" => ")[1] for line in listing.split("\n") if " => " in line]

def _candidates(rctx):
    """Folders with an LLVM installation, in the order of preference: (folder, version, why)."""
    named = rctx.attr.llvm or rctx.getenv("SYCL_LLVM_ROOT", "")
    if named:
        return [(named, "", "named by " + ("sycl.local" if rctx.attr.llvm else "SYCL_LLVM_ROOT"))]
    return [("/usr/lib/llvm-" + v, v, "Debian's llvm-" + v) for v in _VERSIONS]

def _find(rctx):
    """Finds the programs.

    Args:
        rctx: the repository context.
    Returns:
        found: dict of program -> path; log: list of lines that say what was looked at.
    """
    log = []
    for folder, version, why in _candidates(rctx):
        clang = _file(rctx, folder + "/bin/clang++") or (_which(rctx, ["clang++-" + version]) if version else "")
        if not clang:
            log.append("no bin/clang++ in %s (%s)" % (folder, why))
            continue
        major = _clang_version(rctx, clang)
        if major < 21:
            log.append("%s is version %d, 21 or newer is needed" % (clang, major))
            continue
        found = {"clang": clang}
        for attr, name in [("llvm_link", "llvm-link"), ("llvm_dis", "llvm-dis"), ("opt", "opt"), ("llc", "llc")]:
            path = _file(rctx, folder + "/bin/" + name)
            if path:
                found[attr] = path

        # The translator reads only bitcode of its own LLVM version.
        translator = _file(rctx, folder + "/bin/llvm-spirv") or _which(rctx, ["llvm-spirv-%d" % major])
        if translator:
            found["llvm_spirv"] = translator
        elif "llc" not in found or "spirv64" not in _run(rctx, [found["llc"], "--version"]):
            log.append("%s has neither llvm-spirv-%d nor an llc with a SPIR-V target beside it" % (clang, major))
            continue
        log.append("%s is version %d (%s)" % (clang, major, why))
        return found, log
    return {}, log

def _stamp(rctx, name, path):
    """Writes stamps/NAME.txt: what identifies a program, its libraries included."""
    libraries = []
    for line in _run(rctx, ["ldd", path]).split("\n"):
        for word in line.strip().split(" "):
            # libc and its like change nothing in what these programs write.
            if word.startswith("/") and [k for k in ["LLVM", "clang", "SPIRV", "igc", "ocloc"] if k in word]:
                libraries.append(word)
    if name == "ocloc":
        # ocloc opens the graphics compiler's libraries by name at run time.
        for library in _libraries(rctx):
            name_of_file = library.split("/")[-1]
            if [k for k in ["libigc", "libigdfcl", "libopencl-clang", "libocloc"] if name_of_file.startswith(k)]:
                libraries.append(library)
    lines = [path, _run(rctx, [path, "--version"]).split("\n")[0]]
    files = [path] + sorted({f: None for f in libraries}.keys())
    for f in files:
        rctx.watch(rctx.path(f).realpath)
    sums = _run(rctx, ["sha256sum"] + files)
    if not sums:
        fail("cannot read %s to tell its version: is sha256sum there?" % ", ".join(files))
    rctx.file("stamps/%s.txt" % name, "\n".join(lines + [sums]) + "\n")

def _sycl_local_toolchain_impl(rctx):
    found, log = _find(rctx)
    for attr, name, given in [("spirv_val", "spirv-val", ""), ("ocloc", "ocloc", rctx.attr.ocloc)]:
        path = _file(rctx, given) if given else _which(rctx, [name])
        if path:
            found[attr] = path
        else:
            log.append("no %s %s" % (name, "at " + given if given else "in PATH"))
    known = _libraries(rctx)
    if "ocloc" in found and known and not [f for f in known if "/libigc.so" in f]:
        log.append("%s is there but the library libigc that it loads is not" % found.pop("ocloc"))
    looked = "; ".join(log)

    for name, path in found.items():
        _stamp(rctx, name, path)
    lines = [
        "# Made by the sycl module extension.",
        "# " + "\n# ".join(log),
        'load("@rules_sycl//rules:toolchain.bzl", "sycl_toolchain")',
        "",
        "sycl_toolchain(",
        '    name = "toolchain",',
    ]
    missing = {}
    for name in ["clang", "llc", "llvm_dis", "llvm_link", "llvm_spirv", "ocloc", "opt", "spirv_val"]:
        if name in found:
            lines.append("    %s = %r," % (name, found[name]))
        else:
            missing[name] = looked
    lines += [
        "    missing = %r," % missing,
        "    stamps = %r," % {"stamps/%s.txt" % name: name for name in sorted(found)},
        '    visibility = ["//visibility:public"],',
        ")",
    ]
    rctx.file("BUILD.bazel", "\n".join(lines) + "\n")

sycl_local_toolchain = repository_rule(
    implementation = _sycl_local_toolchain_impl,
    doc = "A sycl_toolchain of the programs found on this machine.",
    attrs = {
        "llvm": attr.string(),
        "ocloc": attr.string(),
    },
    configure = True,
    environ = ["PATH", "SYCL_LLVM_ROOT"],
    local = True,
)
