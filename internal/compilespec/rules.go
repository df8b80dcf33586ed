package compilespec

import (
	"slices"
	"strings"
)

// table holds all rules, sorted by descending length of names.
var table = func() (list []Rule) {
	add := func(form Form, reading Reading, to Step, names string) {
		for name := range strings.FieldsSeq(names) {
			list = append(list, Rule{name, form, to, reading})
		}
	}

	// The preprocessor
	add(Either, Copy, Host|Device, "-D -U -I -F -include -imacros -isystem -iquote -idirafter -isysroot -iprefix -iwithprefix -iwithprefixbefore -iframework")
	add(Either, Copy, Host|Device, "-ivfsoverlay -cxx-isystem -isystem-after -stdlib++-isystem -iwithsysroot")
	add(Either, Copy, Host, "-A")
	add(Separate, Copy, Host, "-include-pch -aux-info -dumpbase -dumpbase-ext -dumpdir -serialize-diagnostics --serialize-diagnostics -Xassembler -wrapper -imultilib -imultiarch -dependency-file -dependency-dot -mthread-model -Xanalyzer")
	add(Joined, Copy, Host, "-d -Q -R -a")
	add(Exact, Copy, Host, "-ansi -C -CC -P -H -undef -traditional-cpp -pipe -time -MV")
	add(Exact, Copy, Host|Device, "-nostdinc -nostdinc++ -nostdlibinc -trigraphs -w -pedantic -pedantic-errors")
	add(Joined, Preprocessor, Host, "-Wp,")
	add(Separate, Preprocessor, Host, "-Xpreprocessor")
	add(Exact, Depfile, 0, "-MD -MMD -MP -MG")
	add(Either, Depfile, 0, "-MF -MT -MQ -MJ")
	add(Exact, Mode, 0, "-c -S -E -M -MM -fsyntax-only --check --help -help --version")
	add(Joined, Query, 0, "-print- --print- --help= --target-help -dumpversion -dumpmachine -dumpfullversion -dumpspecs")

	// The compiles
	add(Joined, Standard, Host|Device, "-std=")
	add(Equals, Standard, Host|Device, "--std")
	add(Joined, Warning, Host|Device|Link, "-W")
	add(Exact, Copy, Host|Link, "-Wsystem-headers") // libsycl's headers cause warnings
	add(Joined, Optimization, Host|Device|Link, "-O")
	add(Joined, Debug, Host|Device|Link, "-g")
	add(Joined, Feature, Host|Device|Link, "-f")
	add(Either, Language, 0, "-x")
	add(Joined, Copy, Host, "-Wa, -save-temps")
	add(Joined, Copy, Host|Device|Link, "-stdlib=")
	add(Joined, Copy, Host|Link, "-m -p -pg --coverage")
	add(Joined, Copy, Host|Device|Link, "-march= -mtune=")
	add(Exact, Copy, Host|Device|Link, "-mlong-double-64 -mlong-double-80")
	for name := range strings.FieldsSeq(instructionSets) {
		add(Exact, Copy, Host|Device|Link, "-m"+name+" -mno-"+name)
	}
	add(Equals, Sysroot, Host|Device|Link, "--sysroot")
	add(Joined, Copy, Host|Device|Link, "--gcc-toolchain= --gcc-install-dir= --gcc-triple=")
	add(Separate, Copy, Host|Device, "-Xclang")
	add(Separate, Copy, Host|Link, "-target -arch --param -mllvm -Xarch_x86_64 -Xopenmp-target -Xoffload-linker -Xcuda-ptxas -Xcuda-fatbinary")
	add(Joined, Copy, Host|Link, "--param= --target= -Qunused-arguments -no-canonical-prefixes --driver-mode=")
	add(Equals, Copy, Host|Link, "-specs --specs --config --prefix -resource-dir -working-directory -ftrapv-handler")
	add(Either, Copy, Host|Link, "-B")
	add(Joined, Reject, 0, "-emit-llvm -ax") // -axCODE is an icpx option

	// The link
	add(Either, Copy, Placed, "-l -L -z -u -T")
	add(Separate, Copy, Placed, "-e -h -Tbss -Tdata -Ttext -Xlinker -framework -rpath")
	add(Joined, Copy, Placed, "-Wl,")
	add(Exact, Copy, Host|Device|Placed, "-pthread")
	add(Exact, Copy, Host|Placed, "-pthreads")
	add(Exact, Copy, Link, "-shared -shared-libgcc -static-pie -pie -no-pie -nopie -nostdlib -nostdlib++ -nostartfiles -nodefaultlibs -nolibc -rdynamic -r -s -symbolic -t -n")
	add(Joined, Copy, Link, "-static -rtlib= --rtlib= -unwindlib= --unwindlib= --ld-path= -fuse-ld=")

	// Options of the command itself.
	add(Exact, Set, 0, "-v -### --require-images --skip-rejected-images")
	add(Either, Output, 0, "-o")
	add(Equals, Location, 0, "--dpcpp --driver --host-headers --ocloc --share-gpu-families")

	slices.SortStableFunc(list, func(a, b Rule) int { return len(b.Name) - len(a.Name) })
	return list
}()

