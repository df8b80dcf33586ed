package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// A step is one command of a build. As in Bazel, it runs if its command or the content of an input
// has changed.
type step struct {
	args            []string
	inputs, outputs []string // files and directories
	worker          bool     // whether one process of the program runs all such steps
}

// name returns the name of the program, with its first argument if that is a command.
func (s *step) name() string {
	name := filepath.Base(s.args[0])
	if len(s.args) > 1 && !strings.HasPrefix(s.args[1], "-") && filepath.Ext(s.args[1]) == "" {
		name += " " + s.args[1]
	}
	return name
}

// builder runs the steps of a build in the current directory.
type builder struct {
	ctx     context.Context
	files   map[string]string // checksums of files of this build
	workers workers
	times   stepTimes // nil to measure nothing
}

// stepTimes holds the total processor time of all steps, by program name.
type stepTimes map[string]*stepTime

type stepTime struct {
	steps int
	used  time.Duration
}

// measured runs a function as a step, and adds its time.
func (t stepTimes) measured(name string, run func() error) error {
	if t == nil {
		return run()
	}
	before, err := ProcessorTime()
	if err == nil {
		err = run()
	}
	if err != nil {
		return err
	}
	after, err := ProcessorTime()
	sum := t[name]
	if sum == nil {
		sum = &stepTime{}
		t[name] = sum
	}
	sum.steps++
	sum.used += after - before
	return err
}

// run runs steps until one fails.
func (b *builder) run(steps ...step) error {
	for _, s := range steps {
		if err := b.runOne(s); err != nil {
			return err
		}
	}
	return nil
}

// runOne runs a step unless it is up to date.
func (b *builder) runOne(s step) error {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", s.args)
	for _, in := range s.inputs {
		sum, err := b.checksum(in)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%s %s\n", in, sum)
	}
	key := hex.EncodeToString(h.Sum(nil))
	note := s.outputs[0] + ".key"
	if old, err := os.ReadFile(note); err == nil && string(old) == key {
		return nil
	}
	for _, out := range s.outputs {
		delete(b.files, out)
		if err := os.RemoveAll(out); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
			return err
		}
	}
	start := b.start
	if s.worker {
		start = b.workers.of(s.args[0]).request
	}
	err := b.times.measured(s.name(), func() error {
		out, err := start(b.ctx, s.args)
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(s.args, " "), err, out)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.WriteFile(note, []byte(key), 0o666)
}

// start runs a command in a separate process.
func (b *builder) start(ctx context.Context, args []string) ([]byte, error) {
	return cli.Program(ctx, args[0], args[1:]...).CombinedOutput()
}

// A worker is a process that runs commands of one program, like Bazel's persistent workers. It is
// reused from build to build.
type worker struct {
	cmd       *exec.Cmd
	stdin     io.WriteCloser
	responses *json.Decoder
}

// workers are the workers of a project, by program.
type workers map[string]*worker

func (w workers) of(program string) *worker {
	if w[program] == nil {
		w[program] = new(worker)
	}
	return w[program]
}

// end ends the processes.
func (w workers) end() error {
	var errs []error
	for _, each := range w {
		errs = append(errs, each.end())
	}
	clear(w)
	return errors.Join(errs...)
}

// request sends a command to the worker.
func (w *worker) request(ctx context.Context, args []string) ([]byte, error) {
	if w.cmd == nil {
		if err := w.begin(ctx, args[0]); err != nil {
			return nil, err
		}
	}
	if err := json.NewEncoder(w.stdin).Encode(map[string]any{"arguments": args[1:]}); err != nil {
		return nil, err
	}
	var response struct {
		ExitCode int    `json:"exitCode"`
		Output   string `json:"output"`
	}
	err := w.responses.Decode(&response)
	if err == nil && response.ExitCode != 0 {
		err = fmt.Errorf("exit code %d", response.ExitCode)
	}
	return []byte(response.Output), err
}

func (w *worker) begin(ctx context.Context, program string) error {
	cmd := cli.Program(ctx, program, "--persistent_worker")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	*w = worker{cmd, stdin, json.NewDecoder(stdout)}
	return cmd.Start()
}

// end ends the process.
func (w *worker) end() error {
	if w.cmd == nil {
		return nil
	}
	err := errors.Join(w.stdin.Close(), w.cmd.Wait())
	*w = worker{}
	return err
}

// checksum returns the checksum of a file, or of the files in a directory.
func (b *builder) checksum(name string) (string, error) {
	if sum, ok := b.files[name]; ok {
		return sum, nil
	}
	h := sha256.New()
	err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", path, len(data))
		h.Write(data)
		return err
	})
	if err != nil {
		return "", err
	}
	b.files[name] = hex.EncodeToString(h.Sum(nil))
	return b.files[name], nil
}

// programs are the compilers and our tools, by name.
type programs map[string]string

// A design builds all sources of the current directory.
type design func(b *builder, p programs, sources, devices []string, w buildWay) error

