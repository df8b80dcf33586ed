"""The repository behind `sycl.runtime`: DPC++'s runtime from wheels or from a folder."""

load(":names.bzl", "nearest_names")
load(":sycl_runtime_versions.bzl", "RUNTIMES", "UNPACKED", "WHEEL_TAG")

# Beside a oneAPI compiler are the folders of what its libraries load.
_NEIGHBOURS = ["tbb", "tcm", "umf"]

# Headers, which may be among those of others.
_HEADERS = ["CL", "std", "sycl", "unified-runtime", "ur_api.h", "ur_api_funcs.def", "ur_print.hpp", "xpti"]

def check_runtime(name, version, path):
    """Fails unless a tag's attributes make sense.

    Args:
        name: the repository's name.
        version: a release, or empty.
        path: a folder, or empty.
    """
    what = "sycl.runtime(name = %r): " % name
    if version and path:
        fail(what + "give either version, which is downloaded, or path, a folder of this machine")
    if path and not path.startswith("/"):
        fail(what + "path is %r, which does not begin with '/'" % path)
    if version and version not in RUNTIMES:
        near = nearest_names(version, RUNTIMES.keys())
        fail("%sunknown version %r, not one of %s%s. The folder of any other version can be given as path" % (
            what,
            version,
            ", ".join(RUNTIMES.keys()),
            "; did you mean %s?" % " or ".join(near) if near else "",
        ))

def _find_python(rctx):
    """A Python that has pip.

    Args:
        rctx: the repository context.
    Returns:
        its path, None without one; what is missing, empty with one.
    """
    python = rctx.which("python3")
    if not python:
        # Bazel asks again when one appears.
        for folder in rctx.getenv("PATH", "").split(":"):
            if folder.startswith("/"):
                rctx.watch(folder + "/python3")
        return None, "python3 is not in PATH"
    if rctx.execute([python, "-m", "pip", "--version"]).return_code == 0:
        return python, ""
    for folder in rctx.execute([python, "-c", "import sys; print('\\n'.join(sys.path[1:]))"]).stdout.split("\n"):
        if folder.startswith("/"):
            rctx.watch(folder + "/pip")
    return None, "%s has no module pip" % python

def _wheel(name, version):
    return "%s-%s-%s.whl" % (name.replace("-", "_"), version, WHEEL_TAG)

def _lacking(rctx, wheels):
    """Takes wheels from Bazel's repository cache or a --distdir.

    Args:
        rctx: the repository context.
        wheels: dict of name -> (version, SHA-256).
    Returns:
        those that neither has.
    """
    lacking = {}
    for name, (version, sha256) in wheels.items():
        file = _wheel(name, version)

        # Bazel looks there for the checksum or the name before it opens the URL, and warns
        # when it is in vain: once is enough.
        nowhere = "file:///not-in-the-cache-yet/" + file
        if not rctx.download(nowhere, "wheels/" + file, sha256 = sha256, allow_fail = True).success:
            lacking[name] = (version, sha256)
            if name == wheels.keys()[0]:
                return wheels
    return lacking

