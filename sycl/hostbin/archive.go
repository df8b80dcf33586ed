package hostbin

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

const (
	archiveMagic = "!<arch>\n"
	memberHeader = 60 // name 16, date 12, owner 6, group 6, mode 8, size 10, "`\n"
)

// archive scans the members of an ar archive.
func (s *scanner) archive(in input) error {
	if in.depth == maxDepth {
		return in.errorWithFix(0, "extract the inner archives and name them", "archives are nested too deeply (limit %d)", maxDepth)
	}
	a := archive{scanner: s, in: in}
	first := len(s.file.Images)
	for at := int64(len(archiveMagic)); at < in.size; {
		m, err := a.next(at)
		if err != nil {
			return err
		}
		if m.name == "//" {
			err = a.readNames(m)
		} else {
			err = a.scanMember(m)
		}
		if err != nil {
			return err
		}
		at = m.start + m.size + m.size&1
	}
	return s.dropRepeatedMembers(first)
}

type archive struct {
	*scanner
	in    input
	names []byte // of members with long names, in the GNU and COFF formats
}

// An arMember is the content of a member header in an archive.
type arMember struct {
	name        string // as in the header
	header      int64  // offset of the header
	start, size int64  // of the content
}

// next reads the header at an offset.
func (a *archive) next(at int64) (m arMember, err error) {
	var raw [memberHeader]byte
	if err := a.in.read(raw[:], at, "the header of an archive member"); err != nil {
		return m, err
	}
	h := binfile.Buf(raw[:])
	name := h.Sub(16)
	h.Skip(12 + 6 + 6 + 8) // date, owner, group and mode
	decimal, end := h.Sub(10), h.Sub(2)
	if string(end) != "`\n" {
		return m, a.in.errorf(at+58, "the header of an archive member ends with %q, not with %q", end, "`\n")
	}
	if a.members++; a.members > maxMembers {
		return m, a.in.errorf(at, "too many archive members (limit %d)", maxMembers)
	}
	size, err := strconv.ParseUint(strings.TrimRight(string(decimal), " "), 10, 63)
	start := at + memberHeader
	if err != nil || !a.in.has(uint64(start), size) {
		return m, a.in.truncatedf(at+48, "the size of an archive member, %q, is not a number or reaches past the end", decimal)
	}
	return arMember{strings.TrimRight(string(name), " "), at, start, int64(size)}, nil
}

// readNames reads the member that holds the long names of the following members.
func (a *archive) readNames(m arMember) error {
	if m.size > maxNames {
		return a.in.errorf(m.header+48, "the names of the members have %d bytes (limit %d)", m.size, maxNames)
	}
	a.names = make([]byte, m.size)
	return a.in.read(a.names, m.start, "the names of the members")
}

// scanMember scans a member unless it is the symbol index.
func (a *archive) scanMember(m arMember) error {
	name, before, err := a.name(m)
	if err != nil {
		return err
	}
	in := input{r: a.in.r, base: a.in.base + m.start + before, size: m.size - before, member: name, depth: a.in.depth + 1}
	if a.in.member != "" {
		in.member = a.in.member + "/" + name
	}
	if err := a.addBytes(&a.in, m.start, int64(len(in.member))); err != nil {
		return err
	}
	if name == "" || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "__.SYMDEF") {
		return nil
	}
	return a.member(in, name)
}

// name returns the name of a member, and the number of bytes that it occupies before the content.
func (a *archive) name(m arMember) (name string, before int64, err error) {
	bsd, isBSD := strings.CutPrefix(m.name, "#1/")
	digits, isLong := strings.CutPrefix(m.name, "/")
	switch {
	case isBSD:
		length, err := strconv.ParseUint(bsd, 10, 31)
		if err != nil || int64(length) > m.size || length > 1<<16 {
			return "", 0, a.in.errorf(m.header, "the member name %s does not fit its member", safetext.Quote(m.name))
		}
		long := make([]byte, length)
		err = a.in.read(long, m.start, "the name of a member")
		return string(bytes.TrimRight(long, "\x00")), int64(length), err
	case isLong && digits != "" && '0' <= digits[0] && digits[0] <= '9':
		offset, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || offset >= uint64(len(a.names)) {
			return "", 0, a.in.errorf(m.header, "the member name %s is not in the list of names, which has %d bytes", safetext.Quote(m.name), len(a.names))
		}
		long := a.names[offset:]
		if i := bytes.IndexAny(long, "\n\x00"); i >= 0 {
			long = long[:i]
		}
		return strings.TrimSuffix(string(long), "/"), 0, nil
	}
	return strings.TrimSuffix(m.name, "/"), 0, nil
}

// member scans one member. A member of an ocloc archive is an image.
func (s *scanner) member(in input, name string) error {
	bits, device, ok := strings.Cut(name, ".")
	switch {
	case strings.HasPrefix(name, "pad_"):
		return nil
	case name == "generic_ir":
		return s.genericIR(in)
	case ok && device != "" && device != "o" && device != "obj" && (bits == "64" || bits == "32"):
		triple := gpuTriple
		if bits == "32" {
			triple = "spir_gen-unknown-unknown"
		}
		return s.addGPUCode(in, triple, device)
	}
	if s.inImage {
		s.warnf(&in, "unknown member; its code is omitted")
		return nil
	}
	// Other archive members, such as text, are not host files.
	_, err := s.scan(in)
	return err
}

// genericIR adds the SPIR-V of an ocloc archive, which is bare or in ELF.
func (s *scanner) genericIR(in input) error {
	img := &Image{
		Origin: Origin{Offset: in.base},
		Model:  "sycl", Triple: gpuTriple, Stated: offload.SPIRV, // for Intel GPUs only
		Source: in.section(0, in.size),
	}
	var head [4]byte
	if err := in.read(head[:], 0, "the start of generic_ir"); err != nil {
		return err
	}
	if offload.FormatOf(head[:]).IsELF() {
		e, err := readELF(&in)
		if err != nil {
			return err
		}
		for _, h := range e.Sections {
			if h.Type != sectionSPIRV {
				continue
			}
			sec, err := e.content(h.Range, "the SPIR-V")
			if err != nil {
				return err
			}
			img.Origin.Offset += sec.offset
			img.Source = in.section(sec.offset, sec.size)
			return s.add(&in, img)
		}
		return in.errorf(0, "generic_ir is ELF, but has no section of type %#x with SPIR-V", sectionSPIRV)
	}
	if offload.FormatOf(head[:]) != offload.SPIRV {
		s.warnf(&in, "starts with %x, which is not SPIR-V; its code is omitted", head)
		return nil
	}
	return s.add(&in, img)
}
