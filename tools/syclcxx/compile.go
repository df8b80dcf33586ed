package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/compilespec"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/hostkernels"
)

// A compiler executes a command line.
type compiler struct {
	line     *commandLine
	env      *cli.Env
	host     *host
	dpcpp    *installation // nil until installed finds it
	notFound error         // why installed did not find it
	prepared bool          // whether prepare was called
	recorded bool          // whether recordCompile was called

	imageTargets []target // the result of targets, nil before the first call

	ownHeaders string   // directory of the headers that are part of the host compiler, or "" if unknown
	gccDir     string   // directory of the host's GCC, or "" if unknown
	traits     []string // macros for the aspects of the targets
	scratch    string   // directory for the files of a compile, or "" outside of a compile
}

// A compilation compiles a source for devices and for the host. Its files are in a separate
// directory.
type compilation struct {
	*compiler
	source  string
	files   []string // the source and its headers that are not system headers
	dir     string
	depfile depfileOptions
	output  artifact
	stdout  bytes.Buffer // what the host compiler prints to standard output, such as listings of -Wa,-a
	wrapped bool         // whether the host compile reads the wrapper from standard input
	rdc     bool         // whether device code is linked when the program is
}

// An artifact is an object to write, with the names of its auxiliary files, such as coverage
// notes.
type artifact struct {
	object   string
	dumpDir  string // prefix of the auxiliary files
	dumpBase string // base name of the auxiliary files, with the extension of the source
}

// beside returns the artifact for an object file whose auxiliary files are placed next to it.
func beside(object, source string) artifact {
	dir, name := filepath.Split(object)
	return artifact{object, dir, strings.TrimSuffix(name, filepath.Ext(name)) + filepath.Ext(source)}
}

// dumpOptions returns the options that make g++ write auxiliary files where it would write them if
// it compiled the object directly.
func (c *compiler) dumpOptions(a artifact) []string {
	if c.host.clang || a.dumpBase == "" {
		return nil
	}
	dir := a.dumpDir
	if slices.Contains(c.line.Host, "-save-temps=cwd") {
		dir = ""
	}
	options := []string{"-dumpdir", dir, "-dumpbase", a.dumpBase}
	if extension := filepath.Ext(a.dumpBase); extension != "" {
		options = append(options, "-dumpbase-ext", extension)
	}
	return options
}

func (c *compilation) file(name string) string { return filepath.Join(c.dir, name) }

// sources compiles all sources of the command line, each to a separate file.
func (c *compiler) sources(ctx context.Context) error {
	var inputs []lineInput
	for _, w := range c.line.Words {
		if w.Input != nil && w.Input.Language != "" {
			inputs = append(inputs, *w.Input)
		} else if w.Input != nil && !exists(w.Input.Path) {
			return cli.BadInput(fmt.Errorf("%s: file not found", w.Input.Path))
		} else if w.Input != nil {
			c.env.Warnf(w.Input.Path, "linker input unused because linking is not done")
		}
	}
	switch {
	case len(inputs) == 0:
		return cli.Usagef("no sources to compile; add -x c++ before a source with an unknown file name extension")
	case len(inputs) > 1 && c.line.Output != "":
		return cli.Usagef("cannot use -o with %d output files; omit -o or compile one source at a time", len(inputs))
	}
	for _, in := range inputs {
		output := c.line.Output
		if c.line.Mode != modeObject || isHeader(in) {
			if err := c.hostOnly(ctx, in, output); err != nil {
				return err
			}
			continue
		}
		if output == "" {
			output = stem(in.Path) + c.extension(".o", ".bc")
		}
		if err := c.recordCompile(in, output); err != nil {
			return err
		}
		if err := c.object(ctx, in, beside(output, in.Path), c.line.Depfile); err != nil {
			return err
		}
	}
	return nil
}

// object compiles a source to an object file.
func (c *compiler) object(ctx context.Context, in lineInput, output artifact, depfile depfileOptions) error {
	if !depfile.Write && !c.host.clang {
		depfile = environmentDepfile(in.Path)
	}
	sycl, err := c.readsSYCL(in)
	if err != nil {
		return err
	}
	if !sycl {
		return c.plainObject(ctx, in, output, depfile)
	}
	return c.syclObject(ctx, in, output, depfile)
}

