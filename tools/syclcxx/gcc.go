package main

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/compilespec"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// languages maps file name extensions to languages, as g++ and clang++ do.
var languages = map[string]string{
	".C": "c++", ".c": "c++", ".cc": "c++", ".cp": "c++", ".cpp": "c++", ".CPP": "c++", ".cxx": "c++", ".c++": "c++",
	".CC": "c++", ".CXX": "c++", ".C++": "c++",
	".i": "c++-cpp-output", ".ii": "c++-cpp-output",
	".h": "c++-header", ".H": "c++-header", ".hh": "c++-header", ".hp": "c++-header", ".hpp": "c++-header",
	".HPP": "c++-header", ".hxx": "c++-header", ".h++": "c++-header", ".tcc": "c++-header",
	".s": "assembler", ".S": "assembler-with-cpp", ".sx": "assembler-with-cpp",
	".cu": "cuda", ".hip": "hip",
}

// xLanguages are the values of -x. Without SYCL, the host compiler checks the value.
var xLanguages = []string{
	"assembler", "assembler-with-cpp", "c", "c++", "c++-cpp-output", "c++-header", "c++-system-header",
	"c++-user-header", "c-header", "cpp-output", "cuda", "hip", "ir", "none",
}

func (p *parser) input(o *option) error {
	if o.value == "" {
		return cli.Usagef("empty argument; remove it")
	}
	if strings.HasPrefix(o.value, "-") && o.value != "-" {
		o.value = "./" + o.value // prevents programs from reading it as an option
	}
	language := p.x
	if language == "" && o.value != "-" {
		language = languages[filepath.Ext(o.value)]
		if p.c {
			language = cmp.Or(map[string]string{".c": "c", ".i": "cpp-output", ".h": "c-header"}[filepath.Ext(o.value)], language)
		}
	}
	p.line.Words = append(p.line.Words, lineWord{Input: &lineInput{Path: o.value, Language: language}})
	return nil
}

func (p *parser) language(o *option) error {
	if p.line.SYCL && !slices.Contains(xLanguages, o.value) {
		if !strings.HasSuffix(o.words[0], "x") && strings.ToUpper(o.value) == o.value {
			return cli.Usagef("%s: unknown language %q (for a CPU instruction set use -march=)", o.text(), o.value)
		}
		return cli.Usagef("%s: unknown language; %s", o.text(), safetext.Suggest(o.value, xLanguages))
	}
	p.x = strings.TrimSuffix(o.value, "none")
	return nil
}

func (p *parser) mode(o *option) error {
	p.modes[o.name] = true
	l := &p.line
	switch o.name {
	case "-M", "-MM":
		l.Depfile.System = o.name == "-M"
		p.addOptions(forHost, o.name)
	case "--check":
		l.Mode = modeCheck
	case "--version":
		l.Mode = modeVersion
	case "--help", "-help":
		l.Mode = modeHelp
	}
	return nil
}

func (p *parser) hostOnly(o *option) error {
	p.asked = append(p.asked, o.words...)
	return nil
}

func (p *parser) flag(o *option) error {
	p.line.Verbose = p.line.Verbose || o.name == "-v"
	p.line.DryRun = p.line.DryRun || o.name == "-###"
	p.line.RequireImages = p.line.RequireImages || o.name == "--require-images"
	p.line.SkipRejected = p.line.SkipRejected || o.name == "--skip-rejected-images"
	return nil
}

func (p *parser) output(o *option) error {
	if o.value == "" {
		return cli.Usagef("-o: empty file name")
	}
	p.line.Output = o.value
	return nil
}

func (p *parser) place(o *option) error {
	if o.value == "" {
		return cli.Usagef("%s: missing value", o.text())
	}
	l := &p.line
	*map[string]*string{"--dpcpp": &l.DPCPP, "--driver": &l.Driver, "--host-headers": &l.HostHeaders, "--ocloc": &l.Ocloc, "--share-gpu-families": &l.ShareFamilies}[o.name] = o.value
	return nil
}

func (p *parser) depfile(o *option) error {
	d := &p.line.Depfile
	switch o.name {
	case "-MD", "-MMD":
		d.Write, d.System = true, o.name == "-MD"
	case "-MP":
		d.Phony = true
	case "-MG":
		d.Missing = true
	case "-MF":
		d.File = o.value
	case "-MJ":
		p.line.Database = o.value
	case "-MT":
		d.Targets = append(d.Targets, o.value)
	case "-MQ":
		d.Targets = append(d.Targets, buildstep.EscapedDepfile(o.value))
	}
	return nil
}

