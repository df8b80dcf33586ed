package inspect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Limits of reading bitcode with llvm-dis.
const (
	maxBitcode     = 256 << 20 // bytes per image
	maxIRText      = 1 << 30   // bytes of its text
	maxDisassembly = 5 * time.Minute
	maxToolMessage = 4 << 10
)

// LLVM releases whose llvm-dis output package postlink can parse.
const (
	oldestLLVM = 14
	newestLLVM = 30
	// opaquePointers is the first release that prints opaque pointers by default.
	opaquePointers = 15
)

// A disassembler is an llvm-dis program.
type disassembler struct {
	path    string
	release int
	err     error // why no program was found
}

// findDisassembler returns the program at path or, if path is empty, the llvm-dis of the newest
// LLVM release next to the executable and in PATH, because LLVM only reads bitcode of older
// releases.
func findDisassembler(path string) *disassembler {
	if path != "" {
		release, err := llvmRelease(path)
		if err == nil && release < oldestLLVM {
			err = fmt.Errorf("it is from LLVM %d, and LLVM %d or newer is required", release, oldestLLVM)
		}
		if err != nil {
			err = fmt.Errorf("cannot use %s as llvm-dis: %w", safetext.Printable(path), err)
		}
		return &disassembler{path, release, err}
	}
	best := &disassembler{err: fmt.Errorf("llvm-dis of LLVM %d or newer is not in PATH; install LLVM (Debian: llvm) or pass --llvm-dis PATH", oldestLLVM)}
	for _, candidate := range disassemblers() {
		if release, err := llvmRelease(candidate); err == nil && release >= oldestLLVM && release > best.release {
			best = &disassembler{path: candidate, release: release}
		}
	}
	return best
}

// disassemblers returns the paths of possible llvm-dis programs.
func disassemblers() (list []string) {
	names := []string{"llvm-dis"}
	for release := newestLLVM; release >= oldestLLVM; release-- {
		names = append(names, "llvm-dis-"+strconv.Itoa(release))
	}
	if program, err := os.Executable(); err == nil { // in a virtual environment that is not activated
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(program), "llvm-dis")); err == nil {
			list = append(list, path)
		}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			list = append(list, path)
		}
	}
	return list
}

var llvmVersion = regexp.MustCompile(`LLVM version (\d+)\.`)

// llvmRelease returns the LLVM release of a program.
func llvmRelease(path string) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), maxDisassembly)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return 0, err
	}
	m := llvmVersion.FindSubmatch(out)
	if m == nil {
		return 0, errors.New("it does not print an LLVM version")
	}
	return strconv.Atoi(string(m[1]))
}

// text returns bitcode as LLVM IR text.
func (d *disassembler) text(ctx context.Context, bitcode offload.Source) ([]byte, error) {
	if size := bitcode.Size(); size > maxBitcode {
		return nil, fmt.Errorf("bitcode of %d bytes (limit %d)", size, maxBitcode)
	}
	ctx, cancel := context.WithTimeout(ctx, maxDisassembly)
	defer cancel()
	args := []string{"-", "-o", "-"}
	if d.release < opaquePointers {
		args = append(args, "--opaque-pointers")
	}
	cmd := cli.Program(ctx, d.path, args...)
	cmd.Stdin = io.NewSectionReader(bitcode, 0, bitcode.Size())
	out, message := &limitedBuffer{limit: maxIRText}, &limitedBuffer{limit: maxToolMessage, cut: true}
	cmd.Stdout, cmd.Stderr = out, message
	err := cmd.Run()
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return nil, fmt.Errorf("llvm-dis did not finish within %v", maxDisassembly)
	case out.full:
		return nil, fmt.Errorf("more than %d bytes of LLVM IR", maxIRText)
	case err != nil:
		return nil, fmt.Errorf("llvm-dis of LLVM %d rejects the bitcode: %s", d.release, cmp.Or(firstLine(message.String()), err.Error()))
	}
	return out.Bytes(), nil
}

// firstLine returns the first non-empty line of a tool's output, without the tool's name.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			if _, after, ok := strings.Cut(line, "error: "); ok {
				line = after
			}
			return safetext.Printable(strings.TrimPrefix(line, "<stdin>: "))
		}
	}
	return ""
}