// syclObject compiles a source for devices and for the host.
func (c *compiler) syclObject(ctx context.Context, in lineInput, output artifact, depfile depfileOptions) error {
	targets, err := c.targets()
	if err != nil {
		return err
	}
	if !c.line.DryRun && !c.line.RDC {
		if err := c.checkOcloc(targets); err != nil {
			return err
		}
	}
	if slices.Contains(c.line.Host, "-m32") {
		return cli.Usagef("-m32: libsycl is a 64-bit library; remove the option, or use -fno-sycl for sources without SYCL")
	}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	dir, remove, err := outfile.TempDir()
	if err != nil {
		return err
	}
	defer remove()
	c.scratch = dir
	defer func() { c.scratch = "" }()
	u := &compilation{compiler: c, source: in.Path, dir: dir, depfile: depfile, output: output}
	kernels, err := u.compile(ctx)
	if err != nil || c.line.DryRun {
		return err
	}
	var out outfile.Group
	defer out.Close()
	object := filepath.Join(dir, "object.o")
	if output.object != stdout {
		if object, err = out.Main(output.object); err != nil {
			return err
		}
	}
	if err := u.join(ctx, kernels, targets, object); err != nil {
		return out.Relabel(err)
	}
	if output.object == stdout {
		text, err := os.ReadFile(object)
		if err != nil {
			return err
		}
		if _, err := c.env.Stdout.Write(text); err != nil {
			return err
		}
	}
	if depfile.Write {
		if err := u.writeDepfile(&out); err != nil {
			return err
		}
	}
	return out.Commit()
}

// installed locates DPC++, once.
func (c *compiler) installed() (*installation, error) {
	if c.dpcpp == nil && c.notFound == nil {
		c.dpcpp, c.notFound = findDPCPP(c.line.DPCPP)
	}
	return c.dpcpp, c.notFound
}

// prepare locates DPC++, the headers of syclc++ and, if needed, the headers of the host compiler.
func (c *compiler) prepare(ctx context.Context) error {
	if c.prepared {
		return nil
	}
	c.prepared = true
	if _, err := c.installed(); err != nil {
		return err
	}
	if _, err := c.headers(); err != nil {
		return err
	}
	if c.host.clang && (!c.line.Depfile.Write || c.line.Depfile.System) {
		return nil
	}
	var printed bytes.Buffer
	if err := buildstep.Run(ctx, nil, &printed, io.Discard, c.host.path, "-print-file-name=include"); err != nil {
		return err
	}
	if dir := strings.TrimSpace(printed.String()); filepath.IsAbs(dir) {
		c.ownHeaders = dir
	}
	if !c.host.clang {
		c.gccDir = strings.TrimSuffix(c.ownHeaders, "/include")
	}
	return nil
}

// compile compiles a source to a host object and device images, and compares the kernels of the two
// compiles. They run in parallel unless the host code needs output of the device compile.
func (u *compilation) compile(ctx context.Context) (*hostkernels.Comparison, error) {
	u.files, _ = u.closure(lineInput{Path: u.source}) // the compile reports the error
	u.rdc = u.usesRDC(u.files)
	if u.line.DryRun {
		u.printCommand(append([]string{u.host.path}, u.hostArguments(u.file("host.o"))...))
		return nil, u.device(ctx, u.env.Stderr)
	}
	text, err := os.ReadFile(u.source)
	if err != nil {
		return nil, err
	}
	var hostLog, deviceLog bytes.Buffer
	compiled, err := u.together(ctx, u.mayGoFirst(text), &hostLog, &deviceLog)
	if err != nil {
		return nil, err
	}
	var same *hostkernels.Comparison
	if compiled {
		if same, err = u.compare(ctx, u.hostArguments(hostkernels.ObjectName)); err != nil {
			return nil, err
		}
	}
	if same == nil || same.Failed() {
		hostLog.Reset()
		if same, err = u.compileWrapped(ctx, &hostLog); err != nil {
			return nil, err
		}
	} else if err := u.markByName(); err != nil {
		return nil, err
	}
	u.env.Stdout.Write(u.stdout.Bytes())
	u.env.Stderr.Write(hostLog.Bytes())
	u.env.Stderr.Write(deviceLog.Bytes())
	(&hostkernels.Source{Name: u.source, Clang: clangAdvice()}).Print(u.env.Stderr, same.Findings)
	if same.Failed() {
		return nil, errPrinted
	}
	return same, nil
}

