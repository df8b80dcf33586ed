#!/usr/bin/env python3
"""run_ptx.py DIRECTORY: run the kernels of rules/tests/gpus on an NVIDIA GPU.

DIRECTORY contains the PTX files that extract_ptx wrote. Every kernel is launched through the CUDA driver, and its
results are compared with values that Python computes. Prints one line per case. Exits with 1 if a value is wrong or a
case cannot run, and with 2 if there is no GPU or no file.

Needs the driver's library libcuda.so.1, but not the CUDA toolkit.
"""

import array
import ctypes
import glob
import math
import os
import re
import struct
import sys

N = 1024
PREFIX = "__sycl_kernel__ZTSN5check"


class Fault(Exception):
    """The error in a case."""


class Gpu:
    """The first GPU of this system, with the modules in a directory."""

    def __init__(self, dir):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()
        self.entries = {}
        for path in sorted(glob.glob(os.path.join(glob.escape(dir), "*.ptx"))):
            with open(path, "rb") as f:
                text = f.read()
            for entry in re.findall(rb"\.entry (\w+)\(", text):
                self.entries[entry.decode()] = (path, text)
        self.modules = {}

    def call(self, function, *arguments):
        code = getattr(self.cuda, function)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(code, ctypes.byref(text))
            raise Fault("%s: error %d, %s" % (function, code, (text.value or b"unknown").decode()))

    def module(self, kernel):
        entry = PREFIX + kernel
        if entry not in self.entries:
            raise Fault("no PTX file has the kernel " + entry)
        path, text = self.entries[entry]
        if path not in self.modules:
            module = ctypes.c_void_p()
            self.call("cuModuleLoadData", ctypes.byref(module), text + b"\0")
            self.modules[path] = module
        return self.modules[path], entry

    def copy(self, data):
        """Copies bytes to the GPU's memory and returns the address."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(data)))
        self.call("cuMemcpyHtoD_v2", address, bytes(data), ctypes.c_size_t(len(data)))
        return address.value

    def bytes(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw

    def variable(self, kernel, name):
        """Returns the bytes of a variable in the kernel's module."""
        module, _ = self.module(kernel)
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, name.encode())
        return self.bytes(address.value, size.value)

    def launch(self, kernel, closure, groups, items):
        """Runs a kernel. Its only argument is the function object."""
        module, entry = self.module(kernel)
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
        argument = ctypes.create_string_buffer(closure, len(closure))
        arguments = (ctypes.c_void_p * 1)(ctypes.cast(argument, ctypes.c_void_p))
        self.call("cuLaunchKernel", function, *groups, *items, 0, None, arguments, None)
        self.call("cuCtxSynchronize")


class Array:
    """An array of numbers on the GPU, with a type code of package struct."""

    def __init__(self, gpu, code, values):
        self.gpu, self.code, self.count = gpu, code, len(values)
        self.address = gpu.copy(self.pack(values))

    def pack(self, values):
        return struct.pack("<%d%s" % (len(values), self.code), *values)

    def read(self):
        size = struct.calcsize("<" + self.code) * self.count
        return list(struct.unpack("<%d%s" % (self.count, self.code), self.gpu.bytes(self.address, size)))


def pointers(*arrays):
    return b"".join(struct.pack("<Q", a.address) for a in arrays)


def same(what, got, want):
    got, want = list(got), list(want)
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w:
            raise Fault("%s[%d] is %r and should be %r" % (what, i, g, w))
    if len(got) != len(want):
        raise Fault("%s has %d numbers and should have %d" % (what, len(got), len(want)))


LINE = ((16, 1, 1), (64, 1, 1))  # 1024 work-items in groups of 64


def vector_add(gpu):
    a, b, c = (Array(gpu, "i", v) for v in (range(N), range(1, 3 * N, 3), [-1] * N))
    gpu.launch("9VectorAddE", pointers(a, b, c) + struct.pack("<Q", N - 5), *LINE)
    same("c", c.read(), [4 * i + 1 if i < N - 5 else -1 for i in range(N)])


def axpy(gpu):
    x, y = Array(gpu, "d", [i + 0.25 for i in range(N)]), Array(gpu, "d", [1.0] * N)
    gpu.launch("4AxpyE", struct.pack("<d", 2.0) + pointers(x, y), *LINE)
    same("y", y.read(), [2 * (i + 0.25) + 1 for i in range(N)])


def brighten(gpu):
    pixels = Array(gpu, "e", [i % 64 for i in range(N)])
    gpu.launch("8BrightenE", pointers(pixels) + struct.pack("<ee4x", 2.0, 1.0), *LINE)
    same("pixels", pixels.read(), [2 * (i % 64) + 1 for i in range(N)])


