package hostbin

import (
	"bytes"
	"crypto/md5"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

const maxIdentifier = 256 // of an image in a text

// bundle reads a bundle of clang-offload-bundler, which starts with head.
func (s *scanner) bundle(in input, head []byte) error {
	if comment := offload.BundleComment(head); comment != "" {
		return s.textBundle(in, comment)
	}
	return s.binaryBundle(in)
}

// binaryBundle reads the binary format of clang-offload-bundler.
func (s *scanner) binaryBundle(in input) error {
	var raw [24]byte
	if err := in.read(raw[:8], int64(len(offload.BundleMagic)), "the number of entries of the bundle"); err != nil {
		return err
	}
	count, at := le.Uint64(raw[:]), int64(len(offload.BundleMagic))+8
	if count > uint64(in.size)/24 {
		return in.errorf(at-8, "the bundle cannot have %d entries", count)
	}
	for i := range count {
		if err := in.read(raw[:], at, "an entry of the bundle"); err != nil {
			return err
		}
		offset, size, length := le.Uint64(raw[0:]), le.Uint64(raw[8:]), le.Uint64(raw[16:])
		switch {
		case !in.has(offset, size):
			return in.truncatedf(at, "entry %d of the bundle, %d bytes at %#x, reaches past the end at %#x", i, size, offset, in.size)
		case !in.has(uint64(at)+24, length):
			return in.truncatedf(at+16, "the name of entry %d of the bundle has %d bytes, which reach past the end", i, length)
		}
		if err := s.addBytes(&in, at+16, int64(length)); err != nil {
			return err
		}
		id := make([]byte, length)
		if err := in.read(id, at+24, "a name in the bundle"); err != nil {
			return err
		}
		at += 24 + int64(length)
		if size == 0 {
			continue
		}
		if err := s.bundled(&in, string(id), section{"", int64(offset), int64(size)}, offload.UnknownFormat); err != nil {
			return err
		}
	}
	return nil
}

// textBundle reads the text formats of clang-offload-bundler.
func (s *scanner) textBundle(in input, comment string) error {
	mark := "\n" + comment + " " + offload.BundleMagic
	before, after := mark+"__START__ ", mark+"__END__ "
	for at := int64(0); at < in.size; {
		line := make([]byte, min(int64(len(before)+maxIdentifier+1), in.size-at))
		if err := in.read(line, at, "a line of the bundle"); err != nil {
			return err
		}
		text, ok := strings.CutPrefix(string(line), before)
		id, _, ends := strings.Cut(text, "\n")
		if !ok || !ends {
			return in.errorf(at, "unexpected %s in the bundle; expected %s and a short identifier", safetext.Quote(string(line)), safetext.Quote(before))
		}
		content := at + int64(len(before)+len(id)+1)
		stop := after + id + "\n"
		end, err := in.find(stop, content)
		switch {
		case err != nil:
			return err
		case end < 0:
			return in.errorf(at, "unterminated part for %s in the bundle", safetext.Quote(id))
		}
		if err := s.bundled(&in, id, section{"", content, end - content}, offload.Text); err != nil {
			return err
		}
		at = end + int64(len(stop))
	}
	return nil
}

// find returns the offset of the first occurrence of text at or after an offset, or -1.
func (in *input) find(text string, from int64) (int64, error) {
	buffer := make([]byte, 1<<16+len(text)-1)
	for ; from+int64(len(text)) <= in.size; from += 1 << 16 {
		chunk := buffer[:min(int64(len(buffer)), in.size-from)]
		if err := in.read(chunk, from, "the bundle"); err != nil {
			return 0, err
		}
		if i := bytes.Index(chunk, []byte(text)); i >= 0 {
			return from + int64(i), nil
		}
	}
	return -1, nil
}

// A compressedHeader is the header of a compressed bundle.
type compressedHeader struct {
	head   [32]byte
	size   int64 // of the header
	method binfile.Compression
	want   uint64 // bytes of the bundle
}

func (in *input) compressedHeader() (h compressedHeader, err error) {
	if err := in.read(h.head[:8], 0, "the header of the compressed bundle"); err != nil {
		return h, err
	}
	version, method := le.Uint16(h.head[4:]), le.Uint16(h.head[6:])
	h.size, h.method = map[uint16]int64{1: 20, 2: 24, 3: 32}[version], binfile.Compression(method)
	switch {
	case h.size == 0:
		return h, in.unsupportedf(4, "unsupported compressed bundle version %d; expected 1, 2 or 3", version)
	case method > uint16(binfile.Zstd):
		return h, in.unsupportedf(6, "unsupported compression method %d of the bundle; expected 0 (zlib) or 1 (zstd)", method)
	}
	if err := in.read(h.head[:h.size], 0, "the header of the compressed bundle"); err != nil {
		return h, err
	}
	var total uint64
	switch version {
	case 1:
		total, h.want = uint64(in.size), uint64(le.Uint32(h.head[8:]))
	case 2:
		total, h.want = uint64(le.Uint32(h.head[8:])), uint64(le.Uint32(h.head[12:]))
	case 3:
		total, h.want = le.Uint64(h.head[8:]), le.Uint64(h.head[16:])
	}
	if total != uint64(in.size) {
		return h, in.truncatedf(8, "the compressed bundle should have %d bytes, but has %d", total, in.size)
	}
	return h, nil
}

// compressedBundle inflates a bundle, which is kept in memory.
func (s *scanner) compressedBundle(in input) error {
	h, err := in.compressedHeader()
	if err != nil {
		return err
	}
	stored := in.size - h.size
	if err := binfile.CheckInflatedSize(stored, int64(min(h.want, 1<<62)), maxInflated-s.inflated); err != nil {
		return in.errorf(8, "%v", err)
	}
	s.inflated += int64(h.want)
	mem := new(binfile.Memory)
	if err := binfile.Inflate(mem, in.section(h.size, stored), h.method, int64(h.want)); err != nil {
		return in.errorf(h.size, "the compressed bundle: %v", err)
	}
	sum := md5.New()
	if _, err := io.Copy(sum, io.NewSectionReader(mem, 0, mem.Size())); err != nil {
		return err
	}
	if checksum := h.head[h.size-8 : h.size]; !bytes.Equal(sum.Sum(nil)[:8], checksum) {
		return in.errorf(h.size-8, "the inflated bundle does not have the checksum %x of the header: it is damaged", checksum)
	}
	inside := input{r: mem, size: mem.Size(), member: in.member, inflated: true}
	start := make([]byte, min(inside.size, headSize))
	if err := inside.read(start, 0, "the start of the bundle"); err != nil {
		return err
	}
	if offload.FormatOf(start) != offload.Bundle {
		return in.errorf(h.size, "the compressed data is not an offload bundle")
	}
	first := len(s.file.Images)
	err = s.bundle(inside, start)
	for _, img := range s.file.Images[first:] {
		img.Origin.Offset = in.base
	}
	return err
}

// bundled adds the image that a bundle lists under an identifier.
func (s *scanner) bundled(in *input, id string, at section, stated offload.Format) error {
	model, triple, arch := parseID(id)
	if model == "host" {
		return nil
	}
	if triple == "" {
		return in.errorf(at.offset, "%s does not name a target: it is not KIND-TRIPLE", safetext.Quote(id))
	}
	return s.add(in, &Image{
		Origin: Origin{Section: at.name, Offset: in.base + at.offset},
		Model:  model, Triple: triple, Arch: arch, Stated: stated,
		Source: in.section(at.offset, at.size),
	})
}

// parseID splits KIND-TRIPLE[-ARCH]. A triple has up to four parts. The last part may be empty or
// missing, even if an architecture follows.
func parseID(id string) (model, triple, arch string) {
	model, rest, _ := strings.Cut(id, "-")
	parts := strings.SplitN(rest, "-", 5)
	switch {
	case len(parts) == 5 && parts[0] == "spir64_gen" && isGPUName(parts[3]+"-"+parts[4]):
		arch, parts = parts[3]+"-"+parts[4], parts[:3]
	case len(parts) == 5:
		arch, parts = parts[4], parts[:4]
	case len(parts) == 4 && (isArch(parts[3]) || parts[0] == "spir64_gen" && isGPUName(parts[3])):
		arch, parts = parts[3], parts[:3]
	}
	if len(parts) == 4 && (parts[3] == "" || parts[3] == "unknown") {
		parts = parts[:3] // newer bundlers add this part
	}
	return model, strings.TrimRight(strings.Join(parts, "-"), "-"), arch
}

// isGPUName reports whether ocloc has a GPU or family with this name.
func isGPUName(part string) bool {
	_, known := deviceconfig.CodeTarget(part)
	return known
}

func isArch(part string) bool {
	return slices.ContainsFunc([]string{"sm_", "gfx", "intel_gpu_", "nvidia_gpu_", "amd_gpu_"}, func(start string) bool { return strings.HasPrefix(part, start) })
}