// instructionSets lists the x86 options -mX that libsycl-jit accepts. Device code does not contain
// these instructions, but sources check the macros that the options define, such as __AVX2__, and
// both compiles must see the same source. libsycl-jit rejects gcc's other options -mX, such as
// -mfpmath=.
const instructionSets = `
	mmx sse sse2 sse3 ssse3 sse4 sse4.1 sse4.2 sse4a avx avx2 avx512f avx512bw avx512cd avx512dq avx512vl
	avx512ifma avx512vbmi avx512vbmi2 avx512vnni avx512bitalg avx512vpopcntdq avx512bf16 avx512fp16
	avx512vp2intersect avxvnni avxifma avxvnniint8 avxvnniint16 avxneconvert avx10.1 avx10.2 fma fma4 f16c
	bmi bmi2 lzcnt popcnt aes vaes pclmul vpclmulqdq gfni sha sha512 sm3 sm4 adx rdrnd rdseed fsgsbase fxsr
	xsave xsavec xsaveopt xsaves clflushopt clwb clzero prfchw movbe cx16 sahf xop tbm lwp rtm pku waitpkg
	serialize tsxldtrk kl widekl hreset uintr movdiri movdir64b enqcmd cldemote ptwrite invpcid rdpid shstk
	wbnoinvd pconfig cmpccxadd raoint prefetchi amx-tile amx-int8 amx-bf16 amx-fp16 amx-complex mwaitx rdpru
	crc32 usermsr`

// deviceFeatures lists the options -fX that libsycl-jit accepts and that change device code or its
// diagnostics. It does not list rtti: -fno-rtti applies only to the host, because libsycl's headers
// need typeid in device code.
var deviceFeatures = slices.Sorted(strings.FieldsSeq(`
	fast-math math-errno fp-contract= fp-model= finite-math-only associative-math reciprocal-math
	unsafe-math-optimizations signed-zeros honor-nans honor-infinities approx-func
	cx-limited-range cx-fortran-rules denormal-fp-math= protect-parens

	access-control aligned-allocation aligned-new blocks builtin char8_t coroutines declspec
	delayed-template-parsing delete-null-pointer-checks dollars-in-identifiers exceptions
	exec-charset= experimental-library experimental-new-constant-interpreter
	input-charset= lax-vector-conversions ms-compatibility ms-extensions new-alignment=
	operator-names pack-struct pack-struct= permissive reflection short-enums short-wchar
	signed-char sized-deallocation strict-aliasing strict-enums strict-overflow threadsafe-statics
	trivial-auto-var-init= unsigned-char wrapv wrapv-pointer

	bracket-depth= constexpr-backtrace-limit= constexpr-depth= constexpr-steps= error-limit=
	macro-backtrace-limit= max-errors= template-backtrace-limit= template-depth=

	debug-compilation-dir= debug-prefix-map= file-compilation-dir= file-prefix-map= macro-prefix-map=

	caret-diagnostics color-diagnostics diagnostics-color diagnostics-color= diagnostics-show-option
	message-length= show-column spell-checking

	finite-loops inline inline-functions jump-tables merge-all-constants slp-vectorize
	unroll-loops vectorize`))

// featureFamilies are the prefixes of further such options.
var featureFamilies = []string{"-fno-builtin-", "-ftemplate-depth-"}
