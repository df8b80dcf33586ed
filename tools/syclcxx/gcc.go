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
}

// behindX are the languages that -x accepts.
var behindX = []string{
	"assembler", "assembler-with-cpp", "c", "c++", "c++-cpp-output", "c++-header", "c++-system-header",
	"c++-user-header", "c-header", "cpp-output", "ir", "none",
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
	if !slices.Contains(behindX, o.value) {
		if !strings.HasSuffix(o.words[0], "x") && strings.ToUpper(o.value) == o.value {
			return cli.Usagef("%s: unknown language %q (for a CPU instruction set use -march=)", o.text(), o.value)
		}
		return cli.Usagef("%s: unknown language; %s", o.text(), safetext.Suggest(o.value, behindX))
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
		p.give(forHost, o.name)
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
	case "-MT":
		d.Targets = append(d.Targets, o.value)
	case "-MQ":
		d.Targets = append(d.Targets, buildstep.EscapedDepfile(o.value))
	}
	return nil
}

// preprocessor handles options that gcc passes to its preprocessor: macros also apply to devices,
// and dependency files cover the whole compile.
func (p *parser) preprocessor(o *option) error {
	pieces := []string{o.value}
	if o.name == "-Wp," {
		pieces = strings.Split(o.value, ",")
	}
	for i := 0; i < len(pieces); i++ {
		piece := pieces[i]
		r := compilespec.Find(piece)
		if r == nil || o.name == "-Xpreprocessor" && piece == r.Name && r.Form != compilespec.Exact {
			p.give(forHost, "-Xpreprocessor", piece)
			continue
		}
		inner := option{name: r.Name, rule: r, value: piece[len(r.Name):], words: []string{piece}}
		if inner.value == "" && (r.Form == compilespec.Either || r.Name == "-MD" || r.Name == "-MMD") {
			if i++; i == len(pieces) {
				return cli.Usagef("%s: missing value of %s", o.text(), piece)
			}
			inner.value = pieces[i]
			inner.words = append(inner.words, pieces[i])
		}
		switch {
		case r.Name == "-MD" || r.Name == "-MMD":
			p.line.Depfile.File = inner.value
			fallthrough
		case r.Reading == compilespec.Depfile:
			if err := p.depfile(&inner); err != nil {
				return err
			}
		case r.Form == compilespec.Either && r.To == forHost|forDevice:
			p.give(forHost|forDevice, inner.words...)
		default:
			for _, w := range inner.words {
				p.give(forHost, "-Xpreprocessor", w)
			}
		}
	}
	return nil
}

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
		names := slices.Sorted(maps.Keys(flags))
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

func (p *parser) emitLLVM(o *option) error {
	return cli.Usagef("%s: not supported, because objects with device code contain machine code for the host; remove it", o.text())
}
