package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/compilespec"
	"github.com/rules-sycl/rules_sycl/internal/icpxflags"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A lineMode is the kind of output that a command line requests.
type lineMode int

const (
	modeLink       lineMode = iota // a program or a shared library
	modeObject                     // objects: -c
	modeAssembly                   // assembler source: -S
	modePreprocess                 // preprocessed source: -E; or dependencies: -M and -MM, which are in Host
	modeSyntax                     // nothing: -fsyntax-only
	modeHostOnly                   // queries to the host compiler, such as -print-... or only -v; all options are in Host
	modeVersion                    // the version of syclc++
	modeCheck                      // report of installed and missing components
	modeHelp
)

// A commandLine is a parsed syclc++ command line: the options of icpx, gcc and clang, translated
// for the device compile, the host compile, the native compilers and the link. Package icpxflags
// defines the translation of icpx options. Parsing reads no files except response files (@FILE).
type commandLine struct {
	Mode   lineMode
	Words  []lineWord // files and link options whose order matters
	Output string     // "" if -o was not given

	Host   []string // options for the host compile
	Device []string // options for the device compile by libsycl-jit
	Link   []string // link options whose order does not matter

	Depfile       depfileOptions
	Database      string   // file for the compilation database (-MJ), "" for none
	Arguments     []string // arguments for the compilation database
	SYCL          bool     // whether sources are SYCL
	StandardGiven bool     // whether -std is in Host and Device

	Targets       []string // as written, without -unknown-unknown, and intel_gpu_* for spir64_gen; nil if none were given
	FixedTargets  []string
	DeviceConfigs []string         // device configuration files
	Split         string           // auto, per_source, per_kernel or off
	RDC           bool             // whether device code is linked when the program is
	NoRDC         bool             // -fno-sycl-rdc
	Syclbin       string           // state of the SYCLBIN to write: input, object or executable; "" for none
	LinkDevice    bool             // whether the device code of objects is linked: -fsycl-link
	Preview       bool             // whether the program is linked against libsycl-preview
	MKL           oneMKL           // how oneMKL is linked
	Backend       []backendOptions // options for native compilers
	EmulateDouble bool             // -fsycl-fp64-conv-emu
	DebugInfo     bool             // whether device code has debug information

	HostCompiler, DPCPP, Driver, HostHeaders, Ocloc string // "" if not given
	ShareFamilies                                   string // value of --share-gpu-families, "" for the default

	RequireImages bool // whether each kernel must have an image for at least one target
	SkipRejected  bool // images that ocloc rejects are omitted

	Verbose bool // -v
	DryRun  bool // -###
}

// A lineWord is an input file, or a link option if Input is empty.
type lineWord struct {
	Input  *lineInput
	Option []string
}

// A lineInput is a file to compile or link.
type lineInput struct {
	Path     string // "-" for standard input
	Language string // as after -x: c++, c++-header, assembler, ...; "" for linker inputs
}

// depfileOptions are the options for the dependency file.
type depfileOptions struct {
	Write   bool // whether to write it in addition to other outputs: -MD and -MMD
	System  bool // whether system headers are listed
	Phony   bool // -MP
	Missing bool // -MG
	Append  bool // whether it is appended to File, as for the environment variables of g++
	File    string
	Targets []string // in make syntax; nil for the name of the object
}

// backendOptions are options for the compilers that compile SPIR-V to native code.
type backendOptions struct {
	Target string // a target, "intel_gpu_*", "*" for all targets, or "" if there is only one
	Native []string
	JIT    []string // options for compilation at run time
	Option string   // as written on the command line
}

// A parser builds a commandLine from options.
type parser struct {
	line       commandLine
	modes      map[string]bool
	x          string   // language of the following files; "" to derive it from the file name
	warnings   bool     // whether warning options were given
	generic    bool     // whether spir64_gen is among the targets
	devices    []string // values of ocloc's -device
	deviceOf   string   // the option that sets -device
	unfinished backendValue
	asked      []string // queries such as -print-...
	c          bool     // whether .c and .i files are C, and sources are not SYCL
	libraries  []string // linked after all files
	onlyDevice bool     // whether only device code is compiled because of -fsyclbin

	preprocess   []string // options for the preprocessor and their values
	preprocessOf string   // the argument that contained the last one
}

// A backendValue is the value of an option for native compilers that ends before the argument of
// its last word, such as the first value in -Xs -device -Xs pvc.
type backendValue struct {
	option, text string
	words        []string
}

