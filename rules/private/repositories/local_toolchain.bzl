"""The repository @sycl_local of the `sycl` extension, with the programs that are installed."""

load("//rules/private/toolchain:reason.bzl", "NOTHING")

# Versions of clang that compile SYCL, newest first. Debian installs each in a separate directory.
_VERSIONS = ["22", "21"]

# Versions that read DPC++ 2026's bitcode, newest first. DPC++ is ahead of LLVM's latest release.
_READERS = ["23", "22"]

# The programs that clang++ needs next to it: llvm-spirv reads only bitcode of its own version.
_BESIDE_CLANG = {
    "llvm_dis": "llvm-dis",
    "llvm_link": "llvm-link",
    "llvm_spirv": "llvm-spirv",
    "opt": "opt",
}

# The LLVM programs that read DPC++'s bitcode.
_READ = ["llvm_dis", "llvm_link", "opt"]

def _run(rctx, args):
    result = rctx.execute(args)
    return result.stdout.strip() if result.return_code == 0 else ""

def _major(rctx, program):
    """Returns the major version of an LLVM program, or 0 if it does not run."""
    said = _run(rctx, [program, "--version"]).replace("\n", " ").split(" ")
    for i in range(len(said) - 1):
        major = said[i + 1].split(".")[0]
        if said[i] == "version" and major.isdigit():
            return int(major)
    return 0

def _file(rctx, path, seen):
    """Returns a path if it exists, or an empty string. Adds it to the list of checked paths."""
    seen.append(path)
    return path if rctx.path(path).exists else ""

def which(rctx, names, seen):
    """Returns the path of the first program that is in PATH, or an empty string.

    Args:
        rctx: the repository context.
        names: list of names.
        seen: list of checked paths, to which the function adds paths.
    Returns:
        string.
    """
    directories = [f for f in rctx.getenv("PATH", "").split(":") if f.startswith("/")]
    for name in names:
        found = str(rctx.which(name) or "")
        for directory in directories:
            path = directory + "/" + name
            seen.append(path)
            if path == found:
                break
        if found:
            return found
    return ""

# Prints the paths that Bazel can watch. Bazel fails for a file or a directory that it is not
# allowed to read, such as another user's directory in PATH.
_WATCHABLE = """
for path; do
  directory=${path%/*}
  while test "$directory" && ! test -e "$directory"; do directory=${directory%/*}; done
  if test -x "${directory:-/}" && { test -r "$path" || ! test -e "$path"; }; then
    printf '%s\\n' "$path"
  fi
done
"""

def watch_all(rctx, paths):
    """Makes Bazel run the repository rule again if one of the files appears or changes.

    Checking whether a file exists does not do that.

    Args:
        rctx: the repository context.
        paths: list of absolute paths.
    """
    paths = {path: None for path in paths if path.startswith("/")}.keys()

    # A PATH in which a program is missing may lack sh, too.
    for path in _run(rctx, ["/bin/sh", "-c", _WATCHABLE, "sh"] + paths).split("\n"):
        if path:
            rctx.watch(path)

def _libraries(rctx):
    """Returns the paths of the shared libraries in the loader's cache; empty without ldconfig."""

    # ldconfig is in a directory that is not in every PATH.
    listing = _run(rctx, ["sh", "-c", "PATH=$PATH:/usr/sbin:/sbin ldconfig -p"])
    return [line.split(" => ")[1] for line in listing.split("\n") if " => " in line]

def _named(rctx):
    """Returns the directory that the user sets: list of (directory, version, why)."""
    named = rctx.attr.llvm or rctx.getenv("SYCL_LLVM_ROOT", "")
    return [(named, "", "named by " + ("sycl.local" if rctx.attr.llvm else "SYCL_LLVM_ROOT"))] if named else []

def _debian(versions):
    """Returns Debian's directories: list of (directory, version, why)."""
    return [("/usr/lib/llvm-" + v, v, "Debian's llvm-" + v) for v in versions]