// together runs the device compile and, if early is true, the host compile in parallel. It reports
// whether the host object was written and is usable without output of the device compile.
func (u *compilation) together(ctx context.Context, early bool, hostLog, deviceLog *bytes.Buffer) (compiled bool, err error) {
	hostCtx, stopHost := context.WithCancel(ctx)
	defer stopHost()
	var hostErr, deviceErr error
	needsHeaders := false
	var wait sync.WaitGroup
	wait.Go(func() {
		if deviceErr = u.device(ctx, deviceLog); deviceErr != nil {
			return
		}
		if needsHeaders, deviceErr = u.needsHeaders(); needsHeaders {
			stopHost()
		}
	})
	if early {
		hostErr = u.compileHost(hostCtx, hostLog)
	}
	wait.Wait()
	compiled = early && !needsHeaders
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case compiled && errors.Is(hostErr, errPrinted):
		u.env.Stderr.Write(hostLog.Bytes()) // the diagnostics of the device compile are mostly the same
		return false, errPrinted
	case deviceErr != nil:
		u.env.Stderr.Write(deviceLog.Bytes())
		if errors.Is(deviceErr, errPrinted) {
			u.noteNames(deviceLog.Bytes())
			u.env.Notef(u.source, "these errors come from the device compilation; to compile for the host only, use -fno-sycl")
		}
		return false, deviceErr
	case compiled:
		return true, hostErr
	}
	return false, nil
}

var sameName = regexp.MustCompile(`definition with same mangled name '(_ZTS[^']+)' as another definition`)

// noteNames prints a note for each error about two kernels with the same name.
func (u *compilation) noteNames(log []byte) {
	for _, m := range sameName.FindAllSubmatch(log, -1) {
		u.env.Notef(u.source, "two kernels have the name '%s'; rename one of them", kernelname.Display(string(m[1])))
	}
}

// compileWrapped compiles the source for the host, using output of the device compile.
func (u *compilation) compileWrapped(ctx context.Context, log *bytes.Buffer) (*hostkernels.Comparison, error) {
	if err := u.writeWrapper(); err != nil {
		return nil, err
	}
	u.wrapped = true
	if err := u.compileHost(ctx, log); err != nil {
		u.env.Stderr.Write(log.Bytes())
		return nil, err
	}
	return u.compare(ctx, u.hostArguments(hostkernels.ObjectName))
}

// fromDevice lists words in sources whose host code must be compiled after the device code.
var fromDevice = []string{"specialization_id", "device_global", "host_pipe", "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY"}

// mayGoFirst guesses whether the host code can be compiled before the device code. A wrong guess
// only costs time.
func (u *compilation) mayGoFirst(text []byte) bool {
	for _, word := range fromDevice {
		if bytes.Contains(text, []byte(word)) {
			return false
		}
	}
	return !slices.Contains(u.line.Host, "-fno-rtti")
}

// needsHeaders reports whether the host compile needs the integration header or footer.
func (u *compilation) needsHeaders() (bool, error) {
	header, err := os.ReadFile(u.file("header.h"))
	if err != nil {
		return false, err
	}
	footer, err := os.ReadFile(u.file("footer.h"))
	return hostwrap.HasNonKernelData(string(header), string(footer)), err
}

// markByName marks the integration header as not needed by the host code.
func (u *compilation) markByName() error {
	header, err := os.ReadFile(u.file("header.h"))
	if err != nil {
		return err
	}
	return os.WriteFile(u.file("header.h"), append([]byte(hostwrap.HeaderByName), header...), 0o666)
}

// compare compares the kernels of the host compile with the kernels of the device compile.
func (u *compilation) compare(ctx context.Context, again []string) (*hostkernels.Comparison, error) {
	s := hostkernels.Source{Name: u.source, Header: u.file("header.h"), Object: u.file("host.o"), Files: u.files}
	if !u.host.clang {
		s.Compile = append([]string{u.host.path}, slices.DeleteFunc(again, func(option string) bool {
			return strings.HasPrefix(option, "-save-temps") || strings.HasPrefix(option, "-fdump-")
		})...)
		if u.wrapped {
			s.Stdin = u.file("host.cpp")
		}
	}
	return s.Compare(ctx, u.env.Stderr)
}

