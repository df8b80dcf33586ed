package inspect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// An outcome is the result of reading a file.
type outcome struct {
	*file
	part     *part     // nil if the file contains no device code
	none     absence   // why no device code was found
	omitted  []omitted // omitted images
	images   int       // used images
	repeated int       // number of these that duplicate others in the file
	warnings []byte    // complete lines
	unread   error     // about unread device images, with the file name
	err      error     // why the file cannot be read, with the file name
}

// An absence describes why a file has no device code, and what to do if that is known.
type absence struct{ reason, fix string }

func (a absence) String() string {
	if a.fix == "" {
		return a.reason
	}
	return a.reason + "; " + a.fix
}

// named reports whether the file was named explicitly.
func (o *outcome) named() bool { return o.match == byName && o.depth == 0 }

// An omitted describes images of a file that are omitted for one reason.
type omitted struct {
	reason string
	count  int
}

// A reader reads files.
type reader struct {
	dir     *workspace.Directory
	options inputs.Reading

	members      spooler
	workspaces   []string // absolute
	disassembler func() *disassembler
}

// A job is work on a file that may run concurrently with other jobs.
type job struct {
	file     *file
	work     func() []outcome
	outcomes chan []outcome
}

// forEach calls yield with the outcome of each file, in order.
func (r *reader) forEach(ctx context.Context, files []*file, yield func(outcome) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	jobs := runtime.GOMAXPROCS(0)
	inOrder := make(chan *job, 2*jobs)
	todo := make(chan *job)
	submit := func(f *file, work func() []outcome) {
		j := &job{f, work, make(chan []outcome, 1)}
		inOrder <- j
		todo <- j
	}
	go func() {
		defer close(inOrder)
		defer close(todo)
		for _, f := range files {
			if ctx.Err() != nil {
				return
			}
			r.start(ctx, f, submit)
		}
	}()
	var wg sync.WaitGroup
	defer wg.Wait()
	for range jobs {
		wg.Go(func() {
			for j := range todo {
				j.outcomes <- j.run()
			}
		})
	}
	var err error
	for j := range inOrder { // do not stop early: jobs close files
		for _, o := range <-j.outcomes {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = yield(o)
			}
			if err != nil {
				cancel()
			}
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// run runs the job. It turns a panic into an error, because the exit code of a panic means a usage
// error.
func (j *job) run() (list []outcome) {
	defer func() {
		if p := recover(); p != nil {
			list = []outcome{{file: j.file, err: inFile(j.file, fmt.Errorf("internal error: %v", p))}}
		}
	}()
	return j.work()
}

// start opens a file and submits the work on it.
func (r *reader) start(ctx context.Context, f *file, submit func(f *file, work func() []outcome)) {
	opened, err := r.dir.Open(f.name)
	if err != nil {
		submit(f, func() []outcome { return []outcome{{file: f, err: err}} })
		return
	}
	info, err := opened.Stat()
	if err != nil {
		opened.Close()
		submit(f, func() []outcome { return []outcome{{file: f, err: err}} })
		return
	}
	size := info.Size()
	if kindOf(opened, size) == zipFile {
		r.startZip(ctx, f, opened, size, submit)
		return
	}
	submit(f, func() []outcome {
		defer opened.Close()
		if ctx.Err() != nil {
			return nil
		}
		return r.content(ctx, f, opened, size, newBudget(size))
	})
}

// A kind is the format in which a file is read.
type kind uint8

const (
	other kind = iota
	deviceFile
	zipFile
	tarFile
	gzipFile
	bzip2File
	zstdFile
	xzFile
	debFile
	rpmFile
	sevenZipFile
)

// unsupported names the kinds of archives and compressed files that are not read.
var unsupported = map[kind]string{xzFile: "xz compression is", debFile: "Debian packages are", rpmFile: "RPM packages are", sevenZipFile: "7z archives are"}

// headSize is the number of bytes that determine the kind of a file.
const headSize = 1024

// starts are the magic numbers of archives and compressed files.
var starts = []struct {
	bytes string
	kind  kind
}{
	{"PK\x03\x04", zipFile}, {"PK\x05\x06", zipFile}, {"\x1f\x8b\x08", gzipFile}, {"BZh", bzip2File}, {"\x28\xb5\x2f\xfd", zstdFile}, {"\xfd7zXZ\x00", xzFile},
	{"!<arch>\ndebian-binary", debFile}, {"\xed\xab\xee\xdb", rpmFile}, {"7z\xbc\xaf\x27\x1c", sevenZipFile},
}

func kindOf(in io.ReaderAt, size int64) kind {
	head := make([]byte, max(0, min(size, headSize)))
	n, _ := in.ReadAt(head, 0)
	return kindOfHead(head[:n])
}

// kindOfHead returns the kind of a file that starts with the given bytes.
func kindOfHead(head []byte) kind {
	for _, s := range starts {
		if bytes.HasPrefix(head, []byte(s.bytes)) {
			return s.kind
		}
	}
	const tarMagic = 257
	if len(head) > tarMagic+5 && string(head[tarMagic:tarMagic+5]) == "ustar" {
		return tarFile
	}
	switch format := offload.FormatOf(head); {
	case format == offload.SYCLBIN, format == offload.Container, format == offload.SPIRV, isHost(format):
		return deviceFile
	}
	return other
}

// isHost reports whether package hostbin finds images in files of a format.
func isHost(format offload.Format) bool {
	switch format {
	case offload.ELF, offload.Zebin, offload.COFF, offload.Archive, offload.ThinArchive, offload.Bundle, offload.CompressedBundle:
		return true
	}
	return false
}

// content returns the outcome of a file and, if it is an archive, of its members.
func (r *reader) content(ctx context.Context, f *file, in io.ReaderAt, size int64, left *budget) []outcome {
	switch kind := kindOf(in, size); kind {
	case other:
		return []outcome{r.otherContent(f, in, size)}
	case deviceFile:
		return []outcome{r.deviceContent(ctx, f, in, size)}
	case zipFile:
		return r.zipContent(ctx, f, in, size, left)
	default:
		return r.tarContent(ctx, f, kind, io.NewSectionReader(in, 0, size), left)
	}
}

// tableTitle is the first line of a file table with a column of code.
var tableTitle = regexp.MustCompile(`^\[([^\]\r\n]*\|)?Code(\|[^\]\r\n]*)?\]\r?\n`)

// otherContent reads a file table, and describes any other file.
func (r *reader) otherContent(f *file, in io.ReaderAt, size int64) outcome {
	o := outcome{file: f}
	head := make([]byte, min(size, headSize))
	n, err := in.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		o.err = err
		return o
	}
	head = head[:n]
	switch format := offload.FormatOf(head); {
	case size == 0 && o.named() && !strings.HasSuffix(f.name, ".table"):
		o.err = cli.BadInput(fmt.Errorf("%s: empty file; check whether the step that writes it failed", safetext.Printable(f.name)))
	case offload.IsPointer(head):
		o.err = cli.BadInput(fmt.Errorf("%s: %s; %s", safetext.Printable(f.name), offload.PointerFault, offload.PointerFix))
	case o.named() && (size == 0 || head[0] == '['), f.depth == 0 && f.match == byPattern && tableTitle.Match(head):
		modules, err := r.readTable(f.name, io.NewSectionReader(in, 0, size))
		o.set(in, size, modules, true, err)
	case format != offload.UnknownFormat:
		o.none.reason = fmt.Sprintf("no device images: %s is supported only inside the file that a compiler embeds it in", format)
	default:
		o.none.reason = "no device images"
	}
	return o
}

// set stores the modules of a file, or the reason why they cannot be read.
func (o *outcome) set(in io.ReaderAt, size int64, modules []report.Module, bare bool, err error) {
	if err == nil {
		sum := sha256.New()
		for at := int64(0); at < size && err == nil; {
			n := min(chunkSize, size-at)
			if data := offload.Slice(in, at, n); data != nil {
				sum.Write(data)
			} else { // not in memory
				n = size - at
				_, err = io.Copy(sum, io.NewSectionReader(in, at, n))
			}
			at += n
		}
		var warnings bytes.Buffer
		for _, m := range modules {
			for _, w := range m.Warnings {
				cli.Warnf(&warnings, safetext.Printable(o.name), "%s", w)
			}
		}
		o.warnings = append(o.warnings, warnings.Bytes()...)
		file := report.File{Name: strings.ToValidUTF8(o.name, "\ufffd"), Digest: hex.EncodeToString(sum.Sum(nil))}
		for i := range modules {
			modules[i].Files = []report.File{file}
		}
		o.part = &part{name: o.name, file: file, label: o.label, bare: bare && o.named(), modules: modules}
	}
	o.err = err
}

// deviceContent reads a file that may contain device code.
func (r *reader) deviceContent(ctx context.Context, f *file, in io.ReaderAt, size int64) outcome {
	o := outcome{file: f}
	format := offload.Detect(in, size)
	switch {
	case format == offload.ThinArchive && !o.named():
		// The members are usually objects in the same directory.
		o.omitted = []omitted{{"this is a thin archive, whose members are other files; pass these files too if they are not in the directories that you passed", 1}}
		o.none.reason = "no device images"
	case format == offload.SPIRV:
		m, err := report.FromSPIRV(io.NewSectionReader(in, 0, size), r.workspaces...)
		o.set(in, size, []report.Module{m}, true, inFile(f, err))
	case syclbin.Recognize(in, size):
		var warnings bytes.Buffer
		file, err := r.options.Read(&cli.Env{Stderr: &warnings}, safetext.Printable(f.name), in, size)
		o.warnings = warnings.Bytes()
		if err != nil {
			o.err = err
			return o
		}
		modules, err := report.FromSYCLBIN(file, r.workspaces...)
		for i := range modules {
			modules[i].File = f.name
		}
		o.set(in, size, modules, true, inFile(f, err))
	default:
		r.hostContent(ctx, &o, in, size)
	}
	return o
}

// inFile returns an error prefixed with the name of its file.
func inFile(f *file, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", safetext.Printable(f.name), err)
}

// hostContent reads the images of a host file.
func (r *reader) hostContent(ctx context.Context, o *outcome, in io.ReaderAt, size int64) {
	host, err := hostbin.NewFile(in, size)
	if err != nil {
		o.err = inFile(o.file, err)
		return
	}
	var warnings bytes.Buffer
	for _, w := range host.Warnings {
		cli.Warnf(&warnings, safetext.Printable(o.name), "%s", w)
	}
	o.warnings = warnings.Bytes()
	if len(host.Images) == 0 {
		o.none.reason = "no device images"
		if host.Foreign != "" {
			o.none.reason = "no device images: " + host.Foreign
		}
		return
	}
	var bitcode []*hostbin.Image
	host.Images = slices.DeleteFunc(host.Images, func(img *hostbin.Image) bool {
		if needsLLVM(img) {
			bitcode = append(bitcode, img)
			return true
		}
		return false
	})
	fromBitcode, err := r.readBitcode(ctx, bitcode)
	o.unread = inFile(o.file, err)
	var b syclbin.Builder
	result, err := hostbin.Collect(&b, host, o.name)
	if err != nil {
		o.err = inFile(o.file, err)
		return
	}
	o.omit(result.Omitted)
	o.images, o.repeated = result.Taken, result.Repeated
	if result.Taken == 0 && len(fromBitcode) == 0 {
		o.none.reason = "no device image can be used"
		return
	}
	modules, err := report.FromSYCLBIN(b.File(syclbin.Executable), r.workspaces...)
	modules = append(modules, fromBitcode...)
	for i := range modules {
		modules[i].Warnings = nil  // host has them, with the location in the file
		modules[i].Embedded = true // the runtime prefers native code of the program itself
	}
	o.set(in, size, modules, false, inFile(o.file, err))
}

// omit summarizes the omitted images.
func (o *outcome) omit(images []hostbin.Omitted) {
	at := map[string]int{}
	for _, l := range images {
		i, ok := at[l.Reason]
		if !ok {
			i = len(o.omitted)
			at[l.Reason] = i
			o.omitted = append(o.omitted, omitted{reason: l.Reason})
		}
		o.omitted[i].count++
	}
}