// preprocessor collects the options for gcc's preprocessor, because an option and its value may be
// in two arguments.
func (p *parser) preprocessor(o *option) error {
	pieces := []string{o.value}
	if o.name == "-Wp," {
		pieces = strings.Split(o.value, ",")
	}
	p.preprocess = append(p.preprocess, pieces...)
	p.preprocessOf = o.text()
	return nil
}

// preprocessed handles the collected options for the preprocessor. Options that the device compile
// supports also apply to devices, and dependency files cover the whole compile. All other options
// are passed to the host compile.
func (p *parser) preprocessed() error {
	for pieces := p.preprocess; len(pieces) > 0; {
		piece := pieces[0]
		pieces = pieces[1:]
		o, next := option{words: []string{piece}}, false
		if r := compilespec.Find(piece); r != nil {
			rule := *r
			rule.To &^= forLink | forWord
			o.name, o.rule = r.Name, &rule
			o.value, next = r.Value(piece)
			next = next || r.Name == "-MD" || r.Name == "-MMD"
		}
		if next {
			if len(pieces) == 0 {
				return cli.Usagef("%s: missing value of %s", p.preprocessOf, piece)
			}
			o.value = pieces[0]
			o.words = append(o.words, pieces[0])
			pieces = pieces[1:]
		}
		if err := p.preprocessorOption(&o); err != nil {
			return err
		}
	}
	return nil
}

// preprocessorOption handles one option for the preprocessor.
func (p *parser) preprocessorOption(o *option) error {
	switch {
	case o.rule == nil:
	case o.name == "-MD" || o.name == "-MMD":
		p.line.Depfile.File = o.value
		return p.depfile(o)
	case o.rule.Reading == compilespec.Depfile, o.name == "-M", o.name == "-MM":
		return readers[o.rule.Reading](p, o)
	case slices.Contains(notPreprocessing, o.rule.Reading):
		return cli.Usagef("%s: not an option of the preprocessor; use it without -Wp or -Xpreprocessor", o.text())
	case o.rule.DeviceWords(o.words, o.value) == nil:
	case readers[o.rule.Reading] != nil:
		return readers[o.rule.Reading](p, o)
	default:
		p.pass(o)
		return nil
	}
	for _, w := range o.words {
		p.addOptions(forHost, "-Xpreprocessor", w)
	}
	return nil
}

// notPreprocessing are the kinds of options that select the inputs and outputs of a command line.
var notPreprocessing = []compilespec.Reading{compilespec.Mode, compilespec.Language, compilespec.Output, compilespec.Reject}

func (p *parser) languageStandard(o *option) error {
	p.line.StandardGiven = p.line.StandardGiven || strings.Contains(o.value, "++")
	p.pass(o)
	return nil
}

func (p *parser) warning(o *option) error {
	p.warnings = true
	p.pass(o)
	return nil
}

// debug parses the rest of a -g option, which decides whether device code has debug information.
func (p *parser) debug(o *option) error {
	if device := o.rule.DeviceWords(o.words, o.value); device != nil {
		p.line.DebugInfo = device[0] != "-g0"
	}
	p.pass(o)
	return nil
}

// feature parses the rest of a -f option.
func (p *parser) feature(o *option) error {
	arg := o.words[0]
	if strings.HasPrefix(arg, "-fsycl") || strings.HasPrefix(arg, "-fno-sycl") {
		// An option with "no" is not a misspelling of its opposite.
		isOff := strings.HasPrefix(arg, "-fno-")
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(flags)), func(name string) bool { return strings.HasPrefix(name, "-fno-") != isOff })
		name, value, _ := strings.Cut(arg, "=")
		if name != arg {
			name += "="
		}
		if near := safetext.Nearest(name, slices.Values(names), 1); near != nil {
			if strings.HasSuffix(near[0], "=") {
				near[0] += value
			}
			return cli.Usagef("unknown option %s; did you mean %s?", arg, near[0])
		}
		return cli.Usagef("unknown option %s; if DPC++'s compiler supports it, use -Xarch_device %s", arg, arg)
	}
	p.pass(o)
	return nil
}

func (p *parser) sysroot(o *option) error {
	o.words = []string{"--sysroot=" + o.value}
	p.pass(o)
	return nil
}

func (p *parser) reject(o *option) error {
	isProcessor := o.name == "-ax"
	if !isProcessor && !p.line.SYCL || isProcessor && p.intelHost() {
		p.addOptions(forHost|forLink, o.words...)
		return nil
	}
	if isProcessor {
		return cli.Usagef("%s: an icpx option; use -march= for one processor, as in -march=haswell", o.text())
	}
	return cli.Usagef("%s: not supported, because objects with device code contain machine code for the host; remove it", o.text())
}