// usesRDC reports whether the device code of a source is linked. Without -fsycl-rdc, it is linked
// if one of its files, the source and its headers other than DPC++'s, mentions SYCL_EXTERNAL and
// LLVM is installed. An option for device images turns this default off, because the link would
// need the option, too.
func (c *compiler) usesRDC(files []string) bool {
	l := c.line
	if l.RDC {
		return true
	}
	if l.NoRDC || l.Syclbin != "" || cmp.Or(l.Split, "auto") != "auto" || l.EmulateDouble || len(l.Targets)+len(l.FixedTargets)+len(l.DeviceConfigs)+len(l.Backend) > 0 {
		return false
	}
	mentions := slices.ContainsFunc(files, func(file string) bool {
		if under(file, filepath.Join(c.dpcpp.dir, "include")) {
			return false
		}
		text, err := os.ReadFile(file)
		return err == nil && bytes.Contains(text, []byte("SYCL_EXTERNAL"))
	})
	if !mentions {
		return false
	}
	_, err := findLLVM("llvm-dis", "llvm-link")
	return err == nil
}

// device compiles the source for devices to images or bitcode, an integration header and a footer.
func (u *compilation) device(ctx context.Context, log io.Writer) error {
	driver, err := u.driver()
	if err != nil {
		return err
	}
	args := []string{
		"build", "--library", u.dpcpp.library, "--output-dir", u.file("images"), "--output", u.file("device.bc"),
		"--header", u.file("header.h"), "--footer", u.file("footer.h"), "--depfile", u.file("device.d"), u.source, "--",
	}
	text, err := os.ReadFile(u.source)
	if err != nil {
		return err
	}
	args = append(args, u.deviceOptions(text)...)
	if u.printCommand(append([]string{driver}, args...)) {
		return nil
	}
	var failed *buildstep.Error
	err = buildstep.Run(ctx, nil, nil, log, driver, args...)
	if errors.As(err, &failed) {
		io.WriteString(log, failed.Output)
		return errPrinted
	}
	return err
}

// deviceOptions returns the options of the device compile.
func (u *compilation) deviceOptions(text []byte) []string {
	// Names with internal linkage must be unique to this source and these options.
	h := fnv.New64a()
	io.WriteString(h, u.portable(strings.Join(append([]string{u.source}, u.line.Device...), "\x00")))
	h.Write(text)
	options := u.added(forDevice, compilespec.First, map[string]string{
		"prefix": fmt.Sprintf("uid%016x", h.Sum64()), "split": cmp.Or(u.line.Split, "auto"), "gcc": u.gccDir,
	})
	given := slices.Clone(u.line.Device)
	if u.gccDir != "" {
		given = slices.DeleteFunc(given, ofGCCDir)
	}
	if u.gccDir != "" {
		// Finds headers such as omp.h after clang's own headers.
		given = append(given, "-idirafter", filepath.Join(u.gccDir, "include"))
	}
	given = u.systemHeaders(slices.Concat(given, u.openMPHeaders(), environmentOptions()))
	// Other pip packages install headers there. The host compile finds them, so the device compile must too.
	options = slices.Concat(options, u.traits, given, []string{"-idirafter", filepath.Join(u.dpcpp.dir, "include")})
	// The source may have any extension, such as .cu. -x is the last option, because libsycl-jit passes
	// -O2 on as /O2, and clang would compile /O2 as a file if it came after -x.
	return append(options, "-x", "c++")
}

// systemHeaders replaces -I by -isystem for DPC++'s include directory, which the host compiler does
// by itself. Otherwise libsycl-jit, which has its own copy of the headers, reports their warnings.
func (u *compilation) systemHeaders(options []string) []string {
	var result []string
	own, err := os.Stat(filepath.Join(u.dpcpp.dir, "include"))
	isOwn := func(dir string) bool {
		info, dirErr := os.Stat(dir)
		return err == nil && dirErr == nil && os.SameFile(own, info)
	}
	for i := range options {
		switch dir, ok := strings.CutPrefix(options[i], "-I"); {
		case ok && dir != "" && isOwn(dir):
			result = append(result, "-isystem", dir)
		case ok && dir == "" && i+1 < len(options) && isOwn(options[i+1]):
			result = append(result, "-isystem")
		default:
			result = append(result, options[i])
		}
	}
	return result
}

