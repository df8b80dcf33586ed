package main

import (
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/icpxflags"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// shown returns the fields to compare: those that differ from an empty command line.
func shown(l *commandLine) string {
	var out []string
	v := reflect.ValueOf(*l)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch value := v.Field(i).Interface().(type) {
		case lineMode:
			if value != modeLink {
				out = append(out, fmt.Sprintf("Mode=%d", value))
			}
		case []lineWord:
			var words []string
			for _, w := range value {
				switch {
				case w.Input == nil:
					words = append(words, strings.Join(w.Option, "\u00a0"))
				case w.Input.Language != "":
					words = append(words, w.Input.Path+":"+w.Input.Language)
				default:
					words = append(words, w.Input.Path)
				}
			}
			if len(words) > 0 {
				out = append(out, fmt.Sprintf("Words=%v", words))
			}
		case []backendOptions:
			for _, b := range value {
				out = append(out, fmt.Sprintf("Backend=%s%q%q", b.Target, b.Native, b.JIT))
			}
		case depfileOptions:
			if !reflect.DeepEqual(value, depfileOptions{System: true}) {
				out = append(out, fmt.Sprintf("Depfile=%+v", value))
			}
		case oneMKL:
			if !reflect.DeepEqual(value, oneMKL{}) {
				out = append(out, fmt.Sprintf("MKL=%+v", value))
			}
		case []string:
			if len(value) > 0 {
				out = append(out, name+"="+strings.ReplaceAll(fmt.Sprint(value), "\n", "\\n"))
			}
		case string:
			if value != "" && !(name == "Split" && value == "auto") {
				out = append(out, name+"="+value)
			}
		case bool:
			if value != (name == "SYCL") {
				out = append(out, fmt.Sprintf("%s=%v", name, value))
			}
		}
	}
	return strings.Join(out, " ")
}

var files = map[string]string{
	"empty":  "",
	"quotes": "-DA=\"x\\\"y\" -DB='p\\'q r'\n-DC=\\ z\ta.cpp",
	"outer":  "-O2 @inner\n",
	"inner":  "-c a.cpp",
	"self":   "@self",
	"ring":   "@ring2",
	"ring2":  "-g @ring",
	"open":   "'a",
	"twice":  "@inner @inner",
}