def _pip_download(rctx, python, wheels, megabytes):
    """Fetches wheels by pip, as the machine has it set up."""
    rctx.file("requirements.txt", "".join([
        "%s==%s --hash=sha256:%s\n" % (name, version, sha256)
        for name, (version, sha256) in wheels.items()
    ]))
    rctx.report_progress("fetching %s by pip (%d MB in all)" % (", ".join(wheels), megabytes))
    result = rctx.execute(
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
    if result.return_code == 0:
        return
    said = result.stderr.strip() or result.stdout.strip()
    if "DO NOT MATCH THE HASHES" in said:
        remedy = "The package index of this machine's pip serves another file than PyPI did when rules_sycl was made: do not use it, and ask who runs the index"
    else:
        remedy = "See that `python3 -m pip download --no-deps %s==%s` works (network, proxy, package index), or give the wheels in a folder, by PIP_FIND_LINKS or Bazel's --distdir" % (
            wheels.keys()[0],
            wheels.values()[0][0],
        )
    fail("sycl.runtime(version = %r): pip cannot fetch DPC++'s runtime. %s. All else builds without it, with --keep_going. pip says:\n%s" % (
        rctx.attr.version,
        remedy,
        said,
    ))

def _from_wheels(rctx, python):
    megabytes, wheels = RUNTIMES[rctx.attr.version]
    lacking = _lacking(rctx, wheels)
    if lacking:
        _pip_download(rctx, python, lacking, megabytes)
    for name, (version, sha256) in lacking.items():
        # Bazel checks it, too, and has it in its cache from now on.
        file = _wheel(name, version)
        rctx.download("file://" + str(rctx.path("pip/" + file)), "wheels/" + file, sha256 = sha256)
    rctx.delete("pip")
    rctx.report_progress("unpacking")
    result = rctx.execute(
        [python, rctx.path(rctx.attr._unpack), "."] +
        ["wheels/" + _wheel(name, version) for name, (version, _) in wheels.items()] +
        ["--"] + UNPACKED,
    )
    if result.return_code != 0:
        fail("sycl.runtime(version = %r): cannot unpack the wheels: %s" % (rctx.attr.version, result.stderr.strip()))
    rctx.delete("wheels")

def _is_needed(path):
    """Whether a file would be unpacked from a wheel."""
    for pattern in UNPACKED:
        before, wildcard, after = pattern.lstrip("?").replace("?", "*").partition("*")
        if path == before or (wildcard and path.startswith(before) and path.endswith(after)):
            return True
    return False

def _from_folder(rctx):
    """Links to an installation."""
    folder = rctx.path(rctx.attr.path)
    lib = folder.get_child("lib")
    names = [p.basename for p in lib.readdir()] if lib.exists else []
    libsycl = [n for n in names if n.startswith("libsycl.so.") and n[len("libsycl.so."):].isdigit()]
    if len(libsycl) != 1 or not folder.get_child("include").get_child("sycl").exists:
        fail("sycl.runtime(path = %r): there is no DPC++ runtime: it would have include/sycl and one lib/libsycl.so.N%s" % (
            rctx.attr.path,
            "; lib has " + ", ".join(libsycl) if libsycl else "",
        ))
    rctx.watch(lib.get_child(libsycl[0]))
    for name in _HEADERS:
        if folder.get_child("include").get_child(name).exists:
            rctx.symlink(folder.get_child("include").get_child(name), "include/" + name)
    folders = [lib]
    if folder.dirname.dirname:
        folders += [folder.dirname.dirname.get_child(n).get_child("latest").get_child("lib") for n in _NEIGHBOURS]
    taken = {}
    for from_folder in folders:
        for file in from_folder.readdir() if from_folder.exists else []:
            if file.basename not in taken and _is_needed("lib/" + file.basename):
                taken[file.basename] = True
                rctx.symlink(file, "lib/" + file.basename)

def _sycl_runtime_repository_impl(rctx):
    if rctx.os.name != "linux" or rctx.os.arch not in ["amd64", "x86_64"]:
        missing = "runtime_is_for_linux_on_x86_64"
    elif rctx.attr.path:
        missing = ""
        _from_folder(rctx)
    else:
        python, why = _find_python(rctx)
        missing = "" if python else "python3_with_pip_is_missing"
        if python:
            _from_wheels(rctx, python)
        else:
            # buildifier: disable=print
            print("sycl.runtime(version = %r) is fetched by pip, but %s. Targets that use it are skipped; all others build. Install pip (Debian: python3-pip), or give the folder of an installation as path." % (rctx.attr.version, why))
    rctx.file("BUILD.bazel", """# Made by the sycl module extension.
load("@rules_sycl//rules/private:sycl_runtime_targets.bzl", "sycl_runtime_targets")

sycl_runtime_targets(
    name = %r,
    missing = %r,
)
""" % (rctx.attr.apparent_name, missing))

sycl_runtime_repository = repository_rule(
    implementation = _sycl_runtime_repository_impl,
    doc = "DPC++'s runtime: SYCL headers, libsycl with what it loads, Intel's OpenCL CPU device.",
    attrs = {
        "apparent_name": attr.string(mandatory = True),
        "path": attr.string(),
        "version": attr.string(),
        "_unpack": attr.label(default = ":unpack_wheels.py"),
    },
    environ = ["PATH"],
)
