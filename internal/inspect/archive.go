package inspect

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Limits of archives.
const (
	maxArchives  = 2         // nesting depth, such as a wheel in a zip
	maxMembers   = 1_000_000 // per archive
	maxDirectory = 64 << 20  // bytes of a zip directory
	maxMember    = 8 << 30   // bytes of a member with device code
	maxWindow    = 128 << 20 // bytes of a decompressor's window

	// freeSize and maxRatio bound the unpacked size: an archive may always unpack to a size that costs
	// little, or by a factor that device code does not reach.
	freeSize = 64 << 20
	maxRatio = 256
)

const unpackIt = "unpack it and pass the directory"

// A budget is the number of bytes that may still be unpacked from an archive, including nested
// archives. It counts the bytes that decompressing a tar archive produces, and the bytes of
// members, because sparse members are larger than their data in the tar archive.
type budget struct {
	tars, members atomic.Int64
	size          int64
}

func newBudget(size int64) *budget {
	b := &budget{size: size}
	most := freeSize + min(size, 1<<40)*maxRatio
	b.tars.Store(most)
	b.members.Store(most)
	return b
}

// errBomb is returned by a reader whose budget is exhausted.
type errBomb struct{ size int64 }

func (e *errBomb) Error() string {
	return fmt.Sprintf("the %d bytes of the archive unpack to more than %d times as much: refused as a decompression bomb; %s", e.size, maxRatio, unpackIt)
}

// BadInput marks the error as caused by an input file.
func (*errBomb) BadInput() {}

// A spender counts unpacked bytes against a budget.
type spender struct {
	io.Reader
	left *atomic.Int64
	size int64 // of the archive
}

func (s spender) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if s.left.Add(-int64(n)) < 0 {
		return 0, &errBomb{s.size}
	}
	return n, err
}

// memberFile returns the file for a member.
func memberFile(archive *file, labels archiveLabel, name string) *file {
	return &file{name: archive.name + "/" + name, label: labels.member(name), depth: archive.depth + 1, top: archive.top}
}

// member reads a member. If the member has no device code, it only reads the start.
func (r *reader) member(ctx context.Context, f *file, in io.Reader, left *budget) []outcome {
	if ctx.Err() != nil {
		return nil
	}
	kind, in, err := peek(spender{in, &left.members, left.size})
	switch {
	case err != nil:
		return unreadable(f, err)
	case kind == other:
		return []outcome{{file: f}}
	case kind != deviceFile && f.depth >= maxArchives:
		if kind != zipFile {
			_, done, not := openTar(f, kind, in, left)
			if not != nil {
				return not
			}
			done()
		}
		return []outcome{{file: f, err: cli.BadInput(fmt.Errorf("%s: archives can be nested only two deep; unpack the outer one and pass the directory", safetext.Printable(f.name)))}}
	}
	s, err := r.members.spool(in)
	if err != nil {
		return unreadable(f, err)
	}
	defer s.Close()
	return r.content(ctx, f, s, s.Size(), left)
}

// peek returns the kind of a stream's content, and the stream including its start.
func peek(in io.Reader) (kind, io.Reader, error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(in, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return other, nil, err
	}
	return kindOfHead(head[:n]), io.MultiReader(bytes.NewReader(head[:n]), in), nil
}

// unreadable returns the outcome of a file that cannot be unpacked. Errors that do not come from the
// system are errors in the file. The libraries' errors have no suggested fix.
func unreadable(f *file, err error) []outcome {
	var system *os.PathError
	var unpacked *scratchError
	var bad interface{ BadInput() }
	if !errors.As(err, &system) && !errors.As(err, &unpacked) && !errors.As(err, &bad) {
		err = cli.BadInput(fmt.Errorf("%w; the archive is damaged or truncated; copy, build or download it again", err))
	}
	return []outcome{{file: f, err: inFile(f, err)}}
}

// zips reads the directory of a zip archive.
func zips(in io.ReaderAt, size int64) (*zip.Reader, error) {
	limited := &meter{ReaderAt: io.NewSectionReader(in, 0, size), left: maxDirectory} // offsets outside of the file read as its end
	z, err := zip.NewReader(limited, size)
	switch {
	case limited.left < 0:
		return nil, cli.BadInput(fmt.Errorf("the directory of the archive has more than %d MiB; %s", maxDirectory>>20, unpackIt))
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // these paths are never written to
		return nil, err
	case len(z.File) > maxMembers:
		return nil, cli.BadInput(fmt.Errorf("the archive has %d members, more than the limit of %d; %s", len(z.File), maxMembers, unpackIt))
	}
	limited.unlimited = true
	z.RegisterDecompressor(zip.Deflate, flate.NewReader) // faster than the standard library
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1)))
	return z, nil
}

// A meter limits the number of bytes read.
type meter struct {
	io.ReaderAt
	left      int64
	unlimited bool
}

func (m *meter) ReadAt(b []byte, offset int64) (int, error) {
	if !m.unlimited {
		if m.left -= int64(len(b)); m.left < 0 {
			return 0, errors.New("the limit is reached")
		}
	}
	return m.ReaderAt.ReadAt(b, offset)
}

