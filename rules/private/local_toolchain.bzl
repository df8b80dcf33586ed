"""The repository @sycl_local of the `sycl` extension: the programs found on this machine."""

load(":reason.bzl", "NOTHING")

# Versions of clang that compile SYCL, newest first. Debian keeps each in a folder of its own.
_VERSIONS = ["22", "21"]

# Versions that read bitcode of DPC++ 2026, newest first: DPC++ is ahead of the last release of LLVM.
_READERS = ["23", "22"]

# The programs that clang++ needs beside it: llvm-spirv reads only bitcode of its own version.
_BESIDE_CLANG = {
    "llvm_dis": "llvm-dis",
    "llvm_link": "llvm-link",
    "llvm_spirv": "llvm-spirv",
    "opt": "opt",
}

# Those of them that read DPC++'s bitcode.
_READ = ["llvm_dis", "llvm_link", "opt"]

def _run(rctx, args):
    result = rctx.execute(args)
    return result.stdout.strip() if result.return_code == 0 else ""

def _major(rctx, program):
    """Major version of an LLVM program, 0 when it does not run."""
    said = _run(rctx, [program, "--version"]).replace("\n", " ").split(" ")
    for i in range(len(said) - 1):
        major = said[i + 1].split(".")[0]
        if said[i] == "version" and major.isdigit():
            return int(major)
    return 0

def _file(rctx, path, seen):
    """A path when something is there, or empty. Adds it to the list of those looked at."""
    seen.append(path)
    return path if rctx.path(path).exists else ""

def which(rctx, names, seen):
    """Path of the first program that is in PATH, or empty.

    Args:
        rctx: the repository context.
        names: list of names.
        seen: list of the paths looked at, to which this adds.
    Returns:
        string.
    """
    folders = [f for f in rctx.getenv("PATH", "").split(":") if f.startswith("/")]
    for name in names:
        found = str(rctx.which(name) or "")
        for folder in folders:
            path = folder + "/" + name
            seen.append(path)
            if path == found:
                break
        if found:
            return found
    return ""

# Prints those of some paths that Bazel can watch: it fails for a file or a folder that it
# may not read, such as a folder of another user in PATH.
_WATCHABLE = """
for path; do
  folder=${path%/*}
  while test "$folder" && ! test -e "$folder"; do folder=${folder%/*}; done
  if test -x "${folder:-/}" && { test -r "$path" || ! test -e "$path"; }; then
    printf '%s\\n' "$path"
  fi
done
"""

def watch_all(rctx, paths):
    """Makes Bazel run the repository rule again when one of the files appears or changes.

    Looking for a file does not do that.

    Args:
        rctx: the repository context.
        paths: list of absolute paths.
    """
    paths = {path: None for path in paths if path.startswith("/")}.keys()

    # A PATH in which a program is missing can lack sh as well.
    for path in _run(rctx, ["/bin/sh", "-c", _WATCHABLE, "sh"] + paths).split("\n"):
        if path:
            rctx.watch(path)

def _libraries(rctx):
    """Paths of the shared libraries that the loader knows; empty without ldconfig."""

    # ldconfig is in a folder that is not in every PATH.
    listing = _run(rctx, ["sh", "-c", "PATH=$PATH:/usr/sbin:/sbin ldconfig -p"])
    return [line.split(" => ")[1] for line in listing.split("\n") if " => " in line]

def _named(rctx):
    """The folder that the user names: list of (folder, version, why)."""
    named = rctx.attr.llvm or rctx.getenv("SYCL_LLVM_ROOT", "")
    return [(named, "", "named by " + ("sycl.local" if rctx.attr.llvm else "SYCL_LLVM_ROOT"))] if named else []

def _debian(versions):
    """Debian's folders: list of (folder, version, why)."""
    return [("/usr/lib/llvm-" + v, v, "Debian's llvm-" + v) for v in versions]