// A buildWay is a configuration of the rules.
type buildWay struct {
	split string // device_code_split
	share string // share_gpu_families: families or off
	rdc   bool   // whether the sources are linked

	families map[string]string // families of devices
}

// name returns the name of the configuration in tables.
func (w buildWay) name() string {
	if w.share == "families" {
		return "rules, " + w.split
	}
	return "rules, " + w.split + ", families " + w.share
}

// compileAll compiles sources to bitcode.
func compileAll(b *builder, p programs, sources []string, unused bool) (bitcode []string, err error) {
	for _, source := range sources {
		out, err := compile(b, p, source, unused)
		if err != nil {
			return nil, err
		}
		bitcode = append(bitcode, out)
	}
	return bitcode, nil
}

// compile compiles a source to bitcode. The rules also list the headers that it does not read.
func compile(b *builder, p programs, source string, unused bool) (bitcode string, err error) {
	bitcode = "out/" + source + ".bc"
	clang := step{
		args: []string{p["clang++"], "-fsycl", "-fsycl-device-only", "-gdwarf-4", "-gline-tables-only", "-fdebug-info-for-profiling",
			"-ffile-compilation-dir=.", "-std=c++20", "-O2", "-fno-math-errno", "-I" + p["header"], source + ".cpp"},
		inputs: []string{source + ".cpp"}, outputs: []string{bitcode},
	}
	if unused {
		list := "out/" + source + ".unused"
		clang.args = slices.Concat([]string{p["devicec"], "compile", "--output", bitcode, "--candidates", "headers", "--unused", list, "--"}, clang.args)
		clang.outputs = append(clang.outputs, list)
	} else {
		clang.args = append(clang.args, "-c", "-o", bitcode)
	}
	return bitcode, b.run(clang)
}

// buildByRules runs the actions of a sycl_binary.
func buildByRules(b *builder, p programs, sources, devices []string, w buildWay) error {
	bitcode, err := compileAll(b, p, sources, true)
	if err != nil {
		return err
	}
	if err := splitSources(b, p, sources, bitcode, w); err != nil {
		return err
	}
	pack := step{args: []string{p["packager"], "pack", "--state", "executable", "--output", "out/program.syclbin"}, outputs: []string{"out/program.syclbin"}}
	for _, source := range sources {
		images, err := imagesOf(b, p, "out/"+source, devices, w)
		if err != nil {
			return err
		}
		pack.inputs = append(pack.inputs, images.inputs...)
		pack.args = append(pack.args, images.args...)
	}
	return b.run(pack)
}

