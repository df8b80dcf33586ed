#!/bin/sh
# Regenerates the modules in this directory with clang 21 and llvm-spirv 21.
set -eu
cd "$(dirname "$0")"
L=/usr/lib/llvm-21/bin
clang++-21 -std=c++20 -fsycl -fsycl-device-only -O2 -g1 -fdebug-prefix-map="$PWD"=. -c kernels.cpp -o kernels.bc
# Host code that got into the device module goes; a library function stays.
$L/llvm-dis kernels.bc -o - | sed -n 's/^define .*spir_kernel .*@\([A-Za-z0-9_.$]*\)(.*/\1/p' > roots.txt
echo _Z9unreachedd >> roots.txt
$L/opt -passes='internalize,globaldce' -internalize-public-api-file=roots.txt kernels.bc -o roots.bc
llvm-spirv-21 --spirv-max-version=1.4 roots.bc -o kernels.spv
clang-21 -x cl -cl-std=CL2.0 -target spir64 -O1 -emit-llvm -c -Xclang -finclude-default-header sizes.cl -o sizes.bc
llvm-spirv-21 --spirv-max-version=1.1 sizes.bc -o sizes.spv
rm -f kernels.bc roots.txt roots.bc sizes.bc
