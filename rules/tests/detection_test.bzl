"""Tests of the choice of LLVM on systems with several or incomplete installations."""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("//rules/private/repositories:local_toolchain.bzl", "find_llvm", "find_readers", "header_directories", "host_compilers", "opened_by_ocloc", "other_system", "watch_all", "write_headers_stamp", "write_host_headers", "write_stamp")

_CLANG = ["clang++"]
_COMPLETE = ["clang++", "llc", "llvm-dis", "llvm-link", "opt"]
_LLC = "\n  Registered Targets:\n    spirv64 - SPIR-V 64-bit\n"

def _machine(directories, in_path = {}, llvm = "", environment = ""):
    """Returns a repository context for a system with some programs.

    Args:
        directories: dict of directory -> (version, names of the programs in its bin).
        in_path: dict of name -> version of the programs in PATH.
        llvm: the directory that sycl.local sets.
        environment: the directory that SYCL_LLVM_ROOT sets.
    Returns:
        struct with the fields of a context that detection uses.
    """
    versions = {
        "%s/bin/%s" % (directory, name): version
        for directory, (version, names) in directories.items()
        for name in names
    } | {"/usr/bin/" + name: version for name, version in in_path.items()}

    def said(program):
        return "LLVM version %s\nDebian version 1\n%s" % (versions[program], _LLC if program.endswith("llc") else "")

    return struct(
        attr = struct(llvm = llvm),
        execute = lambda args: struct(return_code = 0, stdout = said(args[0])),
        getenv = lambda name, default: {"PATH": "relative:/usr/local/bin:/usr/bin", "SYCL_LLVM_ROOT": environment}.get(name) or default,
        path = lambda path: struct(exists = path in versions),
        which = lambda name: "/usr/bin/" + name if name in in_path else None,
    )

def _complete_impl(ctx):
    env = unittest.begin(ctx)

    # clang 22 without other programs, and a complete 21: steps with llvm-spirv would not work with
    # 22.
    llvm = find_llvm(_machine({
        "/usr/lib/llvm-21": ("21.1.8", _COMPLETE),
        "/usr/lib/llvm-22": ("22.1.8", _CLANG),
    }, in_path = {"llvm-spirv-21": "21.1.3"}))
    asserts.equals(env, {
        "clang": "/usr/lib/llvm-21/bin/clang++",
        "llc": "/usr/lib/llvm-21/bin/llc",
        "llvm_dis": "/usr/lib/llvm-21/bin/llvm-dis",
        "llvm_link": "/usr/lib/llvm-21/bin/llvm-link",
        "llvm_spirv": "/usr/bin/llvm-spirv-21",
        "opt": "/usr/lib/llvm-21/bin/opt",
    }, llvm.found)
    asserts.true(env, "/usr/lib/llvm-22/bin/clang++ is version 22 (Debian's llvm-22), without llvm-dis-22, llvm-link-22, llvm-spirv-22, opt-22" in llvm.log, str(llvm.log))
    asserts.true(env, "selected: /usr/lib/llvm-21/bin/clang++" in llvm.log, str(llvm.log))

    # 22 generates SPIR-V with llc, and lacks only llvm-spirv.
    llvm = find_llvm(_machine({
        "/usr/lib/llvm-21": ("21.1.8", _COMPLETE),
        "/usr/lib/llvm-22": ("22.1.8", _COMPLETE),
    }, in_path = {"llvm-spirv-21": "21.1.3"}))
    asserts.equals(env, "/usr/lib/llvm-21/bin/clang++", llvm.found["clang"])

    # Both are complete.
    llvm = find_llvm(_machine({
        "/usr/lib/llvm-21": ("21.1.8", _COMPLETE),
        "/usr/lib/llvm-22": ("22.1.8", _COMPLETE),
    }, in_path = {"llvm-spirv-21": "21.1.3", "llvm-spirv-22": "22.1.0"}))
    asserts.equals(env, "/usr/lib/llvm-22/bin/clang++", llvm.found["clang"])
    asserts.equals(env, "/usr/bin/llvm-spirv-22", llvm.found["llvm_spirv"])
    return unittest.end(env)

_complete_test = unittest.make(_complete_impl)