// splitSources splits the bitcode of each source into modules.
func splitSources(b *builder, p programs, sources, bitcode []string, w buildWay) error {
	postlink := []string{p["postlink"], "--llvm-dis", p["llvm-dis"], "--opt", p["opt"], "--split", w.split, "--emit-only-kernels-as-entry-points"}
	if !w.rdc {
		for i, source := range sources {
			err := b.run(step{
				args:    append(slices.Clone(postlink), "--source", source, "--allow-no-kernels", "--output", "out/"+source+".split.table", "--out-dir", "out/"+source+".split", bitcode[i]),
				inputs:  bitcode[i : i+1],
				outputs: []string{"out/" + source + ".split", "out/" + source + ".split.table"},
				worker:  true,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	link := step{
		args:   []string{p["devicec"], "link", "--llvm-dis", p["llvm-dis"], "--llvm-link", p["llvm-link"], "--output", "out/all.bc"},
		inputs: bitcode, outputs: []string{"out/all.bc"},
	}
	split := step{args: postlink, inputs: link.outputs, worker: true}
	for i, source := range sources {
		link.args = append(link.args, source+"="+bitcode[i])
		split.args = append(split.args, "--module="+source+"=out/"+source+".split")
		split.outputs = append(split.outputs, "out/"+source+".split", "out/"+source+".split.table")
	}
	split.args = append(split.args, link.outputs...)
	return b.run(link, split)
}

// imagesOf produces the images of a source for all devices. It returns the packager's arguments.
func imagesOf(b *builder, p programs, stem string, devices []string, w buildWay) (pack step, err error) {
	translate := step{
		args: []string{p["devicec"], "translate", "--llvm-spirv", p["llvm-spirv"], "--spirv-val", p["spirv-val"], "--code-dir", stem + ".spv",
			"--properties-dir", stem + ".properties", "--table", stem + ".table", stem + ".split.table"},
		inputs:  []string{stem + ".split", stem + ".split.table"},
		outputs: []string{stem + ".table", stem + ".spv", stem + ".properties"},
		worker:  true,
	}
	filter := step{args: []string{p["aspectfilter"]}, inputs: []string{stem + ".table", stem + ".properties"}}
	for _, device := range devices {
		table := stem + "." + device + ".filtered.table"
		filter.args = append(filter.args, "--target", targetOf(device), "--output", table)
		filter.outputs = append(filter.outputs, table)
	}
	filter.args = append(filter.args, stem+".table")
	if err := b.run(translate, filter); err != nil {
		return step{}, err
	}
	for _, family := range byFamily(devices, w.families) {
		code := stem + "." + family[0] + ".bin"
		compile := step{
			args:    []string{p["aot"], "--ocloc", p["ocloc"], "--server", p["server"], "--share=" + w.share, "--code-dir", code},
			inputs:  []string{stem + ".spv"},
			outputs: []string{code},
			worker:  true,
		}
		var filtered []string
		for _, device := range family {
			table := stem + "." + device + ".table"
			filtered = append(filtered, stem+"."+device+".filtered.table")
			compile.args = append(compile.args, "--device", device, "--output", table)
			compile.outputs = append(compile.outputs, table)
			pack.args = append(pack.args, "--table", "spir64_gen-unknown-unknown="+targetOf(device)+"="+table)
		}
		compile.args = append(compile.args, filtered...)
		compile.inputs = append(compile.inputs, filtered...)
		if err := b.run(compile); err != nil {
			return step{}, err
		}
		pack.inputs = append(pack.inputs, compile.outputs...)
	}
	return pack, nil
}

// readFamilies reads the table of GPU families. It returns the family of each device in it.
func readFamilies(path string) (map[string]string, error) {
	table, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	families := map[string]string{}
	for line := range strings.Lines(string(table)) {
		if fields := strings.Split(line, "\t"); len(fields) > 2 {
			families[fields[1]] = fields[0]
		}
	}
	return families, nil
}

// byFamily groups devices as the rules do: the devices of a family have one action.
func byFamily(devices []string, families map[string]string) (groups [][]string) {
	index := map[string]int{}
	for _, device := range devices {
		family := cmp.Or(families[device], device)
		i, ok := index[family]
		if !ok {
			i = len(groups)
			index[family] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], device)
	}
	return groups
}

// targetOf returns the target for an ocloc device.
func targetOf(device string) string { return "intel_gpu_" + strings.ReplaceAll(device, "-", "_") }

// linkedModule links bitcode, and translates it to SPIR-V.
func linkedModule(b *builder, p programs, name string, bitcode []string) (spirv string, err error) {
	linked, clean, spirv := name+".linked.bc", name+".clean.bc", name+".spv"
	return spirv, b.run(
		step{args: append([]string{p["llvm-link"], "-o", linked}, bitcode...), inputs: bitcode, outputs: []string{linked}},
		step{args: []string{p["opt"], "-passes=always-inline,globaldce,strip-dead-prototypes", "-strip-debug", linked, "-o", clean}, inputs: []string{linked}, outputs: []string{clean}},
		step{args: []string{p["llvm-spirv"], "--spirv-max-version=1.4", clean, "-o", spirv}, inputs: []string{clean}, outputs: []string{spirv}},
	)
}

// oneModule compiles all sources to one module.
func oneModule(b *builder, p programs, sources []string) (spirv string, err error) {
	all, err := compileAll(b, p, sources, false)
	if err != nil {
		return "", err
	}
	return linkedModule(b, p, "out/all", all)
}

// buildMonolith builds one module, which one call of ocloc compiles for all devices.
func buildMonolith(b *builder, p programs, sources, devices []string, _ buildWay) error {
	spirv, err := oneModule(b, p, sources)
	if err != nil {
		return err
	}
	return b.run(step{
		args:   []string{p["ocloc"], "compile", "-q", "-spirv_input", "-file", spirv, "-device", strings.Join(devices, ","), "-o", "out/fat.bin"},
		inputs: []string{spirv}, outputs: []string{"out/fat.bin"},
	})
}

// buildEachGPU builds one module, which ocloc compiles for each device in a separate call.
func buildEachGPU(b *builder, p programs, sources, devices []string, _ buildWay) error {
	spirv, err := oneModule(b, p, sources)
	if err != nil {
		return err
	}
	return eachGPU(b, p, spirv, "out/all", devices)
}

// eachGPU calls ocloc for each device.
func eachGPU(b *builder, p programs, spirv, stem string, devices []string) error {
	for _, device := range devices {
		image := stem + "." + device + ".bin"
		err := b.run(step{args: []string{p["ocloc"], "compile", "-q", "-spirv_input", "-file", spirv, "-device", device, "-o", image}, inputs: []string{spirv}, outputs: []string{image}})
		if err != nil {
			return err
		}
	}
	return nil
}

// buildBare runs only the compilers that buildByRules runs.
func buildBare(b *builder, p programs, sources, devices []string, _ buildWay) error {
	for _, source := range sources {
		bitcode, err := compile(b, p, source, false)
		if err != nil {
			return err
		}
		spirv, err := linkedModule(b, p, "out/"+source, []string{bitcode})
		if err != nil {
			return err
		}
		if err := eachGPU(b, p, spirv, "out/"+source, devices); err != nil {
			return err
		}
	}
	return nil
}