func fromFiles(name string) ([]byte, error) {
	if text, ok := files[name]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

// args splits a command line like a shell.
func args(t *testing.T, line string) []string {
	t.Helper()
	words, wrong := divided(line, true)
	if wrong != "" {
		t.Fatalf("%s %s", line, wrong)
	}
	return words
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"a.cpp", "Words=[a.cpp:c++]"},
		{"-c a.cpp -o a.o", "Mode=1 Words=[a.cpp:c++] Output=a.o"},
		{"-S a.cpp -oa.s", "Mode=2 Words=[a.cpp:c++] Output=a.s"},
		{"-c -E a.cpp", "Mode=3 Words=[a.cpp:c++]"},
		{"-S -fsyntax-only a.cpp", "Mode=4 Words=[a.cpp:c++]"},
		{"-M a.cpp", "Mode=3 Words=[a.cpp:c++] Host=[-M]"},
		{"-MM a.cpp", "Mode=3 Words=[a.cpp:c++] Host=[-MM] Depfile={Write:false System:false Phony:false Missing:false Append:false File: Targets:[]}"},
		{"--version", "Mode=6"},
		{"--check --dpcpp=/d", "Mode=7 DPCPP=/d"},
		{"--help", "Mode=8"},
		{"-print-search-dirs", "Mode=5 Host=[-print-search-dirs]"},
		{"-m32 -dumpmachine", "Mode=5 Host=[-m32 -dumpmachine] Link=[-m32]"},
		{"-v", "Mode=5 Host=[-v] Verbose=true"},
		{"-fuse-ld=lld -Wl,--version -O2", "Mode=5 Host=[-O2 -fuse-ld=lld -O2 -Wl,--version] Device=[-O2] Link=[-fuse-ld=lld -O2]"},
		{"-Xlinker -v", "Mode=5 Host=[-Xlinker -v]"},
		{"a.o -Wl,--version", "Words=[a.o -Wl,--version]"},
		{"-v a.cpp", "Words=[a.cpp:c++] Verbose=true"},
		{"-### -c a.cpp", "Mode=1 Words=[a.cpp:c++] DryRun=true"},

		// Files.
		{"a.C b.s c.S d.hpp e.o f.a g.so h i.c j.ii", "Words=[a.C:c++ b.s:assembler c.S:assembler-with-cpp d.hpp:c++-header e.o f.a g.so h i.c:c++ j.ii:c++-cpp-output]"},
		{"-x c a.cpp -xc++ b -x none d.o", "Words=[a.cpp:c b:c++ d.o]"},
		{"-c -x c++ -", "Mode=1 Words=[-:c++]"},
		{"-E -", "Mode=3 Words=[-:c++]"},
		{"-c -- -a.cpp", "Mode=1 Words=[./-a.cpp:c++]"},
		{"a.cpp -DX", "Words=[a.cpp:c++] Host=[-DX] Device=[-DX]"},
		{"b.o -la -L d -Wl,-z,now -Xlinker --as-needed -pthread c.so -z relro -u f", "Words=[b.o -la -L\u00a0d -Wl,-z,now -Xlinker\u00a0--as-needed -pthread c.so -z\u00a0relro -u\u00a0f] Host=[-pthread] Device=[-pthread]"},
		{"-lx", "Words=[-lx]"},

		// Options with values in the next argument.
		{"a.cpp -D X -U Y -I i -include h -imacros m -isystem s -iquote q -idirafter d -isysroot r", "Words=[a.cpp:c++] Host=[-D X -U Y -I i -include h -imacros m -isystem s -iquote q -idirafter d -isysroot r] Device=[-D X -U Y -I i -include h -imacros m -isystem s -iquote q -idirafter d -isysroot r]"},
		{"a.cpp --sysroot r -target t --param p -B b -arch x -mllvm -m", "Words=[a.cpp:c++] Host=[--sysroot=r -target t --param p -B b -arch x -mllvm -m] Device=[--sysroot=r] Link=[--sysroot=r -target t --param p -B b -arch x -mllvm -m]"},
		{"a.cpp -T s -e main -Xassembler -c -Xclang -c", "Words=[a.cpp:c++ -T\u00a0s -e\u00a0main] Host=[-Xassembler -c -Xclang -c] Device=[-Xclang -c]"},
		{"-c a.cpp -D -c", "Mode=1 Words=[a.cpp:c++] Host=[-D -c] Device=[-D -c]"},
		{"a.cpp --define-macro=X=1 --output o --std=c++20 --optimize=2 --debug --include-directory i", "Words=[a.cpp:c++] Output=o Host=[-D X=1 -std=c++20 -O2 -g -I i] Device=[-D X=1 -std=c++20 -O2 -g -I i] Link=[-O2 -g] StandardGiven=true DebugInfo=true"},
		{"-c a.cpp --save-temps=obj", "Mode=1 Words=[a.cpp:c++] Host=[-save-temps=obj]"},

		{"-c a.cpp -A x=y -Xanalyzer -x -dependency-file d -mthread-model posix", "Mode=1 Words=[a.cpp:c++] Host=[-A x=y -Xanalyzer -x -dependency-file d -mthread-model posix]"},
		{"a.cpp --config f --prefix p -specs s -resource-dir r -Xopenmp-target -O1", "Words=[a.cpp:c++] Host=[--config f --prefix p -specs s -resource-dir r -Xopenmp-target -O1] Link=[--config f --prefix p -specs s -resource-dir r -Xopenmp-target -O1]"},
		{"a.cpp --std c++20 -iwithsysroot i -stdlib++-isystem s", "Words=[a.cpp:c++] Host=[--std c++20 -iwithsysroot i -stdlib++-isystem s] Device=[--std c++20 -iwithsysroot i -stdlib++-isystem s] StandardGiven=true"},
		{"a.o -rpath d", "Words=[a.o -rpath\u00a0d]"},

		// The compiles.
		{"a.cpp -O -Ofast -O3 -Os -O9", "Words=[a.cpp:c++] Host=[-O -Ofast -O3 -Os -O9] Device=[-O1 -O3 -ffast-math -O3 -Os -O3] Link=[-O -Ofast -O3 -Os -O9]"},
		{"a.cpp -std=gnu++20", "Words=[a.cpp:c++] Host=[-std=gnu++20] Device=[-std=gnu++20] StandardGiven=true"},
		{"-x c a.c -std=c11", "Words=[a.c:c] Host=[-std=c11]"},
		{"a.cpp -ggdb3 -gsplit-dwarf", "Words=[a.cpp:c++] Host=[-ggdb3 -gsplit-dwarf] Device=[-g] Link=[-ggdb3 -gsplit-dwarf] DebugInfo=true"},
		{"a.cpp -gdwarf-4 -g0", "Words=[a.cpp:c++] Host=[-gdwarf-4 -g0] Device=[-gdwarf-4 -g0] Link=[-gdwarf-4 -g0]"},
		{"a.cpp -Wall -Wduplicated-cond -Werror", "Words=[a.cpp:c++] Host=[-Wall -Wduplicated-cond -Werror] Device=[-Wall -Wduplicated-cond -Werror -Wno-unknown-warning-option] Link=[-Wall -Wduplicated-cond -Werror]"},
		{"-c a.cpp -w -pedantic -ffast-math -fno-math-errno -ftemplate-depth=9 -fno-builtin-memcpy -ffp-contract=off", "Mode=1 Words=[a.cpp:c++] Host=[-w -pedantic -ffast-math -fno-math-errno -ftemplate-depth=9 -fno-builtin-memcpy -ffp-contract=off] Device=[-w -pedantic -ffast-math -fno-math-errno -ftemplate-depth=9 -fno-builtin-memcpy -ffp-contract=off] Link=[-ffast-math -fno-math-errno -ftemplate-depth=9 -fno-builtin-memcpy -ffp-contract=off]"},
		{"a.cpp -march=native -fPIC -fopenmp -flto=auto -fsanitize=address -fvisibility=hidden -pipe -pg -fuse-ld=lld -shared -static-libstdc++", "Words=[a.cpp:c++] Host=[-march=native -fPIC -fopenmp -flto=auto -fsanitize=address -fvisibility=hidden -pipe -pg] Device=[-march=native] Link=[-march=native -fPIC -fopenmp -flto=auto -fsanitize=address -fvisibility=hidden -pg -fuse-ld=lld -shared -static-libstdc++]"},
		{"-c a.cpp -w -Wsystem-headers -fprofile-generate -fno-builtin-x", "Mode=1 Words=[a.cpp:c++] Host=[-w -Wsystem-headers -fprofile-generate -fno-builtin-x] Device=[-w -fno-builtin-x] Link=[-Wsystem-headers -fprofile-generate -fno-builtin-x]"},
		{"-c a.cpp -lm -shared -Wl,-s", "Mode=1 Words=[a.cpp:c++ -lm -Wl,-s] Link=[-shared]"},

		// Options for the preprocessor.
		{"a.cpp -Wp,-DX=1,-UY -Wp,-D,Z -Xpreprocessor -DW -Wp,-MD,d -Wp,-dM -Wa,-x", "Words=[a.cpp:c++] Host=[-Wa,-x -DX=1 -UY -D Z -DW -Xpreprocessor -dM] Device=[-DX=1 -UY -D Z -DW] Depfile={Write:true System:true Phony:false Missing:false Append:false File:d Targets:[]}"},
		{"-Xpreprocessor -include -O2 -Xpreprocessor a.h a.cpp", "Words=[a.cpp:c++] Host=[-O2 -include a.h] Device=[-O2 -include a.h] Link=[-O2]"},
		{"a.cpp -Wp,-include,a.h,-isystem -Wp,dir -Xpreprocessor -I -Wp,i,-Ij", "Words=[a.cpp:c++] Host=[-include a.h -isystem dir -I i -Ij] Device=[-include a.h -isystem dir -I i -Ij]"},
		{"a.cpp -Wp,-nostdinc++ -Wp,-std=c++20,-Wundef,-ffast-math", "Words=[a.cpp:c++] Host=[-nostdinc++ -std=c++20 -Wundef -ffast-math] Device=[-nostdinc++ -std=c++20 -Wundef -ffast-math -Wno-unknown-warning-option] StandardGiven=true"},
		{"a.cpp -Wp,-v,-undef,-unknown,value,-imultilib,x -Xpreprocessor -fPIC", "Words=[a.cpp:c++] Host=[-Xpreprocessor -v -Xpreprocessor -undef -Xpreprocessor -unknown -Xpreprocessor value -Xpreprocessor -imultilib -Xpreprocessor x -Xpreprocessor -fPIC]"},
		{"-c a.cpp -Xpreprocessor -MMD -Xpreprocessor d -Xpreprocessor -MT -Xpreprocessor x", "Mode=1 Words=[a.cpp:c++] Depfile={Write:true System:false Phony:false Missing:false Append:false File:d Targets:[x]}"},
		{"-E a.cpp -Wp,-MM", "Mode=3 Words=[a.cpp:c++] Host=[-MM] Depfile={Write:false System:false Phony:false Missing:false Append:false File: Targets:[]}"},

		// Lists of files.
		{"-c a.cpp -MD", "Mode=1 Words=[a.cpp:c++] Depfile={Write:true System:true Phony:false Missing:false Append:false File: Targets:[]}"},
		{"-c a.cpp -MMD -MP -MFd -MT 'x y' -MQ 'a b$#'", `Mode=1 Words=[a.cpp:c++] Depfile={Write:true System:false Phony:true Missing:false Append:false File:d Targets:[x y a\ b$$\#]}`},

		// icpx's options.
		{"-fsycl a.cpp", "Words=[a.cpp:c++]"},
		{"-fsycl -fno-sycl a.cpp", "Words=[a.cpp:c++] SYCL=false"},
		{"a.cpp -fsycl-targets=spir64,intel_gpu_pvc", "Words=[a.cpp:c++] Targets=[spir64 intel_gpu_pvc]"},
		{"a.cpp -fsycl-targets=spir64-unknown-unknown", "Words=[a.cpp:c++] Targets=[spir64]"},
		{"a.cpp -fsycl-targets=spir64,spir64_gen -Xs '-device pvc,acm-g10'", "Words=[a.cpp:c++] Targets=[spir64 intel_gpu_pvc intel_gpu_acm_g10]"},
		{"a.cpp -fsycl-targets=spir64_gen -Xsycl-target-backend=spir64_gen '-device pvc -options -ze-x -ze-y'", "Words=[a.cpp:c++] Targets=[intel_gpu_pvc] Backend=intel_gpu_*[\"-ze-x\" \"-ze-y\"][]"},
		{"a.cpp -fsycl-targets=spir64,spir64_gen -Xs '-device pvc -ze-x'", "Words=[a.cpp:c++] Targets=[spir64 intel_gpu_pvc] Backend=*[\"-ze-x\"][]"},
		{"a.cpp -fsycl-targets=spir64,spir64_gen -Xs '-device pvc' -Xs -ze-x", "Words=[a.cpp:c++] Targets=[spir64 intel_gpu_pvc] Backend=*[\"-ze-x\"][\"-ze-x\"]"},
		{"a.cpp -fsycl-targets=spir64_gen -Xs -device -O2 -Xs pvc", "Words=[a.cpp:c++] Host=[-O2] Device=[-O2] Link=[-O2] Targets=[intel_gpu_pvc]"},
		{"a.cpp -fsycl-targets=spir64_gen -Xsdevice -Xs 'pvc -options' -Xs '-ze-x'", "Words=[a.cpp:c++] Targets=[intel_gpu_pvc] Backend=*[\"-ze-x\"][]"},
		{"a.cpp -fsycl-targets=spir64_gen -Xs '-device pvc,xe-lpg,ats-m150'", "Words=[a.cpp:c++] Targets=[intel_gpu_pvc intel_gpu_mtl_h intel_gpu_mtl_u intel_gpu_acm_g10]"},
		{"a.cpp -fsycl-targets=spir64_gen -Xs '-device 0x56a0,dg2,12.55.8'", "Words=[a.cpp:c++] Targets=[intel_gpu_acm_g10 intel_gpu_dg2]"},
		{"-E a.cpp -fsycl-targets=spir64_gen", "Mode=3 Words=[a.cpp:c++]"},
		{"-c a.cpp -fsycl-rdc -fsycl-targets=spir64_gen", "Mode=1 Words=[a.cpp:c++] RDC=true"},
		{"a.cpp -fsycl-rdc -fno-sycl-rdc -fsycl-device-code-split -fsycl-device-code-split=off", "Words=[a.cpp:c++] Split=off NoRDC=true"},
		{"a.cpp -fsycl-fixed-targets=spir64,intel_gpu_pvc -fsycl-device-config-file=a -fsycl-device-config-file=b", "Words=[a.cpp:c++] FixedTargets=[spir64 intel_gpu_pvc] DeviceConfigs=[a b]"},
		{"a.cpp -fsyclbin", "Words=[a.cpp:c++] Syclbin=executable"},
		{"-fsycl-device-only a.cpp -fsyclbin=object --offload-new-driver", "Words=[a.cpp:c++] Syclbin=object"},
		{"-fsyclbin -fno-sycl a.cpp", "Words=[a.cpp:c++] Syclbin=executable"},
		{"a.syclbin b.syclbin -fsycl-link -o c.syclbin", "Words=[a.syclbin b.syclbin] Output=c.syclbin LinkDevice=true"},
		{"a.cpp --offload-rdc", "Words=[a.cpp:c++] RDC=true"},
		{"a.cpp -fgpu-rdc --no-offload-rdc", "Words=[a.cpp:c++] NoRDC=true"},
		{"a.cpp -fsycl-rdc -fno-gpu-rdc -fgpu-rdc", "Words=[a.cpp:c++] RDC=true"},
		{"a.o -fsyclbin=input -fsycl-link", "Words=[a.o] Syclbin=input LinkDevice=true"},
		{"a.cpp -XsX -Xsycl-target-backend '-a b'", "Words=[a.cpp:c++] Backend=*[\"-X\"][\"-X\"] Backend=[\"-a\" \"b\"][\"-a\" \"b\"]"},
		{"a.cpp -ftarget-compile-fast", "Words=[a.cpp:c++] Backend=*[\"-igc_opts\" \"'PartitionUnit=1,SubroutineThreshold=50000'\"][\"-ftarget-compile-fast\"]"},
		{"a.cpp -fpreview-breaking-changes", "Words=[a.cpp:c++] Host=[-D__INTEL_PREVIEW_BREAKING_CHANGES=1] Device=[-fpreview-breaking-changes] Preview=true"},
		{"a.cpp -fsycl-fp64-conv-emu", "Words=[a.cpp:c++] EmulateDouble=true"},
		{"a.cpp -fsycl-host-compiler=clang++-21 -fsycl-host-compiler-options='-DA=\"x y\" -O3'", "Words=[a.cpp:c++] Host=[-DA=x y -O3] HostCompiler=clang++-21"},
		{"a.cpp -Xarch_host '-mavx -DH' -Xarch_device -DD -Xsycl-target-frontend=spir64 -DF", "Words=[a.cpp:c++] Host=[-mavx -DH] Device=[-DD -DF] Link=[-mavx -DH]"},
		{"a.cpp -Xarch_host '-fp-model fast -x' -Xarch_host -xHost -Xarch_host -qtbb -Xarch_host -ip", "Words=[a.cpp:c++ -ltbb] Host=[-fp-model fast -x -march=native] Link=[-fp-model fast -x -march=native]"},
		{"a.cpp -Xarch_host '-fp-model fast' -Xarch_host -qopenmp -Xarch_host -fsycl", "Words=[a.cpp:c++] Host=[-ffast-math -fopenmp -fsycl] Link=[-fopenmp -fsycl]"},
		{"a.cpp -Xarch_host -xHost -fsycl-host-compiler=icpx", "Words=[a.cpp:c++] Host=[-xHost] Link=[-xHost] HostCompiler=icpx"},
		{"a.CC a.CXX a.C++ a.cc a.C", "Words=[a.CC:c++ a.CXX:c++ a.C++:c++ a.cc:c++ a.C:c++]"},
		{"a.cpp -Xarch_spir64 '-DS -O1'", "Words=[a.cpp:c++] Device=[-DS -O1]"},
		{"a.cpp -fsycl-id-queries-range=uint -fsycl-range-rounding=on -fp-model=precise", "Words=[a.cpp:c++] Host=[-U__SYCL_ID_QUERIES_FIT_IN_INT__ -D__SYCL_ID_QUERIES_FIT_IN_UINT__=1] Device=[-fsycl-id-queries-range=uint -fsycl-range-rounding=on -fp-model=precise]"},
		{"a.cpp -fpreview-breaking-changes -fno-preview-breaking-changes", "Words=[a.cpp:c++]"},
		{"a.cpp -fma -no-fma -no-ftz", "Words=[a.cpp:c++] Host=[-ffp-contract=fast -ffp-contract=off] Device=[-fma -no-fma -no-ftz]"},
		{"a.cpp -no-ftz -Ofast -ffast-math", "Words=[a.cpp:c++] Host=[-Ofast -ffast-math] Device=[-no-ftz -O3 -ffast-math -ffast-math] Link=[-O3 -fno-fast-math]"},
		{"a.cpp -prec-div -no-prec-div -qno-openmp", "Words=[a.cpp:c++] Host=[-fno-reciprocal-math -freciprocal-math -fno-openmp] Link=[-fno-reciprocal-math -freciprocal-math -fno-openmp]"},
		{"a.cpp -ip -no-intel-lib -no-intel-lib=libimf -diag-disable=10441 -diag-error=1,2 -device-math-lib=fp64", "Words=[a.cpp:c++]"},
		{"a.cpp -axCORE-AVX2 -ftz -fsycl-host-compiler=icpx", "Words=[a.cpp:c++] Host=[-axCORE-AVX2 -ftz] Link=[-axCORE-AVX2 -ftz] HostCompiler=icpx"},
		{"-fp-model precise a.cpp -fp-model fast=2", "Words=[a.cpp:c++] Host=[-ffast-math] Device=[-fp-model=precise -fp-model=fast]"},
		{"-diag-disable 10441 a.cpp", "Words=[a.cpp:c++]"},
		{"a.cpp -fp-model=fast=1 -ffp-model=aggressive -fp-model=consistent", "Words=[a.cpp:c++] Host=[-ffast-math -ffast-math -ffp-contract=off] Device=[-fp-model=fast -ffp-model=aggressive -fp-model=consistent]"},
		{"-qtbb -ipo -xHost a.cpp -lx -fiopenmp -qopenmp-simd", "Words=[a.cpp:c++ -lx -ltbb] Host=[-flto -march=native -fopenmp -fopenmp-simd] Link=[-flto -march=native -fopenmp -fopenmp-simd]"},
		{"a.cpp -qmkl=sequential", "Words=[a.cpp:c++] Host=[-DMKL_ILP64] Device=[-DMKL_ILP64] MKL={Option:-qmkl=sequential ILP64:true Threads:sequential SYCL:[]}"},
		{"a.cpp -qmkl=sequential -qmkl-ilp64 -qmkl-sycl-impl=blas,rng", "Words=[a.cpp:c++] Host=[-DMKL_ILP64] Device=[-DMKL_ILP64] MKL={Option:-qmkl-ilp64 ILP64:true Threads:tbb_thread SYCL:[blas rng]}"},
		{"-fno-sycl a.cpp -qmkl", "Words=[a.cpp:c++] SYCL=false MKL={Option:-qmkl ILP64:false Threads:tbb_thread SYCL:[]}"},
		{"a.cpp -qmkl -fsycl-host-compiler=icpx", "Words=[a.cpp:c++] Host=[-qmkl] Link=[-qmkl] HostCompiler=icpx"},
		{"-c a.cpp -qopenmp -fsycl-device-lib=all -fsycl-device-obj=spirv --no-offload-compress -fno-sycl-esimd-build-host-code", "Mode=1 Words=[a.cpp:c++] Host=[-fopenmp] Link=[-fopenmp]"},
		{"a.cpp -ipo -xHost -fsycl-host-compiler=/opt/icpx", "Words=[a.cpp:c++] Host=[-ipo -xHost] Link=[-ipo -xHost] HostCompiler=/opt/icpx"},
		{"a.cpp --dpcpp d --driver=r --host-headers=h --ocloc=o --share-gpu-families=off --require-images --skip-rejected-images", "Words=[a.cpp:c++] HostCompiler= DPCPP=d Driver=r HostHeaders=h Ocloc=o ShareFamilies=off RequireImages=true SkipRejected=true"},

		// Without SYCL, options for other offloading are passed to the host compiler, and options for SYCL have no effect.
		{"-fno-sycl a.cu --offload-arch=sm_90 -fgpu-rdc -Xarch_device -O3", "Words=[a.cu:cuda] Host=[--offload-arch=sm_90 -fgpu-rdc -Xarch_device -O3] Link=[--offload-arch=sm_90 -fgpu-rdc -Xarch_device -O3] SYCL=false"},
		{"-c -x hip a.cpp --offload-compress -fsycl -fno-sycl", "Mode=1 Words=[a.cpp:hip] Host=[--offload-compress] Link=[--offload-compress] SYCL=false"},
		{"-c -fno-sycl -x objective-c++ a -emit-llvm", "Mode=1 Words=[a:objective-c++] Host=[-emit-llvm] Link=[-emit-llvm] SYCL=false"},
		{"-fno-sycl a.cpp -ffp-model=new -fopenmp -qtbb", "Words=[a.cpp:c++ -ltbb] Host=[-ffp-model=new -fopenmp] Link=[-ffp-model=new -fopenmp] SYCL=false"},
		{"-fno-sycl a.cpp -fsycl-targets=spir64_gen -Xs '-device pvc' -fsycl-device-only -Xsycl-target-linker x -fsycl-device-code-split=z -fsycl-rdc -fsycl-dump-device-code=d", "Words=[a.cpp:c++] SYCL=false"},
		{"a.cu --offload-new-driver", "Words=[a.cu:cuda]"},

		// Response files.
		{"@quotes", "Words=[a.cpp:c++] Host=[-DA=x\"y -DB=p'q r -DC= z] Device=[-DA=x\"y -DB=p'q r -DC= z]"},
		{"@empty a.cpp", "Words=[a.cpp:c++]"},
		{"@outer", "Mode=1 Words=[a.cpp:c++] Host=[-O2] Device=[-O2] Link=[-O2]"},
		{"@twice", "Mode=1 Words=[a.cpp:c++ a.cpp:c++]"},
		{"@missing", "Words=[@missing]"},
	} {
		l, err := parse(args(t, c.line), fromFiles)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if got, want := shown(l), strings.ReplaceAll(c.want, "HostCompiler= ", ""); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.line, got, want)
		}
	}
}