// environmentOptions returns options for the include directories in environment variables. Only the
// device compile needs them, because the host compiler reads the variables itself.
func environmentOptions() (options []string) {
	for _, v := range []struct{ name, option string }{{"CPATH", "-I"}, {"CPLUS_INCLUDE_PATH", "-isystem"}} {
		for _, dir := range environmentDirs(v.name) {
			options = append(options, v.option, dir)
		}
	}
	return options
}

// environmentDirs returns the directories in an environment variable. An empty element means the
// working directory.
func environmentDirs(variable string) []string {
	dirs := filepath.SplitList(os.Getenv(variable))
	for i, dir := range dirs {
		dirs[i] = cmp.Or(dir, ".")
	}
	return dirs
}

// added returns the options that syclc++ adds to a compile.
func (u *compilation) added(to compilespec.Step, at compilespec.Position, fill map[string]string) []string {
	fill["number"] = strconv.Itoa(u.dpcpp.number())
	return compilespec.AddedOptions(compilespec.Command, to, at, u.conditions(), fill)
}

// conditions returns the conditions that are true for the compiles of the command line.
func (u *compilation) conditions() (is compilespec.Cond) {
	for cond, holds := range map[compilespec.Cond]bool{
		compilespec.GCC:        !u.host.clang,
		compilespec.Clang:      u.host.clang,
		compilespec.NoStandard: !u.line.StandardGiven,
		compilespec.Numbered:   u.host.clang && u.dpcpp.number() != 0,
		compilespec.GCCDir:     u.gccDir != "",
		compilespec.RDC:        u.rdc,
		compilespec.Emulate:    u.line.EmulateDouble,
		compilespec.LTO:        slices.ContainsFunc(u.line.Host, func(a string) bool { return strings.HasPrefix(a, "-flto") }),
	} {
		if holds {
			is |= cond
		}
	}
	return is
}

// hostArguments returns the arguments of the host compile. The code looks up its kernels in a table
// that is added to the object later.
func (u *compilation) hostArguments(object string) []string {
	headers, _ := u.headers() // prepare has checked the error
	fill := map[string]string{"front": headers, "dpcpp": filepath.Join(u.dpcpp.dir, "include")}
	args := slices.Concat(u.added(forHost, compilespec.First, fill), u.added(forHost, compilespec.Front, fill))
	if object != hostkernels.ObjectName { // this is the second host compile
		args = append(args, u.dumpOptions(u.output)...)
	}
	options := u.hostOptions()
	if !u.host.clang {
		for i, option := range options {
			if strings.HasPrefix(option, "-save-temps=") {
				options[i] = "-save-temps" // -dumpdir sets the directory
			}
		}
	}
	args = slices.Concat(args, options, u.added(forHost, compilespec.Own, fill), u.traits, u.added(forHost, compilespec.Last, fill))
	source := u.source
	if u.wrapped {
		source = stdin
		args = append(args, "-fdebug-prefix-map=<stdin>="+u.mapped(u.source, "-fdebug-prefix-map="), "-ffile-prefix-map="+u.dir+"=syclc++")
	}
	list := "-MD"
	if u.depfile.Write && !u.depfile.System {
		list = "-MMD" // only g++ can tell system headers before it resolves symbolic links
	}
	return append(args, list, "-MF", u.file("host.d"), "-MT", "x", "-c", "-o", object, "-x", "c++", source)
}

// compileHost writes host.o.
func (u *compilation) compileHost(ctx context.Context, log *bytes.Buffer) error {
	object := u.file("host.o")
	if u.makesFiles() {
		object = u.besideFiles(u.output)
	}
	input := u.env.Stdin
	if u.wrapped {
		file, err := os.Open(u.file("host.cpp"))
		if err != nil {
			return err
		}
		defer file.Close()
		input = file
	}
	u.stdout.Reset()
	if err := u.runHostWith(ctx, input, &u.stdout, log, u.hostArguments(object)); err != nil || object == u.file("host.o") {
		return err
	}
	return u.moveObject(u.output, object, u.file("host.o"))
}