// startZip submits work for each member of a zip archive, and closes the archive afterwards.
func (r *reader) startZip(ctx context.Context, f *file, opened *os.File, size int64, submit func(f *file, work func() []outcome)) {
	z, err := zips(opened, size)
	if err != nil {
		opened.Close()
		submit(f, func() []outcome { return unreadable(f, err) })
		return
	}
	var open atomic.Int64 // members not read yet, plus this function
	open.Store(1)
	closeOne := func() {
		if open.Add(-1) == 0 {
			opened.Close()
		}
	}
	defer closeOne()
	left, labels := newBudget(size), newArchiveLabel(f.name, f.label)
	if !slices.ContainsFunc(z.File, isRegular) {
		submit(f, func() []outcome { return noMember(f) })
	}
	for _, member := range z.File {
		if ctx.Err() != nil {
			return
		}
		open.Add(1)
		submit(f, func() []outcome {
			defer closeOne()
			return r.zipMember(ctx, f, labels, member, left)
		})
	}
}

func isRegular(member *zip.File) bool { return member.Mode().IsRegular() }

// noMember returns the outcome for an archive without files.
func noMember(f *file) []outcome {
	return []outcome{{file: f, none: absence{reason: "the archive has no files"}}}
}

// zipContent reads a zip archive nested in another archive.
func (r *reader) zipContent(ctx context.Context, f *file, in io.ReaderAt, size int64, left *budget) []outcome {
	z, err := zips(in, size)
	if err != nil {
		return unreadable(f, err)
	}
	if !slices.ContainsFunc(z.File, isRegular) {
		return noMember(f)
	}
	labels := newArchiveLabel(f.name, f.label)
	var list []outcome
	for _, member := range z.File {
		list = append(list, r.zipMember(ctx, f, labels, member, left)...)
	}
	return list
}

func (r *reader) zipMember(ctx context.Context, archive *file, labels archiveLabel, member *zip.File, left *budget) []outcome {
	if !isRegular(member) {
		return nil
	}
	f := memberFile(archive, labels, member.Name)
	const encrypted = 1
	if member.Flags&encrypted != 0 {
		return []outcome{{file: f, err: cli.BadInput(fmt.Errorf("%s: the member is encrypted; %s", safetext.Printable(f.name), unpackIt))}}
	}
	in, err := member.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return []outcome{{file: f, err: cli.BadInput(fmt.Errorf("%s: the member is compressed with the unsupported method %d; %s", safetext.Printable(f.name), member.Method, unpackIt))}}
	}
	if err != nil {
		return unreadable(f, err)
	}
	defer in.Close()
	return r.member(ctx, f, in, left)
}

// tarContent reads a possibly compressed tar archive.
func (r *reader) tarContent(ctx context.Context, f *file, compression kind, in io.Reader, left *budget) []outcome {
	in, done, not := openTar(f, compression, in, left)
	if not != nil {
		return not
	}
	defer done()
	return r.tarMembers(ctx, f, tar.NewReader(in), left)
}

// openTar returns a reader of a possibly compressed tar archive and a function to call after
// reading; or the outcome of a file that is not a tar archive. Compressed files of other kinds have
// no device code.
func openTar(f *file, compression kind, in io.Reader, left *budget) (out io.Reader, done func(), not []outcome) {
	done = func() {}
	switch compression {
	case tarFile:
		return in, done, nil
	case gzipFile:
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, unreadable(f, err)
		}
		in = z
	case bzip2File:
		in = bzip2.NewReader(in)
	case zstdFile:
		z, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, unreadable(f, err)
		}
		in, done = z, z.Close
	case xzFile, debFile, rpmFile, sevenZipFile:
		o := outcome{file: f, none: absence{unsupported[compression] + " not supported", unpackIt}}
		if compression != xzFile || strings.HasSuffix(f.name, ".tar.xz") || strings.HasSuffix(f.name, ".txz") {
			o.err = cli.BadInput(fmt.Errorf("%s: %s", safetext.Printable(f.name), o.none))
		}
		return nil, nil, []outcome{o}
	}
	content, in, err := peek(spender{in, &left.tars, left.size})
	switch {
	case err != nil:
		not = unreadable(f, err)
	case content != tarFile:
		not = []outcome{{file: f, none: absence{"the compressed file is not a tar archive", "unpack it and pass the content"}}}
	default:
		return in, done, nil
	}
	done()
	return nil, nil, not
}

func (r *reader) tarMembers(ctx context.Context, f *file, in *tar.Reader, left *budget) []outcome {
	labels := newArchiveLabel(f.name, f.label)
	var list []outcome
	for n := 0; ctx.Err() == nil; n++ {
		header, err := in.Next()
		switch {
		case err == io.EOF && len(list) == 0:
			return noMember(f)
		case err == io.EOF:
			return list
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return append(list, unreadable(f, err)...)
		case n == maxMembers:
			return append(list, unreadable(f, cli.BadInput(fmt.Errorf("the archive has more than %d members; %s", maxMembers, unpackIt)))...)
		case header.Typeflag == tar.TypeReg:
			list = append(list, r.member(ctx, memberFile(f, labels, header.Name), in, left)...)
		}
	}
	return list
}
