package main

// usage is the output of --help.
const usage = `syclc++: compile and link SYCL with DPC++ for devices and any C++ compiler for the host

Usage: syclc++ [OPTIONS] FILE...

Options are those of g++, clang++ and icpx -fsycl. Each goes to those whom it concerns: the compile
for the host, that for devices, the compilers of native code, the link.

What is made:
  (none of these)               a program; with -shared a shared library
  -c, -S, -E                    objects, assembler source, preprocessed source
  -fsyntax-only                 nothing, but errors are found
  -fsyclbin[=STATE]             a SYCLBIN: input, object or executable (the default)
  -fsycl-link                   an object of linked device code, or one SYCLBIN of several
  -o FILE                       its name
  -MD, -MMD, -MF, -MT, -MQ, -MP  the list of files that a compile reads

Device code:
  -fsycl-targets=T,...          spir64 for any device (the default), intel_gpu_pvc, ...
  -fsycl-fixed-targets=T,...    the only devices that the program runs on
  -fsycl-device-config-file=FILE
                                devices beside those that are built in
  -fsycl-device-code-split=MODE auto, per_source, per_kernel or off
  -fsycl-rdc                    kernels call functions of other sources: device code is linked
                                when the program is
  -fsycl-fp64-conv-emu          kernels that only convert double need no fp64
  -Xsycl-target-backend=T "X"   options of the compiler of native code; -Xs "X" is for all targets
  -Xarch_device "X"             options of the compile for devices only
  -fno-sycl                     sources are C++ without SYCL

Host code:
  -fsycl-host-compiler=CXX      the compiler (default $SYCLCXX_HOST_COMPILER, or g++, clang++ or
                                c++ in PATH)
  -fsycl-host-compiler-options="X", -Xarch_host "X"
                                options for it only; the second are for the link as well

Where things are:
  --dpcpp=FOLDER                DPC++: FOLDER has lib/libsycl-jit.so.*, lib/libsycl.so and
                                include/sycl, as a pip environment does
  --ocloc=FILE                  the compiler of intel_gpu_* targets, else ocloc in PATH
  --share-gpu-families=off      compile for each GPU of a family; by default, one compilation serves
                                the GPUs whose images differ only in a note; verify compares both
  --driver=FILE                 the program that runs libsycl-jit, else ../lib/syclc++/driver
  --host-headers=FOLDER         headers for the host compile, else ../lib/syclc++/include

What is said:
  --check                       what is there and what is missing
  -v, -###                      the commands, as they run or without running them
  --help, --version

Files: @FILE stands for the words of FILE; - is standard input, with -E or -x; behind -- all are
files.

Example:
  pip install dpcpp-cpp-rt && syclc++ -O2 -fsycl-targets=spir64,intel_gpu_pvc axpy.cpp -o axpy

All options of icpx: docs/reference/icpx-options.md.
`