def _program(rctx, directory, name, version, seen):
    """Returns the path of a program in a directory, or of that version in PATH, or an empty string."""
    return _file(rctx, directory + "/bin/" + name, seen) or (which(rctx, [name + "-" + version], seen) if version else "")

def _look(rctx, directory, version, why, log, seen):
    """Searches a directory for clang++ and the programs that it needs.

    Args:
        rctx: the repository context.
        directory: an LLVM installation.
        version: its version. Empty if it is not known.
        why: why this directory is checked, for the log.
        log: list of lines that describe what was checked, to which the function adds lines.
        seen: list of checked paths, to which the function adds paths.
    Returns:
        None without clang++, else struct(found, lacking, makes_spirv): dict of program ->
        path, list of the names of missing programs, and whether a program translates clang's
        output to SPIR-V.
    """
    clang = _program(rctx, directory, "clang++", version, seen)
    if not clang:
        log.append("no bin/clang++ in %s (%s)" % (directory, why))
        return None
    major = _major(rctx, clang)
    if major < 21:
        log.append("%s is version %d, but 21 or newer is required" % (clang, major))
        return None
    found = {"clang": clang}
    lacking = []
    for attribute, name in _BESIDE_CLANG.items() + [("llc", "llc")]:
        path = _program(rctx, directory, name, str(major) if name == "llvm-spirv" else version, seen)
        if path:
            found[attribute] = path
        elif name != "llc":
            lacking.append("%s-%d" % (name, major))
    lld = _program(rctx, directory, "ld.lld", version, seen) or which(rctx, ["ld.lld"], seen)
    if lld:
        found["lld"] = lld
    libclc = _file(rctx, "/usr/lib/clc/nvptx64--.bc", seen)
    if libclc:
        found["libclc"] = libclc

    # Without a SPIR-V target, llc is still used for NVIDIA and AMD GPUs.
    llc = "llc" in found and "spirv64" in _run(rctx, [found["llc"], "--version"])
    log.append("%s is version %d (%s)%s" % (clang, major, why, ", without " + ", ".join(lacking) if lacking else ""))
    makes_spirv = llc or "llvm_spirv" in found
    if not makes_spirv:
        log.append("%s has neither llvm-spirv-%d nor an llc with a SPIR-V target next to it" % (clang, major))
    return struct(found = found, lacking = lacking, makes_spirv = makes_spirv)

def find_llvm(rctx):
    """Finds the LLVM programs of the newest version that has all of them.

    If no version has all of them, finds the version that generates SPIR-V and lacks the fewest.

    Args:
        rctx: the repository context.
    Returns:
        struct(found, log, seen): dict of program -> path, a list of lines that describe what was
        checked, and a list of the checked paths.
    """
    log = []
    seen = []
    best = None
    for directory, version, why in _named(rctx) or _debian(_VERSIONS):
        llvm = _look(rctx, directory, version, why, log, seen)
        if llvm and llvm.makes_spirv and (not best or len(llvm.lacking) < len(best.lacking)):
            best = llvm
    if not best:
        return struct(found = {}, log = log, seen = seen)
    log.append("selected: %s%s" % (
        best.found["clang"],
        ", because no version has all programs; it lacks " + ", ".join(best.lacking) if best.lacking else "",
    ))
    return struct(found = best.found, log = log, seen = seen)

def find_readers(rctx):
    """Finds the LLVM programs that read DPC++ 2026's bitcode.

    Args:
        rctx: the repository context.
    Returns:
        struct(found, log, seen), as in find_llvm: either all programs of one version, or none.
    """
    log = []
    seen = []
    for directory, version, why in _named(rctx) + _debian(_READERS):
        found = {a: _program(rctx, directory, _BESIDE_CLANG[a], version, seen) for a in _READ}
        lacking = [_BESIDE_CLANG[a] for a in _READ if not found[a]]
        if lacking:
            log.append("%s has no %s (%s)" % (directory, ", ".join(lacking), why))
            continue
        major = _major(rctx, found["llvm_dis"])
        log.append("%s is version %d (%s)" % (found["llvm_dis"], major, why))
        if major >= int(_READERS[-1]):
            return struct(found = found, log = log, seen = seen)
    return struct(found = {}, log = log, seen = seen)

