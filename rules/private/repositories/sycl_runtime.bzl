"""The repository of a `sycl.runtime` or `sycl.dpcpp` tag, with DPC++ from wheels or from a directory."""

load("//rules/private/targets:names.bzl", "is_sha256", "nearest_names")
load(":local_toolchain.bzl", "watch_all", "which")
load(":sycl_runtime_versions.bzl", "COMPILER", "NO_COMPILER", "RELEASES", "RUNTIMES", "UNPACKED", "WHEEL_TAG")

# Directories next to a oneAPI compiler with libraries that it loads.
_SIBLINGS = ["tbb", "tcm", "umf"]

# DPC++'s headers. Its include directory can contain others, too.
_HEADERS = ["CL", "std", "sycl", "unified-runtime", "ur_api.h", "ur_api_funcs.def", "ur_print.hpp", "xpti"]

def check_runtime(kind, name, version, path, urls = {}, sha256 = {}):
    """Fails if a tag's attributes are not valid.

    Args:
        kind: the tag, runtime or dpcpp.
        name: the repository's name.
        version: a release, or empty.
        path: a directory, or empty.
        urls: dict of wheel -> URL.
        sha256: dict of wheel -> SHA-256.
    """
    what = "sycl.%s(name = %r): " % (kind, name)
    if path:
        if version:
            fail(what + "version cannot be combined with path; set version to download DPC++, or path to use an installed directory")
        if urls or sha256:
            fail(what + "urls and sha256 cannot be combined with path; they are for the wheels of a version")
        if not path.startswith("/"):
            fail(what + "path %r does not start with '/'" % path)
        return
    known = [v for v in RUNTIMES if kind == "runtime" or v not in NO_COMPILER]
    if version in RUNTIMES and version not in known:
        fail("%sversion %r cannot be used as a compiler: %s; use one of %s, or set path to the directory of an installation" % (
            what,
            version,
            NO_COMPILER[version],
            ", ".join(known),
        ))
    _check_known(what, "version", version, known, " For any other version, set path to the directory of its installation")
    wheels = RUNTIMES[version][1].keys()
    for attribute, values in [("urls", urls), ("sha256", sha256)]:
        for wheel in values:
            _check_known(what + attribute + ": ", "wheel", wheel, wheels)
    for wheel, url in urls.items():
        if "://" not in url:
            fail("%surls: %r of %s is not a URL" % (what, url, wheel))
    for wheel, sum in sha256.items():
        if wheel not in urls:
            fail("%ssha256: %s has no URL in urls; rules_sycl already has the checksums of the files on PyPI" % (what, wheel))
        if not is_sha256(sum):
            fail("%ssha256: %r of %s is not 64 hexadecimal digits" % (what, sum, wheel))

def _check_known(what, thing, name, known, otherwise = ""):
    """Fails if a name is unknown."""
    if name not in known:
        near = nearest_names(name, known)
        fail("%sunknown %s %r; expected one of %s%s%s" % (
            what,
            thing,
            name,
            ", ".join(known),
            "; did you mean %s?" % " or ".join(near) if near else ".",
            otherwise,
        ))

def _find_python(rctx, pip):
    """Finds Python.

    Args:
        rctx: the repository context.
        pip: whether it must have pip.
    Returns:
        its path, or None; and what is missing, or an empty string.
    """
    python = rctx.which("python3")
    if not python:
        # Only this case depends on PATH: another Python unpacks the same files.
        seen = []
        which(rctx, ["python3"], seen)
        watch_all(rctx, seen)
        return None, "python3 is not in PATH"
    if not pip or rctx.execute([python, "-m", "pip", "--version"]).return_code == 0:
        return python, ""
    rctx.getenv("PATH")  # a different one may have a Python with pip
    directories = rctx.execute([python, "-c", "import sys; print('\\n'.join(sys.path[1:]))"]).stdout.split("\n")
    watch_all(rctx, [directory + "/pip" for directory in directories])
    return None, "%s does not have the module pip" % python

