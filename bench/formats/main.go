// Command formats measures packager against peers and limits on the same machine
// in the same run: packing against cat and LLVM's clang-offload-packager, listing
// and copying of large files against bounds of time and memory.
//
//	go run ./bench/formats --dir /var/tmp
//
// It writes about 6 GiB below the folder and removes them at the end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	missed, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "formats: error: %v\n", err)
		os.Exit(2)
	case missed:
		os.Exit(1)
	}
}

// sizes say how large the measured files are.
type sizes struct {
	modules   int   // in each file
	pack      int64 // bytes of the images to pack
	list      int64 // bytes of the images of the file to list
	listSmall int64 // the same, of the file to compare it with
	copy      int64 // bytes of the images of the file to convert and to extract
}

const mib = 1 << 20

// run measures, and returns whether a floor was missed that --check asks for.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (missed bool, err error) {
	fs := flag.NewFlagSet("formats", flag.ContinueOnError)
	fs.SetOutput(stderr)
	dir := fs.String("dir", "", "write the files below this `folder` (required)")
	packager := fs.String("packager", "", "measure this `binary` instead of building the packager of this module with 'go build'")
	peer := fs.String("offload-packager", "", "`binary` of LLVM's clang-offload-packager (default: found in PATH)")
	runs := fs.Int("runs", 5, "`number` of runs of each contender, of which the best counts")
	modules := fs.Int("modules", 10_000, "`number` of images to pack and of modules in the other files")
	pack := fs.Int64("pack-mib", 1024, "size of all images to pack in `MiB`")
	list := fs.Int64("list-mib", 4096, "size of the file to list in `MiB`")
	small := fs.Int64("list-small-mib", 40, "size in `MiB` of the file that must take as long to list")
	large := fs.Int64("copy-mib", 2048, "size of the file to convert and to extract in `MiB`")
	asJSON := fs.Bool("json", false, "print JSON instead of a table")
	check := fs.Bool("check", false, "exit with 1 when a floor is missed")
	generate := fs.Bool("generate", false, "only write the files to measure with into the folder, and keep them")
	if err := fs.Parse(args); err != nil {
		return false, err
	}
	switch {
	case fs.NArg() > 0:
		return false, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case *dir == "":
		return false, errors.New("--dir is missing: the folder to write to")
	case *runs < 1 || *modules < 1 || min(*pack, *list, *small, *large) < 1:
		return false, errors.New("runs, modules and sizes have to be positive")
	}
	s := sizes{*modules, *pack * mib, *list * mib, *small * mib, *large * mib}
	if *generate {
		return false, writeInputs(*dir, s)
	}
	scratch, err := os.MkdirTemp(*dir, "formats")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	b := &bench{ctx: ctx, dir: scratch, runs: *runs, sizes: s, progress: stderr}
	if b.packager, err = findPackager(ctx, *packager, scratch); err != nil {
		return false, err
	}
	if b.peer, err = findPeer(*peer); err != nil {
		return false, err
	}
	// The memory of this process counts as that of its children until they have
	// started, so another one writes the files, which takes more than it may.
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	fmt.Fprintln(stderr, "writing files")
	if _, err := b.measure("generate", command{args: append([]string{self, "--generate", "--dir", "."}, sizeFlags(s)...)}); err != nil {
		return false, err
	}
	if err := b.all(); err != nil {
		return false, err
	}
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(b.report())
	} else {
		err = b.report().table(stdout)
	}
	return *check && b.missed(), err
}

func sizeFlags(s sizes) []string {
	return []string{
		fmt.Sprint("--modules=", s.modules), fmt.Sprint("--pack-mib=", s.pack/mib), fmt.Sprint("--list-mib=", s.list/mib),
		fmt.Sprint("--list-small-mib=", s.listSmall/mib), fmt.Sprint("--copy-mib=", s.copy/mib),
	}
}

// findPackager returns the absolute path of the packager to measure.
func findPackager(ctx context.Context, name, scratch string) (string, error) {
	if name != "" {
		return filepath.Abs(name)
	}
	name = filepath.Join(scratch, "packager")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", name, "github.com/rules-sycl/rules_sycl/tools/packager")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %v: give --packager, or run this in the folder of the module\n%s", errors.New("cannot build the packager"), err, out)
	}
	return filepath.Abs(name)
}

// findPeer returns the path of LLVM's packager, "" when there is none.
func findPeer(name string) (string, error) {
	if name != "" {
		return filepath.Abs(name)
	}
	for _, name := range []string{"clang-offload-packager", "clang-offload-packager-21"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", nil
}

// A report is what is printed.
type report struct {
	Machine struct {
		OS    string `json:"os"`
		Arch  string `json:"arch"`
		Cores int    `json:"cores"`
	} `json:"machine"`
	Results []result `json:"results"`
	Floors  []floor  `json:"floors"`
}

func (b *bench) report() *report {
	r := &report{Results: b.results, Floors: b.floors}
	r.Machine.OS, r.Machine.Arch, r.Machine.Cores = runtime.GOOS, runtime.GOARCH, runtime.NumCPU()
	return r
}

func (r *report) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s\tms\tMiB/s\tmax RSS, MiB\t\n", "best of the runs")
	for _, m := range r.Results {
		rate := ""
		if m.Bytes > 0 {
			rate = fmt.Sprintf("%.0f", float64(m.Bytes)/mib/m.Seconds)
		}
		fmt.Fprintf(t, "%s\t%.1f\t%s\t%.1f\t\n", m.Name, m.Seconds*1000, rate, float64(m.MaxRSS)/mib)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "floor\tmeasured\tlimit\t")
	for _, f := range r.Floors {
		verdict := "met"
		if !f.Met {
			verdict = "MISSED"
		}
		fmt.Fprintln(t, strings.Join([]string{f.Name, fmt.Sprintf("%.2f %s", f.Measured, f.Unit), fmt.Sprintf("%s %g %s", f.sign(), f.Limit, f.Unit), verdict}, "\t"))
	}
	fmt.Fprintf(t, "\n%s/%s, %d cores\n", r.Machine.OS, r.Machine.Arch, r.Machine.Cores)
	return t.Flush()
}
