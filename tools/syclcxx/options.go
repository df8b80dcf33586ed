package main

import (
	"slices"
	"strings"
)

// A form says where an option has its value.
type form int

const (
	exact    form = iota // it has none
	joined               // behind its name, or nowhere
	separate             // in the next argument
	either               // behind its name or, when nothing is there, in the next argument
	equals               // behind = or in the next argument
)

// takers says who takes an option.
type takers int

const (
	forHost   takers = 1 << iota // the compile for the host
	forDevice                    // the compile for devices
	forLink                      // the link
	forWord                      // the link, at its place among the files
)

// A rule is what becomes of an option of gcc and clang.
type rule struct {
	name string
	form form
	to   takers
	do   func(p *parser, o *option) error // instead of giving it to the takers
}

// ruleOf returns the rule for an argument, the one with the longest name, or nil.
func ruleOf(arg string) *rule {
	for i := range rules {
		r := &rules[i]
		rest, ok := strings.CutPrefix(arg, r.name)
		if !ok {
			continue
		}
		switch {
		case rest == "", r.form == joined, r.form == either, r.form == equals && rest[0] == '=':
			return r
		}
	}
	return nil
}

// rules are those of all options with a meaning here, the longest names first.
var rules []rule

func init() {
	add := func(form form, to takers, names string) {
		for name := range strings.FieldsSeq(names) {
			rules = append(rules, rule{name: name, form: form, to: to})
		}
	}
	do := func(form form, do func(p *parser, o *option) error, names string) {
		for name := range strings.FieldsSeq(names) {
			rules = append(rules, rule{name: name, form: form, do: do})
		}
	}
	// What is preprocessed.
	add(either, forHost|forDevice, "-D -U -I -F -include -imacros -isystem -iquote -idirafter -isysroot -iprefix -iwithprefix -iwithprefixbefore -iframework")
	add(either, forHost|forDevice, "-ivfsoverlay -cxx-isystem -isystem-after")
	add(separate, forHost, "-include-pch -aux-info -dumpbase -dumpbase-ext -dumpdir -serialize-diagnostics --serialize-diagnostics -Xassembler -wrapper -MJ -imultilib -imultiarch")
	add(joined, forHost, "-d -Q -R -a")
	add(exact, forHost, "-ansi -C -CC -P -H -undef -traditional-cpp -pipe -time -MV")
	add(exact, forHost|forDevice, "-nostdinc -nostdinc++ -nostdlibinc -trigraphs -w -pedantic -pedantic-errors")
	do(joined, (*parser).preprocessor, "-Wp,")
	do(separate, (*parser).preprocessor, "-Xpreprocessor")
	do(exact, (*parser).depfile, "-MD -MMD -MP -MG")
	do(either, (*parser).depfile, "-MF -MT -MQ")
	do(exact, (*parser).mode, "-c -S -E -M -MM -fsyntax-only --check --help -help --version")
	do(joined, (*parser).hostOnly, "-print- --print- --help= --target-help -dumpversion -dumpmachine -dumpfullversion -dumpspecs")

	// The compiles.
	do(joined, (*parser).languageStandard, "-std=")
	do(joined, (*parser).warning, "-W")
	add(exact, forHost|forLink, "-Wsystem-headers") // the headers of libsycl have what warnings are about
	do(joined, (*parser).optimization, "-O")
	do(joined, (*parser).debug, "-g")
	do(joined, (*parser).feature, "-f")
	do(either, (*parser).language, "-x")
	add(joined, forHost, "-Wa, -save-temps")
	add(joined, forHost|forDevice|forLink, "-stdlib=")
	add(joined, forHost|forLink, "-m -p -pg --coverage")
	do(equals, (*parser).sysroot, "--sysroot")
	add(joined, forHost|forDevice|forLink, "--gcc-toolchain= --gcc-install-dir= --gcc-triple=")
	add(separate, forHost|forDevice, "-Xclang")
	add(separate, forHost|forLink, "-target -arch --param -mllvm")
	add(joined, forHost|forLink, "--param= --target= -specs= --specs= -Qunused-arguments -no-canonical-prefixes --driver-mode= --config=")
	add(either, forHost|forLink, "-B")
	do(joined, (*parser).emitLLVM, "-emit-llvm")

	// The link.
	add(either, forWord, "-l -L -z -u -T")
	add(separate, forWord, "-e -h -Tbss -Tdata -Ttext -Xlinker -framework")
	add(joined, forWord, "-Wl,")
	add(exact, forHost|forWord, "-pthread -pthreads")
	add(exact, forLink, "-shared -shared-libgcc -static-pie -pie -no-pie -nopie -nostdlib -nostdlib++ -nostartfiles -nodefaultlibs -nolibc -rdynamic -r -s -symbolic -t -n")
	add(joined, forLink, "-static -rtlib= --rtlib= -unwindlib= --unwindlib= --ld-path= -fuse-ld=")

	// Those of syclc++ and what decides what it does.
	do(exact, (*parser).show, "-v -###")
	do(either, (*parser).output, "-o")
	do(equals, (*parser).place, "--dpcpp --driver --host-headers --ocloc")
	slices.SortStableFunc(rules, func(a, b rule) int { return len(b.name) - len(a.name) })
}

// placeOptions are the options of syclc++ that say where something is.
var placeOptions = []string{"--dpcpp", "--driver", "--host-headers", "--ocloc", "--check"}

// features are the options -fX, with -fno-X, that libsycl-jit takes and that mean something to
// code for devices, or to what is said about it. A value is behind a name that ends in "=".
var features = func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(`
		fast-math math-errno fp-contract= fp-model= finite-math-only associative-math reciprocal-math
		unsafe-math-optimizations signed-zeros honor-nans honor-infinities approx-func
		cx-limited-range cx-fortran-rules denormal-fp-math= protect-parens

		access-control aligned-allocation aligned-new blocks builtin char8_t coroutines declspec
		delayed-template-parsing delete-null-pointer-checks dollars-in-identifiers exceptions
		exec-charset= experimental-library experimental-new-constant-interpreter
		input-charset= lax-vector-conversions ms-compatibility ms-extensions new-alignment=
		operator-names pack-struct pack-struct= permissive reflection rtti short-enums short-wchar
		signed-char sized-deallocation strict-aliasing strict-enums strict-overflow threadsafe-statics
		trivial-auto-var-init= unsigned-char wrapv wrapv-pointer

		bracket-depth= constexpr-backtrace-limit= constexpr-depth= constexpr-steps= error-limit=
		macro-backtrace-limit= max-errors= template-backtrace-limit= template-depth=

		debug-compilation-dir= debug-prefix-map= file-compilation-dir= file-prefix-map= macro-prefix-map=

		caret-diagnostics color-diagnostics diagnostics-color diagnostics-color= diagnostics-show-option
		message-length= show-column spell-checking

		finite-loops inline inline-functions jump-tables merge-all-constants slp-vectorize
		unroll-loops vectorize`) {
		out[name] = true
	}
	return out
}()

// isFeature reports whether the compile for devices takes an option -fX.
func isFeature(arg string) bool {
	name := strings.TrimPrefix(arg, "-f")
	if rest, ok := strings.CutPrefix(name, "no-"); ok {
		name = rest
	}
	if at := strings.IndexByte(name, '='); at >= 0 {
		name = name[:at+1]
	}
	return features[name] || strings.HasPrefix(arg, "-fno-builtin-") || strings.HasPrefix(arg, "-ftemplate-depth-")
}
