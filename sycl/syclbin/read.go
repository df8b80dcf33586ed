package syclbin

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
)

// Limits on what reading a file keeps in memory, regardless of the numbers in the file.
const (
	maxHeaders  = 1 << 20   // abstract modules, IR modules and native images
	maxMetadata = 128 << 20 // bytes of property set text
)

// NewFile reads the SYCLBIN file in r, which has size bytes: bare, or in an OffloadBinary
// container. Errors in the content are of type [*FormatError]. The images are not read, so r must
// remain usable.
func NewFile(r io.ReaderAt, size int64) (*File, error) { return newFile(r, size, false) }

// NewLenientFile is like NewFile, but also reads files with errors that can be repaired without
// guessing: files from older compilers in which the first image of every abstract module is image
// 0, headers of images that do not belong to an abstract module, and metadata that
// [propset.ParseLax] can read. File.Findings lists the repairs.
func NewLenientFile(r io.ReaderAt, size int64) (*File, error) { return newFile(r, size, true) }

func newFile(r io.ReaderAt, size int64, lenient bool) (*File, error) {
	rd := &reader{r: r, lenient: lenient, file: &File{Size: size, State: NoState, Global: new(propset.Registry)}}
	if err := rd.read(); err != nil {
		return nil, err
	}
	f := rd.file
	if v, ok := f.Global.Set(propset.SYCLBINGlobal).Get(keyState); ok {
		if n, ok := v.Uint(); ok {
			f.State = State(n)
		}
	}
	rd.release()
	for _, m := range f.Modules {
		m.Metadata = f.Release.Read(m.Metadata)
	}
	return f, nil
}

// release determines the runtime release that the file is for. The containers of 2026 do not
// identify the release, because development versions of the compiler used them before aspects were
// renumbered.
func (rd *reader) release() {
	f := rd.file
	recorded, err := release.Recorded(f.Global)
	switch {
	case err != nil:
		rd.addFinding(releaseUnknown, "global metadata", "%v", err)
	case recorded != nil:
		f.Release, f.Recorded = recorded, true
		f.Global = f.Global.Clone()
		f.Global.Delete(release.Set)
		return
	}
	f.Release = release.Newest()
	if f.StatesRelease() {
		f.Release = release.Before2026()
	}
}

type reader struct {
	r        io.ReaderAt
	lenient  bool
	file     *File
	metadata int64 // bytes of metadata read so far
	global   *propset.Registry
}