def _partial_impl(ctx):
    env = unittest.begin(ctx)

    # Neither has llvm-spirv: the newest one is selected.
    llvm = find_llvm(_machine({
        "/usr/lib/llvm-21": ("21.1.8", _COMPLETE),
        "/usr/lib/llvm-22": ("22.1.8", _COMPLETE),
    }))
    asserts.equals(env, "/usr/lib/llvm-22/bin/clang++", llvm.found["clang"])
    asserts.true(env, "selected: /usr/lib/llvm-22/bin/clang++, because no version has all programs; it lacks llvm-spirv-22" in llvm.log, str(llvm.log))

    # 22 cannot link: 21 is selected.
    llvm = find_llvm(_machine({
        "/usr/lib/llvm-21": ("21.1.8", _COMPLETE),
        "/usr/lib/llvm-22": ("22.1.8", ["clang++", "llc"]),
    }))
    asserts.equals(env, "/usr/lib/llvm-21/bin/clang++", llvm.found["clang"])

    # No version generates SPIR-V, or there is no LLVM.
    llvm = find_llvm(_machine({"/usr/lib/llvm-21": ("21.1.8", _CLANG)}))
    asserts.equals(env, {}, llvm.found)
    asserts.true(env, "/usr/lib/llvm-21/bin/clang++ has neither llvm-spirv-21 nor an llc with a SPIR-V target next to it" in llvm.log, str(llvm.log))
    asserts.equals(env, {}, find_llvm(_machine({})).found)
    return unittest.end(env)

_partial_test = unittest.make(_partial_impl)

def _named_impl(ctx):
    env = unittest.begin(ctx)
    directories = {
        "/opt/llvm": ("22.1.0", _COMPLETE + ["llvm-spirv"]),
        "/opt/old": ("20.1.0", _COMPLETE + ["llvm-spirv"]),
        "/usr/lib/llvm-21": ("21.1.8", _COMPLETE + ["llvm-spirv"]),
    }
    asserts.equals(env, "/usr/lib/llvm-21/bin/clang++", find_llvm(_machine(directories)).found["clang"])
    asserts.equals(env, "/opt/llvm/bin/llvm-spirv", find_llvm(_machine(directories, llvm = "/opt/llvm")).found["llvm_spirv"])
    asserts.equals(env, "/opt/llvm/bin/clang++", find_llvm(_machine(directories, environment = "/opt/llvm")).found["clang"])

    # A directory that the user sets is not replaced with a different one.
    llvm = find_llvm(_machine(directories, llvm = "/opt/old"))
    asserts.equals(env, {}, llvm.found)
    asserts.equals(env, ["/opt/old/bin/clang++ is version 20, but 21 or newer is required"], llvm.log)

    # Programs outside of Debian's directories, with the version in the name.
    in_path = {name + "-21": "21.1.8" for name in _COMPLETE + ["llvm-spirv"]}
    asserts.equals(env, "/usr/bin/llvm-link-21", find_llvm(_machine({}, in_path = in_path)).found["llvm_link"])
    return unittest.end(env)

_named_test = unittest.make(_named_impl)

def _readers_impl(ctx):
    env = unittest.begin(ctx)
    tools = ["llvm-dis", "llvm-link", "opt"]
    complete = {"/usr/lib/llvm-21": ("21.1.8", _COMPLETE + ["llvm-spirv"])}
    asserts.equals(env, {}, find_readers(_machine(complete)).found)

    # With a complete 21, 22 is used to read DPC++'s bitcode.
    both = complete | {"/usr/lib/llvm-22": ("22.1.8", tools)}
    asserts.equals(env, {
        "llvm_dis": "/usr/lib/llvm-22/bin/llvm-dis",
        "llvm_link": "/usr/lib/llvm-22/bin/llvm-link",
        "opt": "/usr/lib/llvm-22/bin/opt",
    }, find_readers(_machine(both)).found)

    # All programs must have the same version.
    mixed = both | {"/usr/lib/llvm-23": ("23.1.0", ["llvm-dis", "opt"])}
    readers = find_readers(_machine(mixed))
    asserts.equals(env, "/usr/lib/llvm-22/bin/llvm-dis", readers.found["llvm_dis"])
    asserts.true(env, "/usr/lib/llvm-23 has no llvm-link (Debian's llvm-23)" in readers.log, str(readers.log))

    # A directory that the user sets takes precedence if its version is new enough.
    named = both | {"/opt/new": ("23.0.0", tools), "/opt/old": ("21.1.8", tools)}
    asserts.equals(env, "/opt/new/bin/opt", find_readers(_machine(named, llvm = "/opt/new")).found["opt"])
    asserts.equals(env, "/usr/lib/llvm-22/bin/opt", find_readers(_machine(named, llvm = "/opt/old")).found["opt"])
    return unittest.end(env)

_readers_test = unittest.make(_readers_impl)