def _program(rctx, folder, name, version, seen):
    """Path of a program in a folder, or of that version in PATH, or empty."""
    return _file(rctx, folder + "/bin/" + name, seen) or (which(rctx, [name + "-" + version], seen) if version else "")

def _look(rctx, folder, version, why, log, seen):
    """Looks in a folder for clang++ and what it needs.

    Args:
        rctx: the repository context.
        folder: an LLVM installation.
        version: its version, empty when it is not known.
        why: why this folder is tried, for the log.
        log: list of lines that say what was tried, to which this adds.
        seen: list of the paths looked at, to which this adds.
    Returns:
        None without clang++, else struct(found, lacking, makes_spirv): dict of program ->
        path, list of the names of missing programs, and whether a program turns clang's
        output into SPIR-V.
    """
    clang = _program(rctx, folder, "clang++", version, seen)
    if not clang:
        log.append("no bin/clang++ in %s (%s)" % (folder, why))
        return None
    major = _major(rctx, clang)
    if major < 21:
        log.append("%s is version %d, 21 or newer is needed" % (clang, major))
        return None
    found = {"clang": clang}
    lacking = []
    for attribute, name in _BESIDE_CLANG.items() + [("llc", "llc")]:
        path = _program(rctx, folder, name, str(major) if name == "llvm-spirv" else version, seen)
        if path:
            found[attribute] = path
        elif name != "llc":
            lacking.append("%s-%d" % (name, major))
    lld = _program(rctx, folder, "ld.lld", version, seen) or which(rctx, ["ld.lld"], seen)
    if lld:
        found["lld"] = lld
    libclc = _file(rctx, "/usr/lib/clc/nvptx64--.bc", seen)
    if libclc:
        found["libclc"] = libclc

    # Without a target for SPIR-V, llc is still for NVIDIA and AMD GPUs.
    llc = "llc" in found and "spirv64" in _run(rctx, [found["llc"], "--version"])
    log.append("%s is version %d (%s)%s" % (clang, major, why, ", without " + ", ".join(lacking) if lacking else ""))
    makes_spirv = llc or "llvm_spirv" in found
    if not makes_spirv:
        log.append("%s has neither llvm-spirv-%d nor an llc with a SPIR-V target beside it" % (clang, major))
    return struct(found = found, lacking = lacking, makes_spirv = makes_spirv)

def find_llvm(rctx):
    """Finds the LLVM programs: the newest version that has all of them.

    Without such a version, the one that makes SPIR-V and lacks the fewest programs.

    Args:
        rctx: the repository context.
    Returns:
        struct(found, log, seen): dict of program -> path, a list of lines that say what was
        tried, and a list of the paths looked at.
    """
    log = []
    seen = []
    best = None
    for folder, version, why in _named(rctx) or _debian(_VERSIONS):
        llvm = _look(rctx, folder, version, why, log, seen)
        if llvm and llvm.makes_spirv and (not best or len(llvm.lacking) < len(best.lacking)):
            best = llvm
    if not best:
        return struct(found = {}, log = log, seen = seen)
    log.append("taken: %s%s" % (
        best.found["clang"],
        ", as no version has all; it lacks " + ", ".join(best.lacking) if best.lacking else "",
    ))
    return struct(found = best.found, log = log, seen = seen)

def find_readers(rctx):
    """Finds the LLVM programs that read bitcode of DPC++ 2026.

    Args:
        rctx: the repository context.
    Returns:
        struct(found, log, seen), as find_llvm returns it; all programs of one version, or none.
    """
    log = []
    seen = []
    for folder, version, why in _named(rctx) + _debian(_READERS):
        found = {a: _program(rctx, folder, _BESIDE_CLANG[a], version, seen) for a in _READ}
        lacking = [_BESIDE_CLANG[a] for a in _READ if not found[a]]
        if lacking:
            log.append("%s has no %s (%s)" % (folder, ", ".join(lacking), why))
            continue
        major = _major(rctx, found["llvm_dis"])
        log.append("%s is version %d (%s)" % (found["llvm_dis"], major, why))
        if major >= int(_READERS[-1]):
            return struct(found = found, log = log, seen = seen)
    return struct(found = {}, log = log, seen = seen)