// TestParseC checks that icx is a C compiler without -fsycl, and syclc++ with it.
func TestParseC(t *testing.T) {
	for line, want := range map[string]string{
		"-O2 -c a.c":       "a.c:c SYCL=false",
		"a.cpp b.i c.o":    "a.cpp:c++ b.i:cpp-output c.o: SYCL=false",
		"-c a.c -fsycl":    "a.c:c++ SYCL=true",
		"-x c++ a.c":       "a.c:c++ SYCL=false",
		"-c a.h -fno-sycl": "a.h:c-header SYCL=false",
	} {
		l := testkit.Must(parseC(strings.Fields(line)))(t)
		got := ""
		for _, w := range l.Words {
			got += w.Input.Path + ":" + w.Input.Language + " "
		}
		if got += fmt.Sprintf("SYCL=%t", l.SYCL); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestLineErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "no input files"},
		{"-O2 -Wl,-s", "no input files"},
		{"a.cpp -o", "-o: missing argument"},
		{"a.cpp -Xs", "-Xs: missing argument"},
		{"-c a.cpp -MD -MG", "-MG requires -M or -MM"},
		{"-fsyntax-only a.cpp -MMD -MF d -MG", "-MG requires -M or -MM"},
		{"-E a.cpp -Wp,-MD,d,-MG", "-MG requires -M or -MM"},
		{"a.cpp -MG", "-MG requires -M or -MM"},
		{"-c a.cpp b.cpp -o x", "cannot use -o x with 2 output files"},
		{"-c -", "add -x c++"},
		{"a.cpp ''", "empty argument"},
		{"-x java a", "-x java: unknown language; expected"},
		{"-xCORE-AVX2 a.cpp", "use -march="},
		{"a.cpp -qmkl=cluster", "-qmkl=cluster: link the libraries for clusters and MPI by their names"},
		{"a.cpp -qmkl=serial", "-qmkl=serial: unknown value; expected one of parallel, sequential"},
		{"a.cpp -qmkl -qmkl-sycl-impl=blas,fft", "-qmkl-sycl-impl=blas,fft: unknown library \"fft\"; "},
		{"a.cpp -qmkl-sycl-impl=blas", "-qmkl-sycl-impl=blas: add -qmkl"},
		{"a.cpp -fsycl-device-obj=llvmir", "device code is"},
		{"a.cpp -fp-model=source", "-fp-model=source: unknown model; expected precise, fast, fast=1, "},
		{"a.cpp -fp-model bogus", "-fp-model=bogus: unknown model; expected precise, "},
		{"a.cpp -fp-model", "-fp-model: missing argument"},
		{"a.cpp -ffp-model=source", "-ffp-model=source: unknown model; expected precise, fast, aggressive or strict"},
		{"a.cpp -ffp-model=", "-ffp-model=: unknown model; expected precise, "},
		{"a.cpp -Xspirv-translator --spirv-ext=+all", "-Xspirv-translator --spirv-ext=+all: DPC++'s compiler library does not pass options to its SPIR-V translator; remove it"},
		{"a.cpp -Xspirv-translator=spir64 --spirv-ext=+all", "-Xspirv-translator=spir64 --spirv-ext=+all: DPC++'s compiler library "},
		{"a.cpp -axCORE-AVX2", "-axCORE-AVX2: an icpx option; use -march="},
		{"a.cpp -fno-sycl -axCORE-AVX2", "-axCORE-AVX2: an icpx option; use -march="},
		{"a.cpp -fast", "-fast: an icpx option; use -O3 -march=native -flto"},
		{"a.cpp -Xarch_host -ftz", "-ftz: an icpx option; "},
		{"a.cpp -ftz", "-ftz: an icpx option; "},
		{"a.cpp -qopt-report=2", "-qopt-report=2: an icpx option; use -fopt-info with g++"},
		{"a.cpp -w2", "-w2: an option of Intel's compilers; use -w "},
		{"a.cpp -fsycl-device-only", "-fsycl-device-only: use -fsyclbin"},
		{"a.cpp --offload-arch=pvc", "--offload-arch=pvc: use -fsycl-targets="},
		{"a.cpp --offload-targets=spirv64-unknown-unknown", "use -fsycl-targets="},
		{"a.cpp --offload-arch=pvc -fno-sycl -fsycl", "--offload-arch=pvc: use -fsycl-targets="},
		{"a.cpp -fsycl-rdcc", "unknown option -fsycl-rdcc; did you mean -fsycl-rdc?"},
		{"a.cpp -fno-sycl-rdcc", "unknown option -fno-sycl-rdcc; did you mean -fno-sycl-rdc?"},
		{"a.cpp -fno-sycl-remove-unused-external-funcs", "unknown option -fno-sycl-remove-unused-external-funcs; if DPC++'s compiler supports it, use -Xarch_device"},
		{"a.cpp -fsycl-target=spir64", "did you mean -fsycl-targets=spir64?"},
		{"a.cpp -fno-sycl-quite-unheard-of", "use -Xarch_device -fno-sycl-quite-unheard-of"},
		{"a.cpp --dpccp=x", "did you mean --dpcpp?"},
		{"a.cpp --dpcpp=", "--dpcpp=: missing value"},
		{"a.cpp -fsycl-targets=", "-fsycl-targets=: missing value after ="},
		{"a.cpp -fsycl-targets=a,,b", "empty target in the list"},
		{"a.cpp -fsycl-targets=spir64_gen", "no device given; specify the GPU"},
		{"a.cpp -fsycl-targets=spir64_gen -Xs '-device pvcc'", "did you mean -fsycl-targets=intel_gpu_pvc?"},
		{"a.cpp -fsycl-targets=spir64_gen -Xs '-device b580'", "unknown device b580; "},
		{"a.cpp -fsycl-targets=spir64_gen -Xs '-device pvc,'", "unknown device "},
		{"a.cpp -Xs '-device pvc'", "requires -fsycl-targets=spir64_gen"},
		{"-c a.cpp -Xs '-device pvc'", "requires -fsycl-targets=spir64_gen"},
		{"a.cpp -Xs -device", "-Xs -device: missing value after -device"},
		{"a.cpp -Xs -device -Xsycl-target-backend pvc", "-Xs -device: missing value after -device"},
		{"a.cpp -Xs -device -Xsycl-target-backend -options", "-Xs -device: missing value after -device"},
		{"a.cpp -Xs '-revision_id 3'", "-revision_id is an option of ocloc itself"},
		{`a.cpp -Xs "'x"`, "lacks the closing '"},
		{"a.cpp -fsycl-device-code-split=kernel", "-fsycl-device-code-split=kernel: unknown mode"},
		{"a.cpp -fsyclbin=objekt", "did you mean object?"},
		{"a.cpp -emit-llvm", "-emit-llvm: "},
		{"a.cpp -Wp,-MD", "-Wp,-MD: missing value of -MD"},
		{"a.cpp -Xpreprocessor -include -O2", "-Xpreprocessor -include: missing value of -include"},
		{"a.cpp -Wp,-x,c", "-x c: not an option of the preprocessor; use it without -Wp or -Xpreprocessor"},
		{"@self", "@self: the file includes itself"},
		{"@ring", "@ring: the file includes itself"},
		{"@open", "@open: the file lacks the closing '"},
	} {
		_, err := parse(args(t, c.line), fromFiles)
		if err == nil || !strings.Contains(err.Error(), c.want) || cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("%s: %v, want %s", c.line, err, c.want)
		}
	}
}