def _seen_impl(ctx):
    env = unittest.begin(ctx)

    # Missing programs, and programs that are too old, are watched.
    machine = _machine({"/usr/lib/llvm-22": ("20.1.0", _COMPLETE)}, in_path = {"clang++-21": "20.1.0"})
    seen = find_llvm(machine).seen
    for path in [
        "/usr/lib/llvm-21/bin/clang++",
        "/usr/lib/llvm-22/bin/clang++",
        "/usr/bin/clang++-21",
        "/usr/local/bin/clang++-21",
    ]:
        asserts.true(env, path in seen, "%s is not in %s" % (path, seen))
    seen = find_readers(machine).seen
    for path in ["/usr/lib/llvm-23/bin/opt", "/usr/local/bin/llvm-dis-23", "/usr/bin/llvm-dis-23"]:
        asserts.true(env, path in seen, "%s is not in %s" % (path, seen))
    asserts.false(env, [path for path in seen if not path.startswith("/")])

    # Each path is watched once, except for paths that Bazel cannot watch.
    watched, ran = [], []

    def execute(args):
        ran.append(args[:2] + args[3:])
        return struct(return_code = 0, stdout = "/opt/a\n/opt/b\n")

    watch_all(struct(execute = execute, watch = watched.append), ["/opt/b", "/opt/b", "b", "/opt/a", "/root/c"])
    asserts.equals(env, ["/opt/a", "/opt/b"], watched)
    asserts.equals(env, [["/bin/sh", "-c", "sh", "/opt/b", "/opt/a", "/root/c"]], ran)
    return unittest.end(env)

_seen_test = unittest.make(_seen_impl)

def _stamp_impl(ctx):
    env = unittest.begin(ctx)
    written, watched = {}, []
    said = {
        "/usr/bin/ocloc": "ocloc 1\nmore",
        "ldd": "libigc.so.2 => /lib/libigc.so.2 (0x1)\n libc.so.6 => /lib/libc.so.6",
    }

    def execute(args):
        return struct(return_code = 0, stdout = said.get(args[0], " ".join(args)))

    # The loader's cache lists a deleted library. A link is watched, not its target.
    write_stamp(struct(
        execute = execute,
        file = lambda path, content: written.update({path: content}),
        path = lambda path: struct(exists = "deleted" not in path, realpath = "/real" + path),
        watch = watched.append,
    ), "stamps/ocloc.txt", "/usr/bin/ocloc", ["/lib/libocloc-deleted.so", "/lib/libocloc.so"])
    asserts.equals(env, ["/usr/bin/ocloc", "/lib/libigc.so.2", "/lib/libocloc-deleted.so", "/lib/libocloc.so"], watched)
    asserts.equals(env, {"stamps/ocloc.txt": "/usr/bin/ocloc\nocloc 1\nsha256sum /usr/bin/ocloc /lib/libigc.so.2 /lib/libocloc.so\n"}, written)
    return unittest.end(env)

_stamp_test = unittest.make(_stamp_impl)

def _host_impl(ctx):
    env = unittest.begin(ctx)

    def machine(cc, names, directories = {}, **kwargs):
        return struct(
            getenv = lambda name, default: {"CC": cc, "CXX": "/opt/c++", "PATH": "/usr/bin"}.get(name) or default,
            path = lambda path: struct(exists = path in directories, realpath = path),
            which = lambda name: "/usr/bin/" + name if name in names else None,
            **kwargs
        )

    for cc, want in [
        ("", ["/usr/bin/gcc", "/usr/bin/clang++"]),
        ("clang-22", ["/usr/bin/clang-22", "/usr/bin/gcc", "/usr/bin/clang++"]),
        ("/opt/cc", ["/opt/cc", "/usr/bin/gcc", "/usr/bin/clang++"]),
        # These values do not name a program.
        ("ccache gcc", ["/usr/bin/gcc", "/usr/bin/clang++"]),
        ("/opt/ccache gcc", ["/usr/bin/gcc", "/usr/bin/clang++"]),
        ("bin/cc", ["/usr/bin/gcc", "/usr/bin/clang++"]),
    ]:
        asserts.equals(env, want, host_compilers(machine(cc, ["clang++", "clang-22", "gcc"], ["/opt/cc"]), []))
    asserts.equals(env, [], host_compilers(machine("", []), []))
    seen = []
    host_compilers(machine("/opt/new", ["c++"]), seen)
    for path in ["/opt/new", "/usr/bin/gcc"]:
        asserts.true(env, path in seen, "%s is not in %s" % (path, seen))

    # A program that is not a compiler is skipped.
    def execute(args, **_):
        if args[0] == "sh":
            return struct(return_code = 0, stdout = "sum  -\n", stderr = "")
        return struct(return_code = 0, stdout = "", stderr = _SAID if args[0] == "/usr/bin/gcc" else "ccache: unknown option")

    written = []
    both = machine(
        "ccache",
        ["ccache", "gcc"],
        execute = execute,
        file = lambda path, content: written.append(path),
        watch_tree = lambda path: None,
    )
    asserts.equals(env, "stamp", write_host_headers(both, "stamp", []))
    asserts.equals(env, ["stamp"], written)
    none = machine("ccache", ["ccache"], execute = execute)
    asserts.equals(env, "", write_host_headers(none, "stamp", []))
    return unittest.end(env)