// A limitedBuffer keeps a limited number of bytes. Writing more fails, or is ignored if cut is set.
type limitedBuffer struct {
	bytes.Buffer
	limit     int
	cut, full bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if n := b.limit - b.Len(); len(p) > n {
		b.full = true
		b.Buffer.Write(p[:n])
		if b.cut {
			return len(p), nil
		}
		return n, errors.New("the limit is reached")
	}
	return b.Buffer.Write(p)
}

// needsLLVM reports whether only LLVM can determine an image's requirements: bitcode without
// properties and entries, as in objects before linking.
func needsLLVM(img *hostbin.Image) bool {
	return len(img.Entries) == 0 && img.Properties.Set(propset.DeviceRequirements) == nil && img.Properties.Set(propset.KernelNames) == nil &&
		img.IsSYCL() && offload.Detect(img, img.Size()) == offload.Bitcode
}

// A bitcodeError is returned for a file with unread bitcode.
type bitcodeError struct {
	count   int // images
	members int // members with these images
	first   string
	err     error
}

func (e *bitcodeError) Error() string {
	in := ""
	if e.members > 0 {
		in = fmt.Sprintf(" of %d %s", e.members, safetext.Plural(e.members, "object", "objects"))
	}
	first := ""
	if e.first != "" {
		first = safetext.Printable(e.first) + ": "
	}
	return fmt.Sprintf("cannot read the LLVM bitcode in %d %s%s: %s%v", e.count, safetext.Plural(e.count, "device image", "device images"), in, first, e.err)
}

func (e *bitcodeError) Unwrap() error { return e.err }

// A rejectedError is returned for bitcode that LLVM or package postlink rejects.
type rejectedError struct{ err error }

func (e rejectedError) Error() string { return e.err.Error() }
func (e rejectedError) Unwrap() error { return e.err }

// BadInput marks the error as caused by an input file.
func (rejectedError) BadInput() {}

// readBitcode returns the modules of bitcode images, and an error for images that cannot be read.
func (r *reader) readBitcode(ctx context.Context, images []*hostbin.Image) ([]report.Module, error) {
	if len(images) == 0 {
		return nil, nil
	}
	failed := &bitcodeError{}
	members := map[string]bool{}
	fail := func(img *hostbin.Image, err error) {
		if failed.count == 0 {
			failed.err = err
			if errors.As(err, new(rejectedError)) {
				failed.first = img.Origin.String()
			}
		}
		failed.count++
		if m := img.Origin.Member; m != "" {
			members[fmt.Sprintf("%s at %d", m, img.Origin.Offset)] = true
		}
		failed.members = len(members)
	}
	d := r.disassembler()
	if d.err != nil {
		for _, img := range images {
			fail(img, d.err)
		}
		return nil, failed
	}
	lists := make([][]report.Module, len(images))
	errs := make([]error, len(images))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(len(images), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				lists[i], errs[i] = r.bitcodeModules(ctx, d, images[i])
			}
		})
	}
	for i := range images {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			fail(images[i], err)
		}
	}
	if failed.count > 0 {
		return slices.Concat(lists...), failed
	}
	return slices.Concat(lists...), ctx.Err()
}

// bitcodeModules returns the modules that would result from linking a single bitcode image.
func (r *reader) bitcodeModules(ctx context.Context, d *disassembler, img *hostbin.Image) (list []report.Module, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := d.text(ctx, img)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, rejectedError{err}
	}
	m, err := postlink.Parse("LLVM IR", text)
	if err != nil {
		return nil, rejectedError{err}
	}
	text = nil
	result, err := postlink.Run(m, postlink.Options{Source: "object", Split: postlink.SplitOptions{Mode: postlink.SplitAuto, KernelsOnly: true, AllowUndefined: true}})
	if err != nil {
		return nil, rejectedError{err}
	}
	for _, d := range result.Diagnostics {
		if d.IsError {
			return nil, rejectedError{errors.New(d.Text)}
		}
	}
	for _, image := range result.Images {
		properties, err := image.Properties(postlink.PropertyOptions{KernelNames: true})
		if err != nil {
			return nil, rejectedError{err}
		}
		module, err := report.FromIR(img.Triple, img.Arch, img, properties, r.workspaces...)
		if err != nil {
			return nil, rejectedError{err}
		}
		list = append(list, module)
	}
	return list, nil
}