// makesFiles reports whether an option makes clang write auxiliary files next to the object.
func (c *compiler) makesFiles() bool {
	return c.host.clang && slices.ContainsFunc(c.line.Host, func(option string) bool {
		return slices.ContainsFunc([]string{
			"--coverage", "-coverage", "-ftest-coverage", "-fprofile-arcs", "-gsplit-dwarf", "-save-temps", "-save-stats", "-fstack-usage", "-ftime-trace",
			"-fsave-optimization-record", "-foptimization-record", "-fproc-stat-report",
		}, func(prefix string) bool { return strings.HasPrefix(option, prefix) })
	})
}

// besideFiles returns the name to which clang compiles an object, so that its auxiliary files have
// the names that they have without syclc++. If the program is linked by the same command, the
// object is not one of the outputs.
func (c *compiler) besideFiles(a artifact) string {
	if c.line.Mode != modeLink {
		return a.object
	}
	return a.dumpDir + stem(a.dumpBase) + ".rules_sycl-o"
}

// moveObject moves an object that clang compiled next to its auxiliary files. It renames the
// auxiliary files whose names do not start with dumpDir if clang also links.
func (c *compiler) moveObject(a artifact, from, to string) error {
	if err := move(from, to); err != nil || c.line.Mode != modeLink {
		return err
	}
	files, source := strings.TrimSuffix(from, filepath.Ext(from)), stem(a.dumpBase)
	program := cmp.Or(c.line.Output, source)
	for extension, name := range map[string]string{".su": strings.TrimSuffix(program, filepath.Ext(program)), ".opt.yaml": source} {
		if exists(files + extension) {
			if err := move(files+extension, name+extension); err != nil {
				return err
			}
		}
	}
	return nil
}

// move moves a file, even to a different file system.
func move(from, to string) error {
	data, err := os.ReadFile(from)
	return errors.Join(err, os.Remove(from), os.WriteFile(to, data, 0o666))
}

// mapped applies the prefix maps of the command line to a file name.
func (c *compiler) mapped(name, kind string) string {
	for _, option := range slices.Backward(c.line.Host) {
		for _, prefix := range []string{kind, "-ffile-prefix-map="} {
			rule, _ := strings.CutPrefix(option, prefix)
			if from, to, ok := strings.Cut(rule, "="); ok && rule != option && strings.HasPrefix(name, from) {
				return to + name[len(from):]
			}
		}
	}
	return name
}

// hasPrefixMap reports whether the command line has an option such as -ffile-prefix-map=.
func (c *compiler) hasPrefixMap() bool {
	return slices.ContainsFunc(c.line.Host, func(option string) bool { return strings.Contains(option, "-prefix-map=") })
}

// portable applies all prefix maps of the command line anywhere in a text. The result does not depend
// on the directory of the build.
func (c *compiler) portable(text string) string {
	for _, option := range slices.Backward(c.line.Host) {
		name, rule, _ := strings.Cut(option, "=")
		if from, to, _ := strings.Cut(rule, "="); strings.HasSuffix(name, "-prefix-map") && from != "" {
			text = strings.ReplaceAll(text, from, to)
		}
	}
	return text
}

// hostOptions returns the options of the command line for the host compile.
func (c *compiler) hostOptions() []string {
	return append(c.forHost(c.line.Host), c.openMPHeaders()...)
}

// openMPHeaders returns options for the headers of Intel's OpenMP library, which follow clang's own
// headers. See openMP.
func (c *compiler) openMPHeaders() []string {
	if !c.host.clang || c.dpcpp == nil || !slices.Contains(c.line.Host, "-fopenmp") {
		return nil
	}
	if dir := filepath.Join(c.dpcpp.dir, "opt/compiler/include"); exists(filepath.Join(dir, "omp.h")) {
		return []string{"-idirafter", dir}
	}
	return nil
}