func errorf(offset int64, format string, args ...any) error {
	return &FormatError{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// addFinding records an error that did not prevent reading.
func (rd *reader) addFinding(rule Rule, place, format string, args ...any) {
	rd.file.Findings = AppendFinding(rd.file.Findings, rule, place, format, args...)
}

// read detects the form of the file and reads it.
func (rd *reader) read() error {
	var head [48]byte
	n := min(rd.file.Size, int64(len(head)))
	if err := readAt(rd.r, head[:n], 0); err != nil {
		return err
	}
	switch format := offload.Detect(rd.r, rd.file.Size); {
	case format == offload.SYCLBIN:
		rd.file.Version = 1
		return rd.v1(rd.r, 0, rd.file.Size)
	case format == offload.Container:
		return rd.container()
	case strings.HasPrefix(string(head[:n]), "SYBI"):
		return errorf(0, "starts with \"SYBI\", but a SYCLBIN file starts with \"IBYS\": the magic number 0x53594249 was written with the wrong byte order")
	case offload.IsPointer(head[:n]):
		return errorf(0, "%s; %s", offload.PointerFault, offload.PointerFix)
	case format == offload.UnknownFormat:
		return errorf(0, "starts with %x, which is neither a SYCLBIN file (%x) nor an OffloadBinary container (%x)", head[:min(n, 8)], magic, offload.Magic)
	default:
		return errorf(0, "this is %s, not a SYCLBIN file; convert it with packager import", format.Predicate())
	}
}

// Recognize reports whether r, which has size bytes, is meant to be a SYCLBIN file of any version,
// even if it has errors. It returns false for other OffloadBinary containers.
func Recognize(r io.ReaderAt, size int64) bool {
	switch offload.Detect(r, size) {
	case offload.SYCLBIN:
		return true
	case offload.Container:
	default:
		return false
	}
	files, err := offload.ReadAll(r, size)
	if err != nil {
		return true
	}
	entries := wrappedIn(files)
	version1, err := version1Entries(entries)
	return err != nil || len(version1) > 0 || slices.ContainsFunc(entries, func(e wrapped) bool { return e.isPart() || e.isDraft() })
}

// A wrapped is an entry of a container whose image is at offset base of the file.
type wrapped struct {
	*offload.Entry
	base int64
}

func wrappedIn(files []*offload.File) (entries []wrapped) {
	for _, c := range files {
		for _, e := range c.Entries {
			entries = append(entries, wrapped{e, c.Offset + e.Offset})
		}
	}
	return entries
}

// container reads the content of OffloadBinary containers.
func (rd *reader) container() error {
	files, err := offload.ReadAll(rd.r, rd.file.Size)
	if formatErr := (*offload.FormatError)(nil); errors.As(err, &formatErr) {
		return &FormatError{Offset: formatErr.Offset, Err: formatErr}
	}
	if err != nil {
		return err
	}
	rd.file.Container = files[0].Version
	if rd.file.Container == 3 {
		rd.addFinding(containerVersion, "container", "the container has version 3, which the DPC++ runtime does not load")
	}
	entries := wrappedIn(files)
	version1, err := version1Entries(entries)
	switch {
	case err != nil:
		return err
	case len(version1) > 0:
		return rd.wrappedV1(entries, version1)
	case slices.ContainsFunc(entries, wrapped.isPart):
		return rd.v2(entries)
	case slices.ContainsFunc(entries, wrapped.isDraft):
		return errorf(0, "unsupported draft of the SYCLBIN format, with property sets as strings of the container; rebuild the file with a compiler that writes version 1")
	case len(entries) == 0:
		return errorf(0, "the OffloadBinary container has no entries")
	}
	return errorf(0, "an OffloadBinary container without SYCLBIN content: its first image is %s", offload.Detect(entries[0], entries[0].Size()).Predicate())
}

// version1Entries returns the entries whose image is a version 1 file.
func version1Entries(entries []wrapped) ([]wrapped, error) {
	var list []wrapped
	for _, e := range entries {
		var head [len(magic)]byte
		if e.Size() < int64(len(head)) {
			continue
		}
		if err := readAt(e.Entry, head[:], 0); err != nil {
			return nil, err
		}
		if string(head[:]) == magic {
			list = append(list, e)
		}
	}
	return list, nil
}

// isPart reports whether the entry is a part of a version 2 file.
func (e wrapped) isPart() bool {
	_, ok := e.String(stringRole)
	return ok
}

// isDraft reports whether the entry has the form of the draft that preceded version 1.
func (e wrapped) isDraft() bool {
	return slices.ContainsFunc(e.Strings, func(s offload.String) bool { return strings.HasPrefix(s.Key, "SYCLBIN/") })
}

// wrappedV1 reads the version 1 files in some of the entries.
func (rd *reader) wrappedV1(entries, version1 []wrapped) error {
	f := rd.file
	f.Version = 1
	f.ImageKind = version1[0].ImageKind
	switch {
	case len(version1) > 1:
		rd.addFinding(containerSeveral, "container", "the container has %d SYCLBIN files, but other tools only read the first", len(version1))
	case version1[0] != entries[0]:
		rd.addFinding(containerSeveral, "container", "the SYCLBIN file is not the first entry of the container, but other tools only read the first")
	case len(entries) > 1:
		rd.addFinding(containerSeveral, "container", "the container holds %d entries that are not SYCLBIN files", len(entries)-1)
	}
	old := f.Container == 1 && f.ImageKind == offload.KindSPIRV // 6 was the number of SYCLBIN then
	if f.ImageKind != offload.KindSYCLBIN && !old {
		rd.addFinding(containerKind, "container", "the container declares the file as kind %d (%s), but runtimes load kind %d, or kind %d before 2026", uint16(f.ImageKind), f.ImageKind, uint16(offload.KindSYCLBIN), uint16(offload.KindSPIRV))
	}
	for _, e := range version1 {
		if err := rd.v1(e.Entry, e.base, e.Size()); err != nil {
			return err
		}
	}
	return nil
}

// parse parses metadata at an offset in the file.
func (rd *reader) parse(text []byte, offset int64, what part) (*propset.Registry, error) {
	if rd.lenient {
		reg, warnings, err := propset.ParseLax("", text)
		if err != nil {
			return nil, &FormatError{offset, what.String(), err}
		}
		for _, w := range warnings {
			rd.addFinding(metadataText, what.String(), "%v", w)
		}
		return reg, nil
	}
	reg, err := propset.Parse("", text)
	if err != nil {
		return nil, &FormatError{offset, what.String(), err}
	}
	return reg, nil
}

// setGlobal sets the global metadata of the file. For an additional file in the same container, it
// checks that the metadata agrees.
func (rd *reader) setGlobal(g *propset.Registry, at Range) error {
	f := rd.file
	if rd.global != nil && !g.Equal(rd.global) {
		return errorf(at.Offset, "the container has SYCLBIN files with different global metadata, which cannot be merged")
	}
	rd.global, f.Global, f.GlobalRange = g, g, at
	return nil
}

// readAt fills b. If the file is truncated, the error is a *FormatError, unlike for a failed read.
func readAt(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return errorf(offset+int64(n), "the file changed while it was being read")
	}
	return fmt.Errorf("syclbin: offset %#x: %w", offset, err)
}