def total(kernel, code, values):
    def case(gpu):
        x, result = Array(gpu, code, values), Array(gpu, code, [0])
        gpu.launch(kernel, pointers(x, result), *LINE)
        same("result", result.read(), [sum(values)])

    return case


def calls_twice(gpu):
    x = Array(gpu, "i", range(N))
    gpu.launch("10CallsTwiceE", pointers(x), *LINE)
    same("values", x.read(), [2 * i for i in range(N)])


def block_reverse(gpu):
    x = Array(gpu, "i", range(N))
    gpu.launch("12BlockReverseE", pointers(x), *LINE)
    same("values", x.read(), [i // 64 * 64 + 63 - i % 64 for i in range(N)])


def refuses_work_group(gpu):
    """The driver checks the required size: with a different size, it reports an error and does not run the kernel."""
    x = Array(gpu, "i", range(N))
    try:
        gpu.launch("12BlockReverseE", pointers(x), (32, 1, 1), (32, 1, 1))
    except Fault as fault:
        if "cuLaunchKernel: error 1," in str(fault):
            return
        raise
    raise Fault("a work-group of 32 was launched, and 64 are required")


def ids(gpu):
    size, local = (4, 6, 32), (2, 3, 8)
    out = Array(gpu, "I", [0xFFFFFFFF] * (12 * size[0] * size[1] * size[2]))
    groups = tuple(s // l for s, l in zip(size, local))
    gpu.launch("3IdsE", pointers(out), groups[::-1], local[::-1])
    want = []
    for z in range(size[0]):
        for y in range(size[1]):
            for x in range(size[2]):
                at = (z, y, x)
                inside = tuple(a % l for a, l in zip(at, local))
                group = tuple(a // l for a, l in zip(at, local))
                number = (inside[0] * local[1] + inside[1]) * local[2] + inside[2]
                items = local[0] * local[1] * local[2]  # 48: one whole sub-group, and half of one
                want += [*at, *inside, *group, (group[0] * groups[1] + group[1]) * groups[2] + group[2]]
                want += [number // 32 * 100 + number % 32, 20000 + min(32, items - number // 32 * 32) * 100 + 32]
    same("ids", out.read(), want)


def atomics(gpu):
    o = Array(gpu, "i", [0, 0, 0, 0, -1, 0, 0, 0, 0, 0])
    f = Array(gpu, "f", [0, 0, 0])
    u = Array(gpu, "I", [0, 0xFFFFFFFF])
    gpu.launch("7AtomicsE", pointers(o, f, u), *LINE)
    bits = xor = 0
    for i in range(N):
        bits |= 1 << i % 20
        xor ^= i
    everything = sum(range(N))
    same("o", o.read(), [everything, -everything, 1 - N, N - 1, ~bits, bits, xor, 1, 1, 3 * N])
    same("f", f.read(), [1 - N, N - 1, -N])
    same("u", u.read(), [0xFFFFFFFF, 5])


def constants(gpu):
    x = Array(gpu, "f", range(N))
    gpu.launch("9ConstantsE", pointers(x), *LINE)
    same("values", x.read(), [i * 1.5**3 for i in range(N)])


def tally(gpu):
    x = Array(gpu, "i", [i * i // 3 for i in range(N)])
    gpu.launch("5TallyE", pointers(x), *LINE)
    want = [0] * 4
    for i in range(N):
        want[(i * i // 3) & 3] += 1
    same("bins", array.array("i", gpu.variable("5TallyE", "_ZN5check4binsE")), want)


def last_group(gpu):
    for _ in range(50):  # the order in which work-groups finish differs
        values = Array(gpu, "i", [3 * i + 1 for i in range(N)])
        sums, finished, result = Array(gpu, "i", [0] * 16), Array(gpu, "i", [0]), Array(gpu, "i", [0])
        gpu.launch("9LastGroupE", pointers(values, sums, finished, result), *LINE)
        same("result", result.read(), [sum(3 * i + 1 for i in range(N))])


def sub_groups(kernel, code):
    def case(gpu):
        values = [(7 * i) % 11 - (0 if code in "IQ" else 5) for i in range(96)]
        x, out = Array(gpu, code, values), Array(gpu, code, [0] * (8 * 96))
        gpu.launch(kernel, pointers(x, out), (2, 1, 1), (48, 1, 1))
        got = out.read()
        for first, size in ((0, 32), (32, 16), (48, 32), (80, 16)):
            group = values[first : first + size]
            for lane in range(size):
                want = [
                    sum(group), min(group), max(group), sum(group[: lane + 1]), sum(group[:lane]),
                    group[5], group[lane // 2], group[lane ^ 3],
                ]
                same("work-item %d" % (first + lane), got[8 * (first + lane) :][:8], want)

    return case


def work_groups(kernel, code):
    def case(gpu):
        values = [(7 * i) % 13 - (0 if code in "IQ" else 6) for i in range(320)]
        x, out = Array(gpu, code, values), Array(gpu, code, [0] * (6 * 320))
        gpu.launch(kernel, pointers(x, out), (2, 2, 1), (20, 4, 1))
        got = out.read()
        for first in range(0, 320, 80):
            group = values[first : first + 80]
            for i in range(80):
                want = [sum(group), min(group), max(group), sum(group[: i + 1]), sum(group[:i]), max(group[: i + 1])]
                same("work-item %d" % (first + i), got[6 * (first + i) :][:6], want)

    return case


def or_nan(function, *x):
    try:
        return function(*x)
    except OverflowError:
        return math.inf
    except ValueError:
        return -math.inf if x[0] == 0 else math.nan


# Each function, with the error in units in the last place that SYCL allows.
FUNCTIONS = [
    (math.sin, 4), (math.cos, 4), (math.tan, 5), (math.asin, 4), (math.acos, 4), (math.atan, 5),
    (lambda x: math.atan2(x, 0.7), 6), (math.tanh, 5), (math.log, 3), (math.log2, 3), (math.log10, 3),
]
OF_FLOAT = [(math.sinh, 4), (math.cosh, 4), (lambda x: math.pow(x, 1.75), 16)]
OF_DOUBLE = [(math.exp, 3), (lambda x: math.pow(2, x), 3)]


def functions(kernel, code, own, digits, smallest):
    def case(gpu):
        x = Array(gpu, code, [(i - 512) / 24 for i in range(N)])
        out = Array(gpu, code, [0] * (14 * N))
        gpu.launch(kernel, pointers(x, out), *LINE)
        got = out.read()
        for i, value in enumerate(x.read()):
            for number, (function, allowed) in enumerate(FUNCTIONS + own):
                result, want = got[14 * i + number], or_nan(function, value)
                if result == want or math.isnan(result) and math.isnan(want):
                    continue
                unit = math.ldexp(1, max(math.frexp(want)[1] - digits, smallest))
                # Python's own results may be off by one.
                if not abs(result - want) <= (allowed + (code == "d")) * unit:
                    raise Fault("function %d of %r is %r, want %r" % (number, value, result, want))

    return case


CASES = [
    ("vector_add", vector_add),
    ("fp64", axpy),
    ("fp16", brighten),
    ("atomic64", total("5TotalE", "q", [i << 33 for i in range(N)])),
    ("atomic_float", total("10FloatTotalE", "f", range(N))),
    ("atomic_double", total("11DoubleTotalE", "d", [i + 0.5 for i in range(N)])),
    ("function of another source", calls_twice),
    ("required work-group size 64", block_reverse),
    ("another work-group size is refused", refuses_work_group),
    ("ids in three dimensions", ids),
    ("all atomic operations", atomics),
    ("default values of constants", constants),
    ("device_global", tally),
    ("order of atomic operations", last_group),
    ("sub-group of 32, int", sub_groups("8SubGroupIiEE", "i")),
    ("sub-group of 32, long", sub_groups("8SubGroupIlEE", "q")),
    ("sub-group of 32, half", sub_groups("8SubGroupIDF16_EE", "e")),
    ("sub-group of 32, double", sub_groups("8SubGroupIdEE", "d")),
    ("work-group, int", work_groups("9WorkGroupIiEE", "i")),
    ("work-group, float", work_groups("9WorkGroupIfEE", "f")),
    ("functions of float", functions("9FunctionsIfEE", "f", OF_FLOAT, 24, -149)),
    ("functions of double", functions("9FunctionsIdEE", "d", OF_DOUBLE, 53, -1074)),
    ("work-group, unsigned long", work_groups("9WorkGroupImEE", "Q")),
]


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if not glob.glob(os.path.join(glob.escape(sys.argv[1]), "*.ptx")):
        print("%s: no PTX files; generate them with extract_ptx" % sys.argv[1], file=sys.stderr)
        return 2
    try:
        gpu = Gpu(sys.argv[1])
    except (OSError, Fault) as error:
        print("no NVIDIA GPU with a driver: %s" % error, file=sys.stderr)
        return 2
    if not gpu.entries:
        print("%s: no PTX file has a kernel; generate them again with extract_ptx" % sys.argv[1], file=sys.stderr)
        return 2
    print("%s, %d kernels" % (gpu.name, len(gpu.entries)))
    wrong = 0
    for name, case in CASES:
        try:
            case(gpu)
            print("ok     %s" % name)
        except Fault as fault:
            wrong += 1
            print("WRONG  %s: %s" % (name, fault))
    print("%d of %d cases passed" % (len(CASES) - wrong, len(CASES)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