// missing returns the error for an unfinished value, or nil.
func (v backendValue) missing() error {
	if v.words == nil {
		return nil
	}
	return cli.Usagef("%s: missing value after %s", v.text, v.words[len(v.words)-1])
}

// parseLine parses the arguments of syclc++.
func parseLine(args []string) (*commandLine, error) { return parse(args, readFile) }

// parseC parses the arguments of syclc++ if its name is icx: without -fsycl, icx is a C compiler.
func parseC(args []string) (*commandLine, error) { return parseAs(&parser{c: true}, args, readFile) }

func parse(args []string, read func(string) ([]byte, error)) (*commandLine, error) {
	return parseAs(&parser{}, args, read)
}

func parseAs(p *parser, args []string, read func(string) ([]byte, error)) (*commandLine, error) {
	args, err := expanded(args, nil, read)
	if err != nil {
		return nil, err
	}
	all, err := options(args)
	if err != nil {
		return nil, err
	}
	p.line = commandLine{SYCL: !p.c, Split: "auto", Depfile: depfileOptions{System: true}}
	p.modes = map[string]bool{}
	for _, o := range all { // these also affect the options before them
		switch {
		case o.flag == nil:
		case o.flag.Sets == icpxflags.SYCL:
			p.line.SYCL = o.words[0] == "-fsycl"
			p.c = p.c && !p.line.SYCL
		case o.flag.Sets == icpxflags.HostCompiler:
			p.line.HostCompiler = o.value
		case o.flag.Sets == icpxflags.SYCLBIN:
			p.onlyDevice = true
		}
	}
	p.line.SYCL = p.line.SYCL || p.onlyDevice
	for _, o := range all {
		switch {
		case o.input:
			err = p.input(&o)
		case o.flag != nil:
			err = p.icpx(&o)
		case o.rule == nil:
			err = p.unknown(&o)
		case readers[o.rule.Reading] != nil:
			err = readers[o.rule.Reading](p, &o)
		default:
			p.pass(&o)
		}
		if err != nil {
			return nil, err
		}
	}
	if p.line.Database != "" {
		p.line.Arguments = recordedArguments(all)
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return &p.line, nil
}

// addOptions adds words to the options of the given steps.
func (p *parser) addOptions(to compilespec.Step, words ...string) {
	l := &p.line
	if to&forHost != 0 {
		l.Host = append(l.Host, words...)
	}
	if to&forDevice != 0 {
		l.Device = append(l.Device, words...)
	}
	if to&forLink != 0 {
		l.Link = append(l.Link, words...)
	}
	if to&forWord != 0 {
		l.Words = append(l.Words, lineWord{Option: words})
	}
}

// intelHost reports whether the host compiler is Intel's, which accepts all icpx options.
func (p *parser) intelHost() bool {
	return slices.Contains([]string{"icpx", "icx", "dpcpp"}, filepath.Base(p.line.HostCompiler))
}

// icpx handles an option that is in the icpxflags table.
func (p *parser) icpx(o *option) error {
	f, l := o.flag, &p.line
	if !l.SYCL && (isOffloadOption(o.name) || o.name == "-ffp-model=") {
		p.addOptions(forHost|forLink, o.words...)
		return nil
	}
	if !l.SYCL && isOnlySYCL(f) {
		return nil
	}
	value, wrong := []string(nil), ""
	if f.Next {
		if value, wrong = divided(o.value, true); wrong != "" {
			return cli.Usagef("%s: its value %s", o.text(), wrong)
		}
	}
	if f.Destination == icpxflags.Intel && p.intelHost() {
		p.addOptions(forHost|forLink, o.words...)
		return nil
	}
	if f.Sets != "" {
		return p.set(o)
	}
	if p.onlyDevice && o.name == "-fsycl-device-only" {
		return nil // which is always the case
	}
	replaced := func(wanted []string) []string {
		switch {
		case wanted == nil:
			return o.words
		case len(wanted) == 1 && wanted[0] == "{}":
			return value
		}
		return wanted
	}
	switch f.Destination {
	case icpxflags.Device:
		p.addOptions(forDevice, replaced(f.Device)...)
	case icpxflags.Both:
		p.addOptions(forDevice, replaced(f.Device)...)
		p.addOptions(forHost, f.Host...)
	case icpxflags.Host:
		if o.name == "-Xarch_host" {
			return p.archHost(value)
		}
		p.addOptions(forHost|forLink, replaced(f.Host)...)
	case icpxflags.Backend:
		return p.backend(o, value)
	case icpxflags.Emulation:
		l.EmulateDouble = true
	case icpxflags.Error, icpxflags.Intel:
		if f.Equivalent != nil {
			if strings.HasPrefix(f.Equivalent[0], "-l") {
				p.libraries = append(p.libraries, f.Equivalent...)
				break
			}
			p.addOptions(forHost|forLink, f.Equivalent...)
			break
		}
		if target := strings.TrimSuffix(o.value, "-unknown-unknown"); o.name == "-Xsycl-target-frontend=" && target == "spir64" {
			p.addOptions(forDevice, value...)
			break
		}
		return cli.Usagef("%s: %s", o.text(), strings.ReplaceAll(cmp.Or(f.Command, f.Why), "{}", o.value))
	}
	return nil
}

// archHost handles the value of -Xarch_host, which may contain icpx options.
func (p *parser) archHost(words []string) error {
	all, err := options(words)
	if err != nil {
		all = []option{{words: words}} // the host compiler reports the error
	}
	for _, o := range all {
		if o.flag == nil || o.flag.Sets != "" {
			p.addOptions(forHost|forLink, o.words...)
			continue
		}
		own := &parser{line: commandLine{SYCL: true, HostCompiler: p.line.HostCompiler}}
		if err := own.icpx(&o); err != nil {
			return err
		}
		p.addOptions(forHost, own.line.Host...)
		p.addOptions(forLink, own.line.Link...)
		p.libraries = append(p.libraries, own.libraries...)
	}
	return nil
}

// set handles an option that sets a field of the command line.
func (p *parser) set(o *option) error {
	l := &p.line
	if strings.HasSuffix(o.name, "=") && o.value == "" {
		return cli.Usagef("%s: missing value after =", o.text())
	}
	no := strings.HasPrefix(strings.TrimPrefix(o.name, "-f"), "no-") || strings.HasPrefix(o.name, "--no-")
	switch o.flag.Sets {
	case icpxflags.Targets:
		l.Targets, p.generic = nil, false
		for target := range strings.SplitSeq(o.value, ",") {
			switch target = strings.TrimSuffix(target, "-unknown-unknown"); target {
			case "spir64_gen":
				p.generic = true
			case "":
				return cli.Usagef("%s: empty target in the list", o.text())
			default:
				l.Targets = append(l.Targets, target)
			}
		}
	case icpxflags.FixedTargets:
		l.FixedTargets = strings.Split(o.value, ",")
		for i, target := range l.FixedTargets {
			l.FixedTargets[i] = strings.TrimSuffix(target, "-unknown-unknown")
		}
	case icpxflags.DeviceConfig:
		l.DeviceConfigs = append(l.DeviceConfigs, o.value)
	case icpxflags.Split:
		splits := []string{"auto", "per_source", "per_kernel", "off"}
		l.Split = cmp.Or(o.value, "auto")
		if !slices.Contains(splits, l.Split) {
			return cli.Usagef("%s: unknown mode; %s", o.text(), safetext.Suggest(o.value, splits))
		}
	case icpxflags.RDC:
		l.RDC, l.NoRDC = !no, no
	case icpxflags.SYCLBIN:
		states := []string{"executable", "input", "object"}
		l.Syclbin = cmp.Or(o.value, "executable")
		if !slices.Contains(states, l.Syclbin) {
			return cli.Usagef("%s: unknown state; %s", o.text(), safetext.Suggest(o.value, states))
		}
	case icpxflags.LinkDevice:
		l.LinkDevice = true
	case icpxflags.Preview, icpxflags.NoPreview:
		l.Preview = !no
	case icpxflags.OneMKL:
		return p.oneMKL(o)
	case icpxflags.SYCL, icpxflags.HostCompiler: // handled before the other options
	case icpxflags.HostOptions:
		words, wrong := divided(o.value, true)
		if wrong != "" {
			return cli.Usagef("%s: its value %s", o.text(), wrong)
		}
		p.addOptions(forHost, words...)
	}
	return nil
}

// ofOcloc maps options of ocloc itself, as opposed to compiler options, to what replaces them.
var ofOcloc = map[string]string{
	"-device_options":   `use -Xsycl-target-backend=intel_gpu_... "..."`,
	"-internal_options": "the driver sets them at run time; remove it",
	"-revision_id":      "list the device in -fsycl-targets=, as an intel_gpu_* target",
}

// backend handles an option for native compilers.
func (p *parser) backend(o *option, value []string) error {
	b := backendOptions{Target: "*", Native: o.flag.Native, JIT: o.flag.JIT, Option: o.text()}
	name := o.words[0]
	if o.name == "-Xs" {
		name = o.name // -XsX means -Xs -X
	}
	if p.unfinished.option == name { // icpx joins the values
		value = append(p.unfinished.words, value...)
		p.unfinished = backendValue{}
	}
	isCommand := false // whether these are ocloc arguments, which the runtime's compilers may not accept
	for i := 0; i < len(value); i++ {
		switch w := value[i]; {
		case w == "-options" || w == "-device":
			if i++; i == len(value) {
				err := p.unfinished.missing()
				p.unfinished = backendValue{option: name, text: o.text(), words: value}
				return err
			}
			if w == "-options" {
				b.Native = append(slices.Clip(b.Native), value[i])
				continue
			}
			p.devices, p.deviceOf = append(p.devices, strings.Split(value[i], ",")...), o.text()
			isCommand = true
		case ofOcloc[w] != "":
			return cli.Usagef("%s: %s is an option of ocloc itself; %s", o.text(), w, ofOcloc[w])
		default:
			b.Native = append(slices.Clip(b.Native), w)
			b.JIT = append(slices.Clip(b.JIT), w)
		}
	}
	if isCommand {
		b.JIT = nil
	}
	switch option, target, _ := strings.Cut(o.words[0], "="); {
	case option != "-Xsycl-target-backend":
	case strings.HasPrefix(target, "spir64_gen"):
		b.Target = "intel_gpu_*"
	default:
		b.Target = strings.TrimSuffix(target, "-unknown-unknown")
	}
	if len(b.Native)+len(b.JIT) > 0 {
		p.line.Backend = append(p.line.Backend, b)
	}
	return nil
}

// unknown handles an option that is not in any table.
func (p *parser) unknown(o *option) error {
	if strings.HasPrefix(o.name, "--") {
		name, _, _ := strings.Cut(o.name, "=")
		if near := safetext.Nearest(name, slices.Values(ownOptions), 1); near != nil {
			return cli.Usagef("unknown option %s; did you mean %s?", o.text(), near[0])
		}
	}
	p.addOptions(forHost, o.words...)
	return nil
}

// finish handles combinations of options after all options are parsed.
func (p *parser) finish() error {
	l := &p.line
	if err := p.unfinished.missing(); err != nil {
		return err
	}
	if l.Mode == modeHelp || l.Mode == modeVersion || l.Mode == modeCheck {
		return nil
	}
	if err := p.preprocessed(); err != nil {
		return err
	}
	if err := p.checkOneMKL(); err != nil {
		return err
	}
	p.chooseMode()
	inputs, sources, err := p.countInputs()
	if err != nil {
		return err
	}
	if l.Mode == modeLink && inputs == 0 {
		p.askHost()
	}
	if l.Mode == modeHostOnly {
		l.Host = append(l.Host, p.asked...)
		return nil
	}
	if inputs == 0 {
		return cli.Usagef("no input files")
	}
	if sources > 0 && l.Depfile.Missing && !p.modes["-M"] && !p.modes["-MM"] {
		return cli.Usagef("-MG requires -M or -MM")
	}
	for _, library := range p.libraries {
		l.Words = append(l.Words, lineWord{Option: []string{library}})
	}
	if l.Output != "" && sources > 1 && l.Mode != modeLink && l.Syclbin == "" && !l.LinkDevice {
		return cli.Usagef("cannot use -o %s with %d output files; omit -o or compile one source at a time", l.Output, sources)
	}
	if l.Preview {
		const option = "-fpreview-breaking-changes"
		p.addOptions(forDevice, option)
		p.addOptions(forHost, flags[option].Host...)
	}
	if slices.Contains(l.Device, "-no-ftz") {
		for i, option := range l.Link {
			l.Link[i] = cmp.Or(withFTZ[option], option)
		}
	}
	if p.warnings {
		p.addOptions(forDevice, compilespec.AddedOptions(compilespec.Command, forDevice, compilespec.Last, compilespec.Warnings, nil)...)
	}
	return p.targets()
}

// withFTZ maps link options that make g++ and clang add code to the program that flushes denormals
// to zero. The replacements do not have this effect. The compiles keep the original options.
var withFTZ = map[string]string{"-Ofast": "-O3", "-ffast-math": "-fno-fast-math", "-funsafe-math-optimizations": "-fno-unsafe-math-optimizations"}

// chooseMode sets the mode from the options that select one.
func (p *parser) chooseMode() {
	l := &p.line
	switch {
	case len(p.asked) > 0:
		l.Mode = modeHostOnly
	case p.modes["-E"] || p.modes["-M"] || p.modes["-MM"]:
		l.Mode = modePreprocess
	case p.modes["-fsyntax-only"]:
		l.Mode = modeSyntax
	case p.modes["-S"]:
		l.Mode = modeAssembly
	case p.modes["-c"]:
		l.Mode = modeObject
	}
}

// countInputs returns the number of input files, and how many of them are sources.
func (p *parser) countInputs() (inputs, sources int, err error) {
	l := &p.line
	for i, w := range l.Words {
		switch {
		case w.Input == nil:
			if strings.HasPrefix(w.Option[0], "-l") {
				inputs++
			}
		case w.Input.Path == "-" && w.Input.Language == "":
			if l.Mode != modePreprocess {
				return 0, 0, cli.Usagef("-: unknown language of standard input; add -x c++ before it")
			}
			l.Words[i].Input.Language = "c++"
			inputs, sources = inputs+1, sources+1
		case w.Input.Language == "":
			inputs++
		default:
			inputs, sources = inputs+1, sources+1
		}
	}
	return inputs, sources, nil
}

// askHost passes queries to the host compiler if there is nothing to link.
func (p *parser) askHost() {
	l := &p.line
	if l.Verbose || l.DryRun {
		l.Mode = modeHostOnly
		query := "-###"
		if l.Verbose {
			query = "-v"
		}
		p.asked = append(p.asked, query)
	}
	if l.Mode == modeLink && slices.ContainsFunc(l.Words, asksLinker) {
		l.Mode = modeHostOnly
		p.asked = append(p.asked, l.Link...)
		for _, w := range l.Words {
			p.asked = append(p.asked, w.Option...)
		}
		l.Words = nil
	}
}

// asksLinker reports whether a word requests the linker's version, as build systems do.
func asksLinker(w lineWord) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(w.Option, ","), ","), func(option string) bool {
		return slices.Contains([]string{"--version", "-v", "-V", "--help"}, option)
	})
}