# ocloc opens the graphics compiler's libraries by name at run time.
_OPENED_BY_OCLOC = ["libigc", "libigdfcl", "libocloc", "libopencl-clang"]

def write_stamp(rctx, file, path, opened = []):
    """Writes a file that identifies a program and its libraries.

    Args:
        rctx: the repository context.
        file: the file's path.
        path: where the program is.
        opened: list of the libraries that it opens by name. The loader can list some that
            are deleted.
    """
    libraries = list(opened)
    for line in _run(rctx, ["ldd", path]).split("\n"):
        for word in line.strip().split(" "):
            # libc and the like do not change what these programs write.
            if word.startswith("/") and [k for k in ["LLVM", "clang", "SPIRV", "igc", "ocloc"] if k in word]:
                libraries.append(word)
    lines = [path, _run(rctx, [path, "--version"]).split("\n")[0]]
    files = [path] + sorted({f: None for f in libraries}.keys())
    for f in files:
        # Bazel follows links, so that it notices one that leads elsewhere.
        rctx.watch(f)
    files = [f for f in files if rctx.path(f).exists]
    sums = _run(rctx, ["sha256sum"] + files)
    if not sums:
        fail("cannot compute checksums of %s: is sha256sum in PATH, and can the files be read?" % ", ".join(files))
    rctx.file(file, "\n".join(lines + [sums]) + "\n")

# In a folder, writes the checksum of the names and contents of all files in and below it.
_SUM_OF_FOLDER = """
for program in find sort xargs sha256sum; do
  command -v $program > /dev/null || { echo "no $program" >&2; exit 1; }
done
cd "$0" && find -L . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum | sha256sum
"""

def searched_folders(said):
    """The folders in which a compiler looks for headers.

    Args:
        said: what clang or GCC prints with -v.
    Returns:
        list of paths.
    """
    folders = []
    listed = False
    for line in said.split("\n"):
        if line.startswith("#include <...>"):
            listed = True
        elif line.startswith("End of search list"):
            break
        elif listed and line.startswith(" "):
            folders.append(line.strip())
    return folders

def write_headers_stamp(rctx, file, command):
    """Writes a file that identifies the headers that a compiler finds on its own.

    It has a checksum of each folder, and nothing that differs between machines with the
    same headers, such as times.

    Args:
        rctx: the repository context.
        file: the file's path.
        command: the compiler with its options.
    Returns:
        why there is no file, or empty.
    """
    result = rctx.execute(command + ["-E", "-x", "c++", "-v", "/dev/null"], environment = {"LC_ALL": "C"})
    folders = {str(rctx.path(folder).realpath): None for folder in searched_folders(result.stderr)}.keys()
    if not folders:
        return "%s lists no folders in which it looks for headers: %s" % (command[0], result.stderr.strip())
    lines = []
    for folder in folders:
        if [f for f in folders if folder.startswith(f + "/")]:
            continue
        rctx.watch_tree(folder)
        result = rctx.execute(["sh", "-c", _SUM_OF_FOLDER, folder])
        if result.return_code != 0:
            fail("cannot compute a checksum of the headers in %s: are find, sort, xargs and sha256sum in PATH? %s" % (folder, result.stderr.strip()))
        lines.append("%s %s" % (folder, result.stdout.split(" ")[0]))
    rctx.file(file, "\n".join(lines) + "\n")
    return ""