_host_test = unittest.make(_host_impl)

_SAID = """clang version 21.1.8
ignoring nonexistent directory "/include"
#include "..." search starts here:
#include <...> search starts here:
 /usr/lib/gcc/16/../../include/c++/16
 /usr/lib/llvm-21/lib/clang/21/include
 /usr/include
End of search list.
 /not/a/directory
"""

def _headers_impl(ctx):
    env = unittest.begin(ctx)
    asserts.equals(env, ["/usr/lib/gcc/16/../../include/c++/16", "/usr/lib/llvm-21/lib/clang/21/include", "/usr/include"], header_directories(_SAID))
    asserts.equals(env, [], header_directories("clang: error: cannot open file\n"))

    written, watched, ran = {}, [], []

    def execute(args, environment = {}):
        ran.append([args[0], environment])
        if args[0] == "sh":
            return struct(return_code = 0, stdout = "sum-of-%s  -\n" % args[3].replace("/", "_"), stderr = "")
        return struct(return_code = 0, stdout = "", stderr = _SAID)

    write_headers_stamp(struct(
        execute = execute,
        file = lambda path, content: written.update({path: content}),
        path = lambda path: struct(realpath = path.replace("/lib/gcc/16/../..", "")),
        watch_tree = lambda path: watched.append(path),
    ), "stamps/headers.txt", ["/usr/bin/clang++"])

    # Each directory is listed once, without directories inside other listed directories.
    directories = ["/usr/lib/llvm-21/lib/clang/21/include", "/usr/include"]
    asserts.equals(env, directories, watched)
    asserts.equals(env, {"stamps/headers.txt": "".join(["%s sum-of-%s\n" % (f, f.replace("/", "_")) for f in directories])}, written)
    asserts.equals(env, [["/usr/bin/clang++", {"LC_ALL": "C"}], ["sh", {}], ["sh", {}]], ran)
    return unittest.end(env)

_headers_test = unittest.make(_headers_impl)

def _ocloc_impl(ctx):
    env = unittest.begin(ctx)
    directories = {
        "/opt/neo/bin": ["ocloc", "libocloc.so"],
        "/opt/neo/bin/../lib": ["libigc.so.2", "libz.so.1"],
    }
    rctx = struct(path = lambda path: struct(
        exists = path in directories,
        readdir = lambda: [path + "/" + name for name in directories[path]],
        realpath = struct(dirname = path.replace("/usr/bin/ocloc", "/opt/neo/bin")),
    ))
    known = ["/usr/lib/libigc.so.1", "/usr/lib/libc.so.6"]
    asserts.equals(env, ["/usr/lib/libigc.so.1"], opened_by_ocloc(rctx, known, ""))
    asserts.equals(
        env,
        ["/usr/lib/libigc.so.1", "/opt/neo/bin/libocloc.so", "/opt/neo/bin/../lib/libigc.so.2"],
        opened_by_ocloc(rctx, known, "/usr/bin/ocloc"),
    )
    return unittest.end(env)

_ocloc_test = unittest.make(_ocloc_impl)

def _other_system_impl(ctx):
    env = unittest.begin(ctx)
    text = other_system("mac os x")
    for target in ["toolchain", "with_dpcpp", "missing"]:
        asserts.true(env, "    name = %r,\n" % target in text, "there is no %s: %s" % (target, text))
    asserts.true(env, "    text = \"SYCL device code is only compiled on Linux, and this system is mac os x\"" in text, text)
    for attribute in ["clang", "ocloc", "spirv_val", "llvm_spirv"]:
        asserts.true(env, "%r: \"SYCL device code is only compiled on Linux" % attribute in text, text)
    asserts.false(env, "sycl_local_program(" in text, text)
    return unittest.end(env)

_other_system_test = unittest.make(_other_system_impl)

def detection_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    unittest.suite(name, _complete_test, _partial_test, _named_test, _readers_test, _headers_test, _seen_test, _stamp_test, _host_test, _ocloc_test, _other_system_test)