// targets adds the targets that correspond to ocloc's -device.
func (p *parser) targets() error {
	l := &p.line
	if l.Mode == modePreprocess || l.Mode == modeSyntax {
		return nil // no code is generated
	}
	if !p.generic {
		if p.deviceOf != "" {
			return cli.Usagef("%s: requires -fsycl-targets=spir64_gen; add it, or specify the GPU, as in -fsycl-targets=intel_gpu_pvc", p.deviceOf)
		}
		return nil
	}
	if len(p.devices) == 0 {
		if l.RDC && l.Mode != modeLink {
			return nil // native code is compiled when linking
		}
		return cli.Usagef("-fsycl-targets=spir64_gen: no device given; specify the GPU, as in -fsycl-targets=intel_gpu_pvc, both when compiling and when linking")
	}
	config := deviceconfig.Default()
	for _, device := range p.devices {
		targets := targetsOf(config, device)
		if targets == nil {
			text := "use a target name in -fsycl-targets="
			if near := config.Nearest(targetName(device)); len(near) > 0 {
				text = "did you mean -fsycl-targets=" + near[0] + "?"
			}
			return cli.Usagef("%s: unknown device %s; %s", p.deviceOf, device, text)
		}
		for _, target := range targets {
			if !slices.Contains(l.Targets, target) {
				l.Targets = append(l.Targets, target)
			}
		}
	}
	return nil
}

// targetName returns an ocloc device in the form of a target.
func targetName(device string) string {
	return "intel_gpu_" + strings.NewReplacer("-", "_", ".", "_").Replace(device)
}

// targetsOf returns the targets that a value of ocloc's -device stands for, or nil: a device, a
// family, or another name that ocloc accepts, such as ats-m150, xe-lpg or 0x0bd5.
func targetsOf(config *deviceconfig.Config, device string) []string {
	if d, ok := config.Lookup(targetName(device)); ok {
		return []string{d.Name}
	}
	if i := slices.IndexFunc(config.Devices(), func(d *deviceconfig.Device) bool { return device != "" && d.OclocDevice == device }); i >= 0 {
		return []string{config.Devices()[i].Name}
	}
	if targets, kind := deviceconfig.TargetsNamed(device); kind == deviceconfig.TargetName || kind == deviceconfig.GroupName {
		return targets
	}
	return nil
}