# ocloc loads the graphics compiler's libraries by name at run time.
_OPENED_BY_OCLOC = ["libigc", "libigdfcl", "libocloc", "libopencl-clang"]

def write_stamp(rctx, file, path, opened = []):
    """Writes a file that identifies a program and its libraries.

    Args:
        rctx: the repository context.
        file: the file's path.
        path: the path of the program.
        opened: list of the libraries that it loads by name. The loader's cache can contain
            deleted files.
    """
    libraries = list(opened)
    for line in _run(rctx, ["ldd", path]).split("\n"):
        for word in line.strip().split(" "):
            # libc and similar libraries do not affect the output of these programs.
            if word.startswith("/") and [k for k in ["LLVM", "clang", "SPIRV", "igc", "ocloc"] if k in word]:
                libraries.append(word)
    lines = [path, _run(rctx, [path, "--version"]).split("\n")[0]]
    files = [path] + sorted({f: None for f in libraries}.keys())
    for f in files:
        # Bazel follows symbolic links, so it notices if a link changes.
        rctx.watch(f)
    files = [f for f in files if rctx.path(f).exists]
    sums = _run(rctx, ["sha256sum"] + files)
    if not sums:
        fail("cannot compute checksums of %s; check that sha256sum is in PATH and that the files are readable" % ", ".join(files))
    rctx.file(file, "\n".join(lines + [sums]) + "\n")

# Prints the checksum of the names and contents of all files in and below a directory.
_DIRECTORY_CHECKSUM = """
for program in find sort xargs sha256sum; do
  command -v $program > /dev/null || { echo "no $program" >&2; exit 1; }
done
cd "$0" && find -L . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum | sha256sum
"""

def header_directories(said):
    """Returns the directories that a compiler searches for headers.

    Args:
        said: the output of clang or GCC with -v.
    Returns:
        list of paths.
    """
    directories = []
    listed = False
    for line in said.split("\n"):
        if line.startswith("#include <...>"):
            listed = True
        elif line.startswith("End of search list"):
            break
        elif listed and line.startswith(" "):
            directories.append(line.strip())
    return directories

def write_headers_stamp(rctx, file, command):
    """Writes a file that identifies the headers that a compiler finds on its own.

    It has a checksum of each directory, and nothing that differs between systems with the
    same headers, such as times.

    Args:
        rctx: the repository context.
        file: the file's path.
        command: the compiler with its options.
    Returns:
        why there is no file, or an empty string.
    """
    result = rctx.execute(command + ["-E", "-x", "c++", "-v", "/dev/null"], environment = {"LC_ALL": "C"})
    directories = {str(rctx.path(directory).realpath): None for directory in header_directories(result.stderr)}.keys()
    if not directories:
        return "%s lists no header directories: %s" % (command[0], result.stderr.strip())
    lines = []
    for directory in directories:
        if [f for f in directories if directory.startswith(f + "/")]:
            continue
        rctx.watch_tree(directory)
        result = rctx.execute(["sh", "-c", _DIRECTORY_CHECKSUM, directory])
        if result.return_code != 0:
            fail("cannot compute a checksum of the headers in %s; check that find, sort, xargs and sha256sum are in PATH: %s" % (directory, result.stderr.strip()))
        lines.append("%s %s" % (directory, result.stdout.split(" ")[0]))
    rctx.file(file, "\n".join(lines) + "\n")
    return ""