def _target(name, found, missing, below, headers = "", base = ""):
    """A sycl_toolchain and its programs as lines of a BUILD file.

    Args:
        name: the toolchain's name.
        found: dict of attribute -> path of the program.
        missing: dict of attribute -> why it is missing.
        below: what the names of the programs and the paths of their stamps begin with.
        headers: the stamp of the headers, or empty.
        base: label of the base, or empty.
    Returns:
        list of lines.
    """
    lines = []
    for program in sorted(found):
        lines += [
            "",
            "sycl_local_program(",
            "    name = %r," % (below + program),
            "    path = %r," % found[program],
            "    stamps = [%r]," % _stamp(below + program),
            '    visibility = ["//visibility:public"],',
            ")",
        ]
    return lines + [
        "",
        "sycl_toolchain(",
        "    name = %r," % name,
        "    base = %s," % (repr(base) if base else None),
        "    headers = %r," % ([headers] if headers else []),
        "    missing = %r," % missing,
        '    visibility = ["//visibility:public"],',
    ] + ["    %s = %r," % (program, ":" + below + program) for program in sorted(found)] + [")"]

def _stamp(name):
    return "stamps/%s.txt" % name

def host_compilers(rctx, seen):
    """The compilers that can be that of Bazel's C++ toolchain, in the order in which it looks.

    Args:
        rctx: the repository context.
        seen: list of the paths looked at, to which this adds.
    Returns:
        list of paths.
    """
    named = rctx.getenv("CC", "").strip()
    if "/" in named:
        found = _file(rctx, named, seen) if named.startswith("/") else ""
    else:
        found = which(rctx, [named], seen) if named else ""
    others = [which(rctx, [name], seen) for name in ["gcc", "c++", "g++", "clang++"]]
    return [path for path in [found] + others if path]

def write_host_headers(rctx, file, seen):
    """Writes the stamp of the headers of the C++ compiler.

    Args:
        rctx: the repository context.
        file: the file's path.
        seen: list of the paths looked at, to which this adds.
    Returns:
        the file's path, empty without a compiler.
    """
    for compiler in host_compilers(rctx, seen):
        # A variable can name a program that is no compiler on its own, such as ccache.
        if not write_headers_stamp(rctx, file, [compiler]):
            return file
    return ""

def _reason(missing):
    """Why targets that need the device compiler are skipped."""
    if missing:
        return "there is no SYCL device compiler. clang++ 21 or newer is missing - %s. Install it (Debian - clang-21) or name its folder by sycl.local or SYCL_LLVM_ROOT" % missing
    return NOTHING

def opened_by_ocloc(rctx, known, given):
    """The libraries that ocloc opens by name.

    Args:
        rctx: the repository context.
        known: list of the paths of shared libraries that the loader knows.
        given: the path of ocloc when the user names it, or empty: its libraries can then be
            beside it.
    Returns:
        list of paths.
    """
    libraries = list(known)
    if given:
        folder = str(rctx.path(given).realpath.dirname)
        for each in ["", "/../lib", "/../lib64", "/../lib/x86_64-linux-gnu"]:
            beside = rctx.path(folder + each)
            libraries += [str(f) for f in beside.readdir()] if beside.exists else []
    return [f for f in libraries if [k for k in _OPENED_BY_OCLOC if f.split("/")[-1].startswith(k)]]

def _find_other(rctx, found, missing, seen):
    """Finds spirv-val and ocloc. Adds to the first dicts, and to the list of paths looked at.

    Returns:
        the libraries that ocloc opens by name.
    """
    for attr, name, given in [("spirv_val", "spirv-val", ""), ("ocloc", "ocloc", rctx.attr.ocloc)]:
        path = _file(rctx, given, seen) if given else which(rctx, [name], seen)
        if path:
            found[attr] = path
        else:
            missing[attr] = "no %s %s" % (name, "at " + given if given else "in PATH")
    known = _libraries(rctx)
    opened = opened_by_ocloc(rctx, known, found.get("ocloc", "") if rctx.attr.ocloc else "")
    if "ocloc" in found and known and not [f for f in opened if "/libigc.so" in f and rctx.path(f).exists]:
        missing["ocloc"] = "%s exists, but the library libigc that it loads does not" % found.pop("ocloc")

        # What _libraries reads. It changes when a library is installed.
        seen += opened + ["/etc/ld.so.cache"]
    return opened

