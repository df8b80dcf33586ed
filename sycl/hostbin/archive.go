package hostbin

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
)

const (
	archiveMagic = "!<arch>\n"
	memberHeader = 60 // name 16, date 12, owner 6, group 6, mode 8, size 10, "`\n"
)

// archive looks into the members of an ar archive.
func (s *scanner) archive(in input) error {
	if in.depth == maxDepth {
		return in.errorf(0, "archives are inside one another more than %d deep", maxDepth)
	}
	var names []byte // of members whose name is long, in the style of GNU and of COFF
	for at := int64(len(archiveMagic)); at < in.size; {
		var raw [memberHeader]byte
		if err := in.read(raw[:], at, "the header of an archive member"); err != nil {
			return err
		}
		if string(raw[58:]) != "`\n" {
			return in.errorf(at+58, "the header of an archive member ends with %q, not with %q", raw[58:], "`\n")
		}
		if s.members++; s.members > maxMembers {
			return in.errorf(at, "more than %d archive members", maxMembers)
		}
		size, err := strconv.ParseUint(strings.TrimRight(string(raw[48:58]), " "), 10, 63)
		start := at + memberHeader
		if err != nil || !in.has(uint64(start), size) {
			return in.errorf(at+48, "the size of an archive member, %q, is not a number or reaches past the end", raw[48:58])
		}
		next := start + int64(size) + int64(size&1)
		name := strings.TrimRight(string(raw[:16]), " ")
		member := input{r: in.r, base: in.base + start, size: int64(size), depth: in.depth + 1}
		switch {
		case name == "//":
			if size > maxNames {
				return in.errorf(at+48, "the names of the members have %d bytes, more than %d", size, maxNames)
			}
			names = make([]byte, size)
			if err := in.read(names, start, "the names of the members"); err != nil {
				return err
			}
			at = next
			continue
		case strings.HasPrefix(name, "#1/"): // BSD: the name is before the content
			length, err := strconv.ParseUint(name[3:], 10, 31)
			if err != nil || length > size || length > 1<<16 {
				return in.errorf(at, "the member name %s does not fit its member", quote(name))
			}
			long := make([]byte, length)
			if err := in.read(long, start, "the name of a member"); err != nil {
				return err
			}
			name = string(bytes.TrimRight(long, "\x00"))
			member.base, member.size = member.base+int64(length), member.size-int64(length)
		case len(name) > 1 && name[0] == '/' && '0' <= name[1] && name[1] <= '9':
			offset, err := strconv.ParseUint(name[1:], 10, 31)
			if err != nil || offset >= uint64(len(names)) {
				return in.errorf(at, "the member name %s is not in the list of names, which has %d bytes", quote(name), len(names))
			}
			long := names[offset:]
			if i := bytes.IndexAny(long, "\n\x00"); i >= 0 {
				long = long[:i]
			}
			name = strings.TrimSuffix(string(long), "/")
		default:
			name = strings.TrimSuffix(name, "/")
		}
		at = next
		member.member = name
		if in.member != "" {
			member.member = in.member + "/" + name
		}
		if err := s.spend(&in, start, int64(len(member.member))); err != nil {
			return err
		}
		if name == "" || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "__.SYMDEF") {
			continue // the index of symbols
		}
		if err := s.member(member, name); err != nil {
			return err
		}
	}
	return nil
}

// member looks into one member, which in an archive of ocloc is an image.
func (s *scanner) member(in input, name string) error {
	bits, device, ok := strings.Cut(name, ".")
	switch {
	case strings.HasPrefix(name, "pad_"):
		return nil
	case name == "generic_ir":
		return s.genericIR(in)
	case ok && device != "" && device != "o" && device != "obj" && (bits == "64" || bits == "32"):
		triple := "spir64_gen-unknown-unknown"
		if bits == "32" {
			triple = "spir_gen-unknown-unknown"
		}
		return s.add(&in, &Image{
			Origin: Origin{Offset: in.base},
			Model:  "sycl", Triple: triple, Arch: device, Stated: imageformat.Native,
			Source: in.section(0, in.size),
		})
	}
	// Whatever else is in archives, such as text, is not a host file.
	_, err := s.scan(in)
	return err
}

// genericIR adds the SPIR-V of an archive of ocloc, which is bare or in ELF.
func (s *scanner) genericIR(in input) error {
	img := &Image{
		Origin: Origin{Offset: in.base},
		Model:  "sycl", Triple: "spir64-unknown-unknown", Stated: imageformat.SPIRV,
		Source: in.section(0, in.size),
	}
	var head [4]byte
	if err := in.read(head[:], 0, "the start of generic_ir"); err != nil {
		return err
	}
	if imageformat.Of(head[:]).IsELF() {
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
	return s.add(&in, img)
}