func TestResponseFiles(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/options"
	testkit.NoError(t, os.WriteFile(file, []byte("-c 'a b.cpp' @"+dir+"/empty\n"), 0o644))
	testkit.NoError(t, os.WriteFile(dir+"/empty", nil, 0o644)) // as CMake writes for sources without modules
	for arg, want := range map[string]string{
		"@" + file:          "Mode=1 Words=[a b.cpp:c++]",
		"@" + dir + "/none": "Words=[@" + dir + "/none]",
	} {
		if l, err := parseLine([]string{arg}); err != nil || shown(l) != want {
			t.Errorf("%s: %+v, %v", arg, l, err)
		}
	}
	if _, err := parseLine([]string{"@" + dir}); cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("a directory: %v", err)
	}
}

// Each icpx option is accepted, or rejected with a message that differs from the rules' message.
func TestTable(t *testing.T) {
	ofRules := []string{"attribute", "copts", "linkopts", "deps", "sycl_binary", "True", "backend_options", "output group", "toolchain", "Bazel", "rules"}
	for _, section := range icpxflags.Table() {
		for _, f := range section.Flags {
			for _, name := range f.Names {
				argument := []string{"-c", "a.cpp", name}
				if strings.HasSuffix(name, "=") {
					argument[2] += map[string]string{
						"-fsycl-device-code-split=": "off", "-fsyclbin=": "input",
						"-qmkl=": "sequential", "-qmkl-ilp64=": "sequential", "-qmkl-sycl-impl=": "blas",
					}[name]
					if argument[2] == name {
						argument[2] += "x"
					}
				}
				switch {
				case f.Next:
					argument = append(argument, "-DX")
				case name == "-qmkl-sycl-impl=":
					argument = append(argument, "-qmkl")
				}
				l, err := parse(argument, fromFiles)
				if err == nil {
					if refused := (f.Destination == icpxflags.Error || f.Destination == icpxflags.Intel) && f.Sets == "" && f.Equivalent == nil; refused {
						t.Errorf("%q is taken: %s", argument, shown(l))
					}
					continue
				}
				if f.Destination != icpxflags.Error && f.Destination != icpxflags.Intel || f.Sets != "" || f.Equivalent != nil {
					t.Errorf("%q: %v", argument, err)
				}
				for _, word := range ofRules {
					if strings.Contains(err.Error(), word) {
						t.Errorf("%q: %v: %q is a word of the rules", argument, err, word)
					}
				}
			}
		}
	}
}

func TestLineUsage(t *testing.T) {
	for line := range strings.Lines(usage) {
		if len(line) > 101 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range []string{"-c a.cpp -o a.o", "@quotes", "@ring", "a.cpp -Wp,-MD,d -XsX -Xs '-device pvc' -fsycl-targets=spir64_gen", "-x c++ - --std=c++20 -MQ x -- -a"} {
		words, _ := divided(line, true)
		f.Add(strings.Join(words, "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, "\n")
		l, err := parse(slices.Clone(words), fromFiles)
		again, errAgain := parse(words, fromFiles)
		if !reflect.DeepEqual(l, again) || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Errorf("%q: %v and %v, %v and %v", words, l, again, err, errAgain)
		}
		if err != nil && cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("%q: %v", words, err)
		}
	})
}