def _wheel(name, version):
    return "%s-%s-%s.whl" % (name.replace("-", "_"), version, WHEEL_TAG)

def _try_fetch(rctx, name, version, sha256, urls):
    """Fetches a wheel from Bazel's repository cache or from URLs. Returns whether it succeeded.

    Bazel looks in a --distdir before it opens a URL, and prints a warning if that fails.
    """
    return rctx.download(urls, "wheels/" + _wheel(name, version), sha256 = sha256, allow_fail = True).success

# A Python program that prints the total size of the wheels in bytes.
_DOWNLOADED_BYTES = "import os; print(sum(f.stat().st_size for f in os.scandir('wheels')))"

def _fetch_cached(rctx, wheels):
    """Fetches wheels from Bazel's repository cache.

    Args:
        rctx: the repository context.
        wheels: dict of name -> (version, SHA-256).
    Returns:
        the wheels that are not in the cache.
    """
    return {
        name: (version, sha256)
        for name, (version, sha256) in wheels.items()
        if not _try_fetch(rctx, name, version, sha256, [])
    }

def _pip_download(rctx, python, wheels, megabytes):
    """Fetches wheels with pip and its configured index.

    They are fetched one at a time, to show progress, and to keep fetched wheels in Bazel's cache
    if a later one fails. Once pip has failed, only a --distdir is used.

    Args:
        rctx: the repository context.
        python: path of a Python with pip.
        wheels: dict of name -> (version, SHA-256).
        megabytes: total size of the release's wheels.
    """
    failed = None
    for name, (version, sha256) in wheels.items():
        present = rctx.execute([python, "-c", _DOWNLOADED_BYTES]).stdout.strip() or "0"
        rctx.report_progress("fetching DPC++ with pip: %d %% of %d MB, now %s" % (int(present) // (megabytes * 10000), megabytes, name))
        rctx.file("requirements.txt", "%s==%s --hash=sha256:%s\n" % (name, version, sha256))
        result = failed or rctx.execute(
            [python, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--require-hashes"] +
            ["--platform", WHEEL_TAG.split("-")[-1], "--dest", "pip", "--requirement", "requirements.txt"],
            environment = {
                "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                "PIP_NO_INPUT": "1",
                "PIP_PROGRESS_BAR": "off",
                "PIP_REQUIRE_VIRTUALENV": "0",
            },
            timeout = 3600,
        )

        if result.return_code != 0:
            failed = result

        # Bazel checks it again, and keeps it in its cache.
        if not _try_fetch(rctx, name, version, sha256, ["file://" + str(rctx.path("pip/" + _wheel(name, version)))]):
            _fail_to_fetch(rctx, name, version, result)
    rctx.delete("pip")

def _fail_to_fetch(rctx, name, version, result):
    """Fails with pip's output."""
    said = result.stderr.strip() or result.stdout.strip()
    if "DO NOT MATCH THE HASHES" in said:
        fix = "The package index that pip uses serves a file that differs from the one on PyPI that rules_sycl expects: do not use it, and contact the operators of the index"
    else:
        fix = "Make sure that `python3 -m pip download --no-deps %s==%s` works (network, proxy, package index), or pass a directory with the wheels in PIP_FIND_LINKS or Bazel's --distdir" % (name, version)
    fail("%s: pip cannot fetch DPC++'s runtime. %s. With --keep_going, Bazel builds all targets that do not need it. Output of pip:\n%s" % (
        _tag(rctx),
        fix,
        said,
    ))

def _tag(rctx):
    """Returns the tag of the repository, for errors."""
    what = "path = %r" % rctx.attr.path if rctx.attr.path else "version = %r" % rctx.attr.version
    return "sycl.%s(%s)" % ("dpcpp" if rctx.attr.compiler else "runtime", what)

def _url_download(rctx, wheels):
    """Fetches the wheels that the tag has URLs for.

    Args:
        rctx: the repository context.
        wheels: dict of name -> (version, SHA-256).
    Returns:
        the wheels without a URL.
    """
    others = {}
    for name, (version, sha256) in wheels.items():
        url = rctx.attr.urls.get(name)
        if not url:
            others[name] = (version, sha256)
            continue
        sha256 = rctx.attr.sha256.get(name, sha256)
        if not rctx.download(url, "wheels/" + _wheel(name, version), sha256 = sha256, allow_fail = True).success:
            fail("%s: urls: cannot fetch %s %s with the SHA-256 %s from %s; see the reason in the warning above. If the file differs from the one on PyPI, set its checksum in sha256" % (
                _tag(rctx),
                name,
                version,
                sha256,
                url,
            ))
    return others

def _patterns(rctx):
    """Returns the patterns of the files in the repository."""
    return UNPACKED + (COMPILER if rctx.attr.compiler else [])

def _from_wheels(rctx, python):
    megabytes, wheels = RUNTIMES[rctx.attr.version]
    lacking = _url_download(rctx, wheels)
    if lacking:
        lacking = _fetch_cached(rctx, lacking)
    if lacking:
        _pip_download(rctx, python, lacking, megabytes)
    rctx.report_progress("unpacking")
    result = rctx.execute(
        [python, rctx.path(rctx.attr._unpack), "."] +
        ["wheels/" + _wheel(name, version) for name, (version, _) in wheels.items()] +
        ["--"] + _patterns(rctx),
    )
    if result.return_code != 0:
        fail("%s: cannot unpack the wheels: %s" % (_tag(rctx), result.stderr.strip()))
    rctx.delete("wheels")

def matches(path, patterns):
    """Returns whether a file is unpacked from a wheel.

    Args:
        path: the file's path below the installation's directory.
        patterns: list of patterns for unpack_wheels.py, with one '*', or a '?' at the end.
    Returns:
        bool.
    """
    for pattern in patterns:
        before, wildcard, after = pattern.lstrip("?").partition("*")
        if not wildcard and before.endswith("?"):
            # One character.
            if path[:-1] == before[:-1]:
                return True
        elif path == before or (wildcard and path.startswith(before) and path.endswith(after)):
            return True
    return False

def _from_directory(rctx):
    """Creates symbolic links to an installation.

    Args:
        rctx: the repository context.
    """
    directory = rctx.path(rctx.attr.path)
    lib = directory.get_child("lib")
    names = [p.basename for p in lib.readdir()] if lib.exists else []
    libsycl = _libsycl(names)
    if not libsycl or not directory.get_child("include").get_child("sycl").exists:
        fail("%s: the directory is not a DPC++ runtime; expected include/sycl and exactly one lib/libsycl.so.N%s" % (
            _tag(rctx),
            _has(names, "libsycl.so"),
        ))
    rctx.watch(lib.get_child(libsycl))
    if rctx.attr.compiler:
        _link_compiler(rctx, lib, names)
    for name in _HEADERS:
        if directory.get_child("include").get_child(name).exists:
            rctx.symlink(directory.get_child("include").get_child(name), "include/" + name)
    directories = [lib]
    if directory.dirname.dirname:
        directories += [directory.dirname.dirname.get_child(n).get_child("latest").get_child("lib") for n in _SIBLINGS]
    taken = {}
    for library_directory in directories:
        for file in library_directory.readdir() if library_directory.exists else []:
            if file.basename not in taken and matches("lib/" + file.basename, UNPACKED):
                taken[file.basename] = True
                rctx.symlink(file, "lib/" + file.basename)

def _libsycl(names):
    """Returns the file libsycl.so.N of a directory, or an empty string unless there is exactly one."""
    found = [n for n in names if n.startswith("libsycl.so.") and n[len("libsycl.so."):].isdigit()]
    return found[0] if len(found) == 1 else ""

def _has(names, beginning):
    """Returns a description of the content of the directory lib, for errors about a missing library."""
    found = sorted([n for n in names if n.startswith(beginning)])
    return "; lib has " + ", ".join(found) if found else ""

def _link_compiler(rctx, lib, names):
    """Creates links to the compiler library, and to the device libraries that some releases link.

    Args:
        rctx: the repository context.
        lib: path of the installation's directory lib.
        names: list of the files in it.
    """
    if "libsycl-jit.so" not in names:
        fail("%s: no lib/libsycl-jit.so%s; this library is the device compiler; install the complete DPC++: oneAPI 2025.3 or newer, or intel/llvm with the target sycl-jit" % (
            _tag(rctx),
            _has(names, "libsycl-jit"),
        ))
    for name in names:
        if matches(name, ["libsycl-*.bc"]):
            rctx.symlink(lib.get_child(name), "lib/" + name)
    rctx.watch(lib.get_child("libsycl-jit.so"))
    rctx.symlink(lib.get_child("libsycl-jit.so"), "lib/libsycl-jit.so")
    if "clang" in names:
        rctx.symlink(lib.get_child("clang"), "lib/clang")
    rctx.file("bin/README", "libsycl-jit of 2025.3 finds its headers relative to this directory.\n")

def _compiler(rctx, missing):
    """Returns the argument compiler of sycl_runtime_targets."""
    if missing:
        return {
            "missing": "DPC++ is missing: %s: %s" % (_tag(rctx), missing),
            "programs": rctx.attr.programs + "//:with_dpcpp",
        }
    libsycl = _libsycl([p.basename for p in rctx.path("lib").readdir()])
    release = RELEASES.get(libsycl.rpartition(".")[2])
    if not release:
        fail("%s: this release of rules_sycl does not support the DPC++ release of %s; it supports libsycl.so.%s" % (
            _tag(rctx),
            libsycl,
            " and libsycl.so.".join(RELEASES.keys()),
        ))
    return {
        # DPC++ 2025.3 writes LLVM 21 bitcode.
        "programs": rctx.attr.programs + ("//:toolchain" if release == "2025.3" else "//:with_dpcpp"),
        "runtime": release,
        "version": rctx.attr.version or "%s of %s" % (libsycl, rctx.attr.path),
    }

def _sycl_runtime_repository_impl(rctx):
    why = ""
    if rctx.os.name != "linux" or rctx.os.arch not in ["amd64", "x86_64"]:
        why = "DPC++'s files on PyPI are only for Linux on x86-64"
    elif rctx.attr.path:
        _from_directory(rctx)
    else:
        pip = [name for name in RUNTIMES[rctx.attr.version][1] if name not in rctx.attr.urls]
        python, why = _find_python(rctx, pip)
        if python:
            if rctx.attr.compiler:
                # buildifier: disable=print
                print("%s is under Intel's End User License Agreement for Developer Tools: %s. You may use and copy it within your organization; you may not distribute libsycl-jit." % (
                    _tag(rctx),
                    rctx.path("licenses"),
                ))
            _from_wheels(rctx, python)
        else:
            why += ". Install pip (Debian: python3-pip), or set path to the directory of an installation"

            # buildifier: disable=print
            print("%s is fetched with pip, but %s. Targets that use it are skipped." % (_tag(rctx), why))
    rctx.file("BUILD.bazel", """# Generated by the sycl module extension.
load("@rules_sycl//rules/private/repositories:sycl_runtime_targets.bzl", "sycl_runtime_targets")

sycl_runtime_targets(
    name = %r,
    compiler = %r,
    missing = %r,
)
""" % (
        rctx.attr.apparent_name,
        _compiler(rctx, why) if rctx.attr.compiler else None,
        why,
    ))

sycl_runtime_repository = repository_rule(
    implementation = _sycl_runtime_repository_impl,
    doc = "Contains DPC++'s runtime (SYCL headers, libsycl with what it loads, Intel's OpenCL CPU device) and the device compiler.",
    attrs = {
        "apparent_name": attr.string(mandatory = True),
        "compiler": attr.bool(),
        "path": attr.string(),
        "programs": attr.string(doc = "For the compiler: the repository of sycl_local_toolchain, which provides the other programs."),
        "sha256": attr.string_dict(),
        "urls": attr.string_dict(),
        "version": attr.string(),
        "_unpack": attr.label(default = ":unpack_wheels.py"),
    },
)