def build_file(own, with_dpcpp, why):
    """The BUILD file of the repository.

    Args:
        own: struct(found, missing, headers, log) of the toolchain that compiles with clang: dict
            of attribute -> path, dict of attribute -> why it is missing, the stamp of the
            headers or empty, and lines that say what was tried.
        with_dpcpp: the same of the toolchain for DPC++.
        why: why targets are skipped.
    Returns:
        string.
    """
    lines = [
        "# Made by the sycl module extension.",
        'load("@rules_sycl//rules:toolchain.bzl", "sycl_local_program", "sycl_toolchain")',
        'load("@rules_sycl//rules/private:reason.bzl", "reason")',
        "",
        "# " + "\n# ".join(own.log),
    ]
    lines += _target("toolchain", own.found, own.missing, "", own.headers)
    lines += ["", "# For DPC++ as the device compiler:", "# " + "\n# ".join(with_dpcpp.log)]
    lines += _target("with_dpcpp", with_dpcpp.found, with_dpcpp.missing, "dpcpp_", with_dpcpp.headers, base = ":toolchain")
    lines += ["", "reason(", '    name = "missing",', "    text = %r," % why, ")"]
    return "\n".join(lines) + "\n"

def other_system(name):
    """The BUILD file on a system without device compilers.

    Args:
        name: the system, as Bazel calls it.
    Returns:
        string.
    """
    why = "SYCL device code is compiled on Linux, and this machine runs %s" % name
    nothing = struct(
        found = {},
        missing = {attribute: why for attribute in ["clang", "llc", "lld", "ocloc", "spirv_val"] + _BESIDE_CLANG.keys()},
        headers = "",
        log = [why],
    )
    return build_file(nothing, struct(found = {}, missing = {attribute: why for attribute in _READ}, headers = "", log = [why]), why)

def _sycl_local_toolchain_impl(rctx):
    if rctx.os.name != "linux":
        rctx.file("BUILD.bazel", other_system(rctx.os.name))
        return
    llvm = find_llvm(rctx)
    readers = find_readers(rctx)
    seen = llvm.seen + readers.seen
    found = dict(llvm.found)
    missing = {name: "; ".join(llvm.log) for name in ["clang", "llc", "lld"] + _BESIDE_CLANG.keys() if name not in found}
    for attr, name in {"llc": "llc", "lld": "ld.lld"}.items():
        if attr in missing and "clang" in found:
            missing[attr] = "no %s beside %s%s" % (name, found["clang"], " or in PATH" if attr == "lld" else "")
    opened = _find_other(rctx, found, missing, seen)
    for name, path in found.items():
        write_stamp(rctx, _stamp(name), path, opened if name == "ocloc" else [])
    for name, path in readers.found.items():
        write_stamp(rctx, _stamp("dpcpp_" + name), path)
    headers = ""
    if "clang" in found:
        headers = _stamp("headers")
        problem = write_headers_stamp(rctx, headers, [found["clang"], "-fsycl", "-fsycl-device-only"])
        if problem:
            fail(problem)
    why = "DPC++'s bitcode needs version %s or newer; %s" % (_READERS[-1], "; ".join(readers.log))
    rctx.file("BUILD.bazel", build_file(
        struct(found = found, missing = missing, headers = headers, log = llvm.log),
        struct(
            found = readers.found,
            missing = {} if readers.found else {name: why for name in _READ},
            headers = write_host_headers(rctx, _stamp("dpcpp_headers"), seen),
            log = readers.log,
        ),
        _reason(missing.get("clang")),
    ))
    watch_all(rctx, seen)

sycl_local_toolchain = repository_rule(
    implementation = _sycl_local_toolchain_impl,
    doc = "Two sycl_toolchains of the programs found on this machine: one to compile with clang, and one for DPC++ to add itself to.",
    attrs = {
        "llvm": attr.string(),
        "ocloc": attr.string(),
    },
    configure = True,
    environ = ["CC", "PATH", "SYCL_LLVM_ROOT"],
    local = True,
)