def _target(name, found, missing, below, headers = "", base = ""):
    """Returns a sycl_toolchain and its programs as lines of a BUILD file.

    Args:
        name: the toolchain's name.
        found: dict of attribute -> path of the program.
        missing: dict of attribute -> why it is missing.
        below: prefix of the names of the programs and of the paths of their stamps.
        headers: the stamp of the headers, or an empty string.
        base: label of the base, or an empty string.
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
    """Returns the compilers that Bazel's C++ toolchain may use, in the order in which Bazel searches.

    Args:
        rctx: the repository context.
        seen: list of checked paths, to which the function adds paths.
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
        seen: list of checked paths, to which the function adds paths.
    Returns:
        the file's path, or an empty string if there is no compiler.
    """
    for compiler in host_compilers(rctx, seen):
        # A variable can name a program that is not itself a compiler, such as ccache.
        if not write_headers_stamp(rctx, file, [compiler]):
            return file
    return ""

def _reason(missing):
    """Returns why targets that need the device compiler are skipped."""
    if missing:
        return "no SYCL device compiler found. clang++ 21 or newer is missing - %s. Install it (Debian - clang-21), or set sycl.local or SYCL_LLVM_ROOT" % missing
    return NOTHING

def opened_by_ocloc(rctx, known, given):
    """Returns the libraries that ocloc loads by name.

    Args:
        rctx: the repository context.
        known: list of the paths of shared libraries in the loader's cache.
        given: the path of ocloc if the user sets it, or an empty string. Its libraries can then
            be next to it.
    Returns:
        list of paths.
    """
    libraries = list(known)
    if given:
        directory = str(rctx.path(given).realpath.dirname)
        for each in ["", "/../lib", "/../lib64", "/../lib/x86_64-linux-gnu"]:
            beside = rctx.path(directory + each)
            libraries += [str(f) for f in beside.readdir()] if beside.exists else []
    return [f for f in libraries if [k for k in _OPENED_BY_OCLOC if f.split("/")[-1].startswith(k)]]

def _find_other(rctx, found, missing, seen):
    """Finds spirv-val and ocloc. Adds them to the first dicts, and to the list of checked paths.

    Returns:
        the libraries that ocloc loads by name.
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
        missing["ocloc"] = "%s exists, but its library libigc does not" % found.pop("ocloc")

        # The file that _libraries reads. It changes when a library is installed.
        seen += opened + ["/etc/ld.so.cache"]
    return opened

def build_file(own, with_dpcpp, why):
    """Returns the BUILD file of the repository.

    Args:
        own: struct(found, missing, headers, log) of the toolchain that compiles with clang: dict
            of attribute -> path, dict of attribute -> why it is missing, the stamp of the
            headers or an empty string, and lines that describe what was checked.
        with_dpcpp: the same of the toolchain for DPC++.
        why: why targets are skipped.
    Returns:
        string.
    """
    lines = [
        "# Generated by the sycl module extension.",
        'load("@rules_sycl//rules:toolchain.bzl", "sycl_local_program", "sycl_toolchain")',
        'load("@rules_sycl//rules/private/toolchain:reason.bzl", "reason")',
        "",
        "# " + "\n# ".join(own.log),
    ]
    lines += _target("toolchain", own.found, own.missing, "", own.headers)
    lines += ["", "# For DPC++ as the device compiler:", "# " + "\n# ".join(with_dpcpp.log)]
    lines += _target("with_dpcpp", with_dpcpp.found, with_dpcpp.missing, "dpcpp_", with_dpcpp.headers, base = ":toolchain")
    lines += ["", "reason(", '    name = "missing",', "    text = %r," % why, ")"]
    return "\n".join(lines) + "\n"

def other_system(name):
    """Returns the BUILD file for a system without device compilers.

    Args:
        name: Bazel's name of the system.
    Returns:
        string.
    """
    why = "SYCL device code is only compiled on Linux, and this system is %s" % name
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
            missing[attr] = "no %s next to %s%s" % (name, found["clang"], " or in PATH" if attr == "lld" else "")
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
    doc = "Declares two sycl_toolchains for the installed programs: one that compiles with clang, and one that DPC++ extends.",
    attrs = {
        "llvm": attr.string(),
        "ocloc": attr.string(),
    },
    configure = True,
    environ = ["CC", "PATH", "SYCL_LLVM_ROOT"],
    local = True,
)
