"""Tests of //rules/private/options:device_options.bzl."""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("//rules/private/options:device_options.bzl", "COPTS", "DEFINES", "device_line", "device_options", "is_old_standard", "standard")

# The cases of TestDeviceOptions in internal/compilespec, which reads command lines for syclc++.
_CASES = {
    "": "",
    "-DX -D Y -UZ -I inc -isystem=sys -include a.h": "-DX -D Y -UZ -I inc -isystem=sys -include a.h",
    "-std=c++20 -std=c11 -std=gnu++17": "-std=c++20 -std=gnu++17",
    "-O -O0 -Ofast -O9 -Og": "-O1 -O0 -O3 -ffast-math -O3 -Og",
    "-g -g0 -ggdb3 -ggdb0 -gdwarf-4 -gsplit-dwarf -gz -g1": "-g -g0 -g -g0 -gdwarf-4 -g",
    "-ffast-math -fno-signed-zeros -fPIC -fno-gnu-unique -ftemplate-depth=9 -ftemplate-depth-9 -fno-builtin-x -fsanitize=address": "-ffast-math -fno-signed-zeros -ftemplate-depth=9 -ftemplate-depth-9 -fno-builtin-x",
    "-Wall -Wl,-s -Wa,-x -Wp,-DX -w": "-Wall -w",
    "--sysroot=/r --sysroot /s -isysroot /t": "--sysroot=/r --sysroot=/s -isysroot /t",
    "-o -DX -x c -MF -DY -lm -L -DZ a.cpp -c": "",
    "-Xclang -foo -Xlinker -DX -mllvm -DY": "-Xclang -foo",
}

_STANDARDS = {
    "": None,
    "-std=c11": None,
    "-D -std=c++20": None,
    "-std=c++14 -O2 -std=gnu++20 -std=c11": "-std=gnu++20",
    "-std=c++17 --std=c++20": "-std=c++20",
}

def _device_options_impl(ctx):
    env = unittest.begin(ctx)
    for line, want in _CASES.items():
        asserts.equals(env, want, " ".join(device_options([word for word in line.split(" ") if word])))
    for line, want in _STANDARDS.items():
        asserts.equals(env, want, standard(line.split(" ")))
    for option, want in {"-std=c++14": True, "-std=gnu++0x": True, "-std=c++17": False, "-std=gnu++2c": False}.items():
        asserts.equals(env, want, is_old_standard(option), option)
    line = [["-Wall", "-DTOOL", "-g0", "--sysroot=/r"], DEFINES, ["-D", "WIDE", "-fPIC"], COPTS, ["-D__DATE__=\"redacted\""]]
    asserts.equals(env, [["-DTOOL", "-g0", "--sysroot=/r"], DEFINES, ["-D", "WIDE"], COPTS, ["-Wno-builtin-macro-redefined", "-D__DATE__=\"redacted\""]], device_line(line, None))
    asserts.equals(env, ["-DTOOL", "--sysroot=/r"], device_line(line, None, dpcpp = False)[0])
    asserts.equals(env, [["-std=c++20"]], device_line([["-std=c++17", "-std=c++20"]], dpcpp = False, chosen = "-std=c++20"))
    asserts.equals(env, [[]], device_line([["-std=c++17"]], None, dpcpp = False))
    asserts.equals(env, [["-std=c++17"]], device_line([["-std=c++17"]], None))
    asserts.equals(env, [[]], device_line([["-std=c++14"]], None))
    asserts.equals(env, [[]], device_line([["--std=c++14"]], None))
    asserts.equals(env, [["-std=c++14"]], device_line([["-std=c++14"]], "-std=c++14"))
    asserts.equals(env, [["-I", "inc"]], device_line([["-isystem", "/usr/lib/clang/21/include", "-I", "inc", "-I/x/lib/clang/9/include"]], None))
    return unittest.end(env)

_device_options_test = unittest.make(_device_options_impl)

def device_options_test_suite(name):
    unittest.suite(name, _device_options_test)
