package main

// usage is the output of --help.
const usage = `syclc++: compile and link SYCL with DPC++ for devices and any C++ compiler for the host

Usage: syclc++ [OPTIONS] FILE...

Accepts the options of g++, clang++ and icpx -fsycl. Each option is passed to the steps that it
applies to: the host compilation, the device compilation, the compilers of native code, the link.

Output:
  (none of these)               a program; with -shared a shared library
  -c, -S, -E                    objects, assembler source, preprocessed source
  -fsyntax-only                 check the source without writing output
  -fsyclbin[=STATE]             a SYCLBIN: input, object or executable (the default)
  -fsycl-link                   an object with linked device code, or one SYCLBIN from several
  -o FILE                       the name of the output
  -MD, -MMD, -MF, -MT, -MQ, -MP  a dependency file

Device code:
  -fsycl-targets=T,...          spir64 for any device (the default), intel_gpu_pvc, ...
  -fsycl-fixed-targets=T,...    the only devices that the program runs on
  -fsycl-device-config-file=FILE
                                devices in addition to the built-in ones
  -fsycl-device-code-split=MODE auto, per_source, per_kernel or off
  -fsycl-rdc                    allow kernels to call functions in other sources; device code is
                                linked together with the program; the default for sources with
                                SYCL_EXTERNAL if LLVM is installed and no option selects images
  -fsycl-fp64-conv-emu          do not require fp64 for kernels that only convert double
  -Xsycl-target-backend=T "X"   options for the compiler of native code; -Xs "X" is for all targets
  -Xarch_device "X"             options for the device compilation only
  -fno-sycl                     compile sources as C++ without SYCL

Host code:
  -fsycl-host-compiler=CXX      host compiler (default $SYCLCXX_HOST_COMPILER, or g++, clang++ or
                                c++ in PATH)
  -fsycl-host-compiler-options="X"
                                options for the host compilation only
  -Xarch_host "X"               options for the host compilation and the link

Installation:
  --dpcpp=DIRECTORY             DPC++, with lib/libsycl-jit.so.*, lib/libsycl.so and
                                include/sycl, such as a pip environment
  --ocloc=FILE                  compiler for intel_gpu_* targets (default ocloc in PATH)
  --require-images              fail if a kernel has no image for any target
  --skip-rejected-images        omit an image that ocloc rejects, with a warning, instead of failing
  --share-gpu-families=off      compile for each GPU of a family; by default, GPUs whose images
                                differ only in a note share a compilation; verify compares both
  --driver=FILE                 program that runs libsycl-jit (default ../lib/syclc++/driver)
  --host-headers=DIRECTORY      headers for the host compilation (default
                                ../lib/syclc++/include)

Diagnostics:
  --check                       print which components are installed and which are missing
  -v, -###                      print commands, and run them (-v) or not (-###)
  --help, --version

Files: @FILE is replaced by the arguments in FILE; - is standard input, with -E or -x; arguments
after -- are files.

Example:
  pip install dpcpp-cpp-rt && syclc++ -O2 -fsycl-targets=spir64,intel_gpu_pvc axpy.cpp -o axpy

For all icpx options, see docs/reference/icpx-options.md.
`