// clangOptions maps clang's options to the closest options of g++, or to "" if they only permit an
// optimization or change limits, diagnostics or debug information that g++ does not have. Options
// whose names end in "=" keep their values.
var clangOptions = map[string]string{
	"-fhonor-nans": "-fno-finite-math-only", "-fno-honor-nans": "",
	"-fhonor-infinities": "-fno-finite-math-only", "-fno-honor-infinities": "",
	"-fno-approx-func": "-fno-unsafe-math-optimizations", "-fapprox-func": "",

	"-fvectorize": "-ftree-loop-vectorize", "-fno-vectorize": "-fno-tree-loop-vectorize",
	"-fslp-vectorize": "-ftree-slp-vectorize", "-fno-slp-vectorize": "-fno-tree-slp-vectorize",
	"-fveclib=": "",

	"-gline-tables-only": "-g1", "-gmlt": "-g1",
	"-fdebug-info-for-profiling": "", "-fno-debug-info-for-profiling": "",
	"-fstandalone-debug": "", "-fno-standalone-debug": "", "-flimit-debug-info": "", "-fno-limit-debug-info": "",

	"-fcolor-diagnostics": "-fdiagnostics-color=always", "-fno-color-diagnostics": "-fdiagnostics-color=never", "-fansi-escape-codes": "",
	"-fcaret-diagnostics": "-fdiagnostics-show-caret", "-fno-caret-diagnostics": "-fno-diagnostics-show-caret",
	"-ferror-limit=": "-fmax-errors=", "-fconstexpr-steps=": "-fconstexpr-ops-limit=",
	"-fbracket-depth=": "", "-fmacro-backtrace-limit=": "", "-fconstexpr-backtrace-limit=": "",
	"-fspell-checking": "", "-fno-spell-checking": "", "-Qunused-arguments": "",
}

// optionForGCC returns the option of g++ for an option of clang, or false if g++ does not need it.
func optionForGCC(option string) (string, bool) {
	name, value, hasValue := strings.Cut(option, "=")
	if hasValue {
		name += "="
	}
	equivalent, ok := clangOptions[name]
	switch {
	case !ok:
		return option, true
	case strings.HasSuffix(equivalent, "="):
		return equivalent + value, true
	}
	return equivalent, equivalent != ""
}

// forHost replaces and removes options that the host compiler does not support: -Xclang passes
// options to clang's front end, which only the device compile may have, and g++ compiles neither
// CUDA nor HIP.
func (c *compiler) forHost(list []string) []string {
	if c.host.clang {
		return slices.Clone(list)
	}
	var options []string
	for i := 0; i < len(list); i++ {
		switch option, ok := optionForGCC(list[i]); {
		case list[i] == "-Xclang" || list[i] == "-Xarch_device":
			i++
		case ok && !isOffloadOption(option):
			options = append(options, option)
		}
	}
	return slices.DeleteFunc(options, ofGCCDir)
}

// ofGCCDir reports whether an option sets the GCC directory. g++ and the device compile ignore it
// and use g++'s own directory.
func ofGCCDir(option string) bool { return strings.HasPrefix(option, "--gcc-") }

// writeWrapper writes a translation unit that includes the source between the integration header
// and the footer. The compiler reads it from standard input, so that diagnostics and debug
// information contain the name of the source as the user wrote it.
func (u *compilation) writeWrapper() error {
	if strings.ContainsAny(u.source, "\"\n") {
		return cli.BadInput(fmt.Errorf("%s: the host compiler cannot include a source whose name contains a double quote or a line break; rename it", u.source))
	}
	// GCC warns if a header, here the source, names a kernel in an unnamed namespace.
	before := "#pragma GCC system_header\n#undef __BASE_FILE__\n"
	before += fmt.Sprintf("#define __BASE_FILE__ %s\n", hostwrap.Quote(u.mapped(u.source, "-fmacro-prefix-map=")))
	before += fmt.Sprintf("#include \"%s\"\n", u.file("header.h"))
	if err := os.WriteFile(u.file("before.h"), []byte(before), 0o666); err != nil {
		return err
	}
	text := fmt.Sprintf("#include \"%s\"\n#include \"%s\"\n#include \"%s\"\n", u.file("before.h"), u.source, u.file("footer.h"))
	return os.WriteFile(u.file("host.cpp"), []byte(text), 0o666)
}

// printCommand prints a command for -v and -###, and reports whether to skip it.
func (c *compiler) printCommand(argv []string) bool {
	if c.line.Verbose || c.line.DryRun {
		quoted := make([]string, len(argv))
		for i, a := range argv {
			quoted[i] = shellQuoted(a)
		}
		fmt.Fprintln(c.env.Stderr, " "+strings.Join(quoted, " "))
	}
	return c.line.DryRun
}

func shellQuoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+/.,:@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
